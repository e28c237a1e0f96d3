/**
 * The admin's thread, or its process for an untrusted file. It reads over a connection that cannot write, operates over another
 * one, and watches the file for changes, so that the app's main thread waits for none of it. Its client, openAdmin, has checked
 * all arguments.
 */
import { systemClock } from '../contract/clock.ts';
import { asLeaseholdError } from '../contract/errors.ts';
import { startData } from '../rpc/parent-port.ts';
import { serve } from '../rpc/server.ts';
import {
  answerEach,
  type Emit,
  type Fail,
  firstSentAt,
  type Service,
  sentWithFirst,
} from '../rpc/service.ts';
import { Engine } from '../sqlite/engine.ts';
import { namesFor } from '../sqlite/file/names.ts';
import { openFile } from '../sqlite/file/open-file.ts';
import { toLeaseholdError } from '../sqlite/file/sqlite-errors.ts';
import { toSeconds } from '../sqlite/file/time-units.ts';
import { readSettings } from '../sqlite/transport-options.ts';
import { textCodec } from '../validate/event-codec.ts';
import { type AdminMethod, type AdminMethods, type AdminThreadOptions, CHANGED } from './admin-protocol.ts';
import { ChangeWatch } from './change-watch.ts';
import { watchLog } from './log-watch.ts';
import { makeOperate } from './operations/operate.ts';
import { makeOperatorPurge } from './operations/operator-purge.ts';
import { PacedReads } from './paced-reads.ts';
import { listGroups } from './queries/list-groups.ts';
import { listMessages } from './queries/list-messages.ts';
import { readMessage } from './queries/message-detail.ts';
import { readOverview } from './queries/overview.ts';
import { oneStep, type Snapshot, type Steps } from './queries/snapshot.ts';

function openAdminService(options: AdminThreadOptions, emit: Emit, fail: Fail): Service<AdminMethod> {
  const { path, tablePrefix, operator, fairness, secureDelete } = options;
  const names = namesFor(tablePrefix);
  const settings = readSettings({
    path,
    fairness,
    createSchema: false,
    secureDelete,
    ...(tablePrefix ? { tablePrefix } : {}),
  });
  const engine = new Engine({ ...settings, repair: false }, textCodec.decode);
  engine.emitter.on('closed', ({ error }) => error && fail(error));
  const reader = openFile(path, { readonly: true });
  const snapshotOf = (db: Snapshot['db']): Snapshot => ({ db, names, now: toSeconds(systemClock.now()) });
  const reads = new PacedReads(systemClock, watchLog(reader, systemClock));
  const purge = makeOperatorPurge(engine);
  const operate = makeOperate(engine, (key) => {
    const detail = readMessage(snapshotOf(engine.context.db), key);
    if (detail) return detail.why;
    const name = typeof key === 'number' ? `Message ${key}` : `Dead letter ${key.deadId}`;
    return `${name} is gone: it was acked or re-published.`;
  });
  const changes = new ChangeWatch(
    reader,
    systemClock,
    () => emit({ name: CHANGED, detail: null }),
    () => isIntact(engine) && reads.mayRefresh,
  );

  const read = <T>(method: AdminMethod, argument: unknown, query: (snapshot: Snapshot) => Steps<T>) =>
    reads.run(method, argument, () => query(snapshotOf(reader)));

  const shown = <T>(act: () => T): T => {
    const result = act();
    reads.expectPerson();
    return result;
  };

  const methods: AdminMethods = {
    overview: () => read('overview', undefined, readOverview),
    groups: (query) => read('groups', query, (snapshot) => listGroups(snapshot, query)),
    messages: (query) => read('messages', query, (snapshot) => listMessages(snapshot, query)),
    message: (key) => read('message', key, (snapshot) => oneStep(snapshot, () => readMessage(snapshot, key))),
    operate: (operation) => shown(() => operate(operation, operator)),
    purge: (retention) => shown(() => purge(retention, operator)),
  };

  const raise = (error: unknown): never => {
    throw asLeaseholdError(toLeaseholdError(error, path));
  };

  return {
    answer(calls) {
      engine.lockWait?.callsMadeAt(firstSentAt(calls));
      return answerEach(sentWithFirst(calls), (method, argument) => {
        try {
          engine.checkFile();
          const value = methods[method](argument as never);
          return value instanceof Promise ? value.catch(raise) : value;
        } catch (error) {
          return raise(error);
        }
      });
    },
    subscribe: () => changes.start(),
    unsubscribe: () => changes.stop(),
    closing: () => reads.hurry(),
    close() {
      changes.stop();
      reader.close();
      engine.close();
    },
  };
}

/** Where the file was replaced, the engine has ended with the error, and the client is told. */
function isIntact(engine: Engine): boolean {
  try {
    engine.checkFile();
    return true;
  } catch {
    return false;
  }
}

serve((emit, fail) => openAdminService(startData(), emit, fail));
