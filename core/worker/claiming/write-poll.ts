/** Notices what other connections write to the file: compares its data version at an interval while the worker is idle. */
import type { Clock } from '../../contract/clock.ts';
import type { Awaitable, Transport } from '../../contract/transport.ts';
import { whenDone } from '../../contract/when-done.ts';

export class WritePoll {
  readonly #transport: Pick<Transport, 'dataVersion'>;
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #onWrite: () => void;
  readonly #onError: (error: unknown) => void;
  #version: number | null = null;
  #cancel: (() => void) | null = null;

  /** `everyMs` 0: never. */
  constructor(
    transport: Pick<Transport, 'dataVersion'>,
    clock: Clock,
    everyMs: number,
    onWrite: () => void,
    onError: (error: unknown) => void,
  ) {
    this.#transport = transport;
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#onWrite = onWrite;
    this.#onError = onError;
  }

  /** Call before the first claim: whatever another process writes from then on is noticed. */
  noteVersion(): Awaitable<void> {
    if (this.#everyMs === 0) return;
    return whenDone(
      () => this.#transport.dataVersion(),
      (version) => {
        this.#version = version;
      },
    );
  }

  start(): void {
    if (this.#everyMs === 0 || this.#cancel) return;
    this.#cancel = this.#clock.after(this.#everyMs, () => {
      this.#cancel = null;
      this.start();
      void this.#compare();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #compare(): Awaitable<void> {
    return whenDone(
      () => this.#transport.dataVersion(),
      (version) => {
        // The version is read only here. If a claim read it too, a write just after that claim would be missed.
        if (version !== this.#version) this.#onWrite();
        this.#version = version;
      },
      this.#onError,
    );
  }
}
