/**
 * Program: publishes, claims and settles with the second client and another build of SQLite, until it is told to end, or is
 * killed. The specification gives a settle no fence, so it looks in the same transaction whether the message is still its own.
 */
import { DatabaseSync } from 'node:sqlite';
import { SecondClient, type SecondLease } from '../../sqlite/test/support/second-client.ts';
import type { Asked, Entry, Settling } from './history.ts';
import { member, patiently, say } from './member.ts';

const VISIBILITY_MS = 200;
const me = await member();
const { args, random, clock, history, over, next } = me;
let isOver = false;
void over.then(() => {
  isOver = true;
});
const db = patiently(() => new DatabaseSync(args.file));
const client = patiently(() => new SecondClient(db, () => clock.now() / 1_000));
let claims = 0;

say('up');
const rounds = args.rounds ?? Number.POSITIVE_INFINITY;
for (let round = 0; round < rounds && !isOver; round++) {
  if (round % 8 === 0) await new Promise(setImmediate);
  try {
    random() < 0.35 ? publish() : deliver();
  } catch (error) {
    // The disk failed, or a lock stayed. The history has the error.
    if ((error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') throw error;
  }
}
db.close();
me.exit();

type Question = Asked extends infer Each ? (Each extends Asked ? Omit<Each, 'ask'> : never) : never;

function call<T>(question: Question, run: () => T, answerOf: (result: T) => object): T {
  const ask = history.nextAsk();
  history.write({ ask, ...question } as Asked);
  try {
    const result = run();
    history.write({ answer: ask, ...answerOf(result) } as Entry);
    return result;
  } catch (error) {
    history.write({ answer: ask, error: String(error) });
    throw error;
  }
}

function publish(): void {
  const { groupId, event } = next();
  call(
    { publish: [{ group: groupId, token: event }] },
    () => client.publish(groupId, event),
    (seq) => ({ seqs: [seq] }),
  );
}

function deliver(): void {
  const name = `${args.name}-${++claims}`;
  const lease = call(
    { claim: { visibilityMs: VISIBILITY_MS }, acks: [] },
    () => client.claim(name, VISIBILITY_MS / 1_000),
    (found) => ({ claimed: found ? [claimedOf(found, name)] : [] }),
  );
  if (!lease || random() < 0.05) return;
  const choice = random();
  const settling: Settling = choice < 0.7 ? 'ack' : 'nack';
  call(
    { settle: settling, lease: name, counted: false, parked: settling === 'nack' && choice >= 0.85 },
    () =>
      settleIfMine(lease, name, () =>
        settling === 'ack' ? client.ack(lease) : client.nack(lease, choice < 0.85 ? 0 : 0.003),
      ),
    (isMine) => (isMine ? {} : { lost: [name] }),
  );
}

function claimedOf({ seq, groupId, text }: SecondLease, name: string) {
  return {
    lease: name,
    seq,
    group: groupId,
    token: JSON.parse(text),
    worker: name,
    attempt: null,
    counted: false,
    fence: null,
    crashes: null,
  };
}

function settleIfMine({ seq }: SecondLease, name: string, settle: () => void): boolean {
  db.exec('BEGIN IMMEDIATE');
  try {
    const isMine = db
      .prepare('SELECT 1 FROM harel_transport_messages WHERE seq = ? AND locked_by = ?')
      .get(seq, name);
    if (isMine) settle();
    db.exec('COMMIT');
    return isMine !== undefined;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
