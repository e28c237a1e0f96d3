/**
 * The inspector's thread: reads over a connection that cannot write, acts over another, and tells when the file changed,
 * so that the app's main thread waits for none of it.
 */
import { workerData } from 'node:worker_threads';
import type { GroupsQuery, MessagesQuery, Operation } from '../contract/admin.ts';
import { systemClock } from '../contract/clock.ts';
import { asLeaseholdError } from '../contract/errors.ts';
import { answerEach, type Emit, type Service, serve } from '../rpc/server.ts';
import { Engine } from '../sqlite/engine.ts';
import { namesFor } from '../sqlite/file/names.ts';
import { openFile } from '../sqlite/file/open-file.ts';
import { toLeaseholdError } from '../sqlite/file/sqlite-errors.ts';
import { toSeconds } from '../sqlite/file/time-units.ts';
import { readSettings } from '../sqlite/transport-options.ts';
import { textCodec } from '../validate/event-codec.ts';
import { type AdminStart, type AdminVerb, CHANGED } from './admin-protocol.ts';
import { ChangeWatch } from './change-watch.ts';
import { makeOperate } from './operations/operate.ts';
import { groupsPage } from './queries/groups.ts';
import { messageDetail } from './queries/message.ts';
import { messagesPage } from './queries/messages.ts';
import { overview } from './queries/overview.ts';

function open({ path, tablePrefix, operator, fairness }: AdminStart, emit: Emit): Service<AdminVerb> {
  const names = namesFor(tablePrefix);
  const settings = readSettings({
    path,
    fairness,
    createSchema: false,
    ...(tablePrefix ? { tablePrefix } : {}),
  });
  const engine = new Engine({ ...settings, repair: false }, textCodec.decode);
  const reading = openFile(path, { readonly: true });
  const now = () => toSeconds(systemClock.now());
  const operate = makeOperate(engine, (seq) => {
    const detail = messageDetail(engine.context.db, names, seq, now());
    return detail ? detail.why : `Message ${seq} is gone: it was acked or re-published.`;
  });
  /** One read transaction for each answer: its rows and its total belong together. */
  const reads = <T>(look: () => T): T => reading.transaction(look).deferred();
  const changes = new ChangeWatch(reading, systemClock, () => emit({ name: CHANGED, detail: null }));

  const verbs: Record<AdminVerb, (argument: never) => unknown> = {
    overview: () => reads(() => overview(reading, names, now())),
    groups: (query: GroupsQuery) => reads(() => groupsPage(reading, names, query, now())),
    messages: (query: MessagesQuery) => reads(() => messagesPage(reading, names, query, now())),
    message: (seq: number) => reads(() => messageDetail(reading, names, seq, now())),
    operate: (operation: Operation) => operate(operation, operator),
  };

  return {
    answer: (calls) =>
      answerEach(calls, (verb, argument) => {
        try {
          return verbs[verb](argument as never);
        } catch (error) {
          throw asLeaseholdError(toLeaseholdError(error, path));
        }
      }),
    subscribe: () => changes.start(),
    unsubscribe: () => changes.stop(),
    close() {
      changes.stop();
      reading.close();
      engine.close();
    },
  };
}

serve((emit) => open(workerData as AdminStart, emit));
