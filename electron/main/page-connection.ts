/** Connects a window's page to an admin, with what the app allows and hides. */
import { isDeepStrictEqual } from 'node:util';
import type { WebContents } from 'electron';
import type { InspectorInfo, QueueAdmin } from '../../core/contract/admin.ts';
import { CHANGED_CHANNEL } from '../preload/inspector-channels.ts';
import { inspectorHandlers } from './inspector-handlers.ts';
import { handleCalls } from './ipc-handlers.ts';
import type { Redact } from './redact-event.ts';
import { redactedAdmin } from './redacted-admin.ts';
import { restrictedAdmin } from './restricted-admin.ts';

export interface PageOptions {
  readonly info: InspectorInfo;
  readonly redact: Redact | undefined;
}

export class PageConnection {
  readonly #contents: WebContents;
  readonly #origin: string;
  readonly #admin: QueueAdmin;
  #options: PageOptions;
  #disconnect: () => void;

  constructor(contents: WebContents, origin: string, admin: QueueAdmin, options: PageOptions) {
    this.#contents = contents;
    this.#origin = origin;
    this.#admin = admin;
    this.#options = options;
    this.#disconnect = this.#connect(options);
  }

  /** Connects the page anew when these options differ. Returns whether they do: the page has to be loaded again then. */
  update(options: PageOptions): boolean {
    if (isDeepStrictEqual(options, this.#options)) return false;
    this.#disconnect();
    this.#options = options;
    this.#disconnect = this.#connect(options);
    return true;
  }

  close(): void {
    this.#disconnect();
  }

  #connect({ info, redact }: PageOptions): () => void {
    const contents = this.#contents;
    const redacted = redact ? redactedAdmin(this.#admin, redact) : this.#admin;
    const admin = restrictedAdmin(redacted, info.operations);
    const removeHandlers = handleCalls(contents, this.#origin, inspectorHandlers(admin, info));
    // The admin limits how often it calls; see ChangeWatch in core/admin.
    const unsubscribe = admin.onChange(() => {
      if (!contents.isDestroyed() && !contents.isCrashed()) contents.send(CHANGED_CHANNEL);
    });
    return () => {
      unsubscribe();
      removeHandlers();
    };
  }
}
