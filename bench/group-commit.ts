/** AsyncSqliteTransport with 64 callers, compared with one commit for each operation. */
import { AsyncSqliteTransport, SqliteTransport } from '../core/index.ts';
import { EVENT } from './backlog.ts';
import { inFolder } from './measure.ts';
import { atLeast, type Bench, perSecond, type Row } from './row.ts';

const CALLERS = 64;
const MANY = 40_000;
const FEW = 2000;
const GROUPS = 1000;

async function timed(work: () => void | Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Every caller runs `one` until it returns false, all at the same time. */
async function byAll(one: (caller: number) => Promise<boolean>): Promise<void> {
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    while (await one(caller));
  });
  await Promise.all(callers);
}

async function run(folder: string): Promise<Row[]> {
  const single = new SqliteTransport({ path: `${folder}/single.db`, durability: 'full' });
  const together = new AsyncSqliteTransport({ path: `${folder}/together.db`, durability: 'full' });
  await together.holders();

  const singlePublish = await timed(() => {
    for (let i = 0; i < FEW; i++) single.publish(`g${i % GROUPS}`, EVENT);
  });
  let published = 0;
  const togetherPublish = await timed(() =>
    byAll(async () => {
      if (published === MANY) return false;
      await together.publish(`g${published++ % GROUPS}`, EVENT);
      return true;
    }),
  );
  const singleDrain = await timed(() => {
    for (let lease = single.claim('w', 30_000); lease; lease = single.claim('w', 30_000)) single.ack(lease);
  });
  let drained = 0;
  const togetherDrain = await timed(() =>
    byAll(async (caller) => {
      const lease = await together.claim(`w${caller}`, 30_000);
      if (!lease) return false;
      await together.ack(lease);
      drained++;
      return true;
    }),
  );
  single.close();
  await together.close();
  if (drained !== MANY) throw new Error(`${drained} of ${MANY} were drained.`);

  const line = (what: string, least: number, one: number, many: number) =>
    atLeast(
      what,
      least,
      (FEW ? one / FEW : 0) / (many / MANY),
      `${perSecond(MANY, many)} against ${perSecond(FEW, one)}`,
    );
  return [
    line('publish by 64 callers, against one commit each', 10, singlePublish, togetherPublish),
    line('claim and ack by 64 callers, against one commit each', 6, singleDrain, togetherDrain),
  ];
}

export const groupCommit: Bench = {
  title: 'Group commit on a thread, 100-byte events (FULL)',
  run: () => inFolder(run),
};
