/** Drains messages one by one, compared with plainjob, a queue on the same better-sqlite3. */
import Database from 'better-sqlite3';
import { better, defineQueue } from 'plainjob';
import { SqliteTransport } from '../core/index.ts';
import { EVENT } from './backlog.ts';
import { inFolder, Stopwatch, takeTurns } from './measure.ts';
import { atLeast, type Bench, forComparison, perSecond } from './row.ts';

const A_ROUND = 1000;
const ROUNDS = 10;
const QUIET = { error() {}, warn() {}, info() {}, debug() {} };

export const drain: Bench = {
  title: 'Drain one by one, 100-byte events (NORMAL)',
  run: () =>
    inFolder((folder) => {
      const transport = new SqliteTransport({ path: `${folder}/queue.db`, durability: 'normal' });
      const connection = new Database(`${folder}/plainjob.db`);
      const jobs = defineQueue({ connection: better(connection), logger: QUIET });
      const watch = new Stopwatch();
      const warmUp = new Stopwatch();
      takeTurns(ROUNDS, [
        (counts) => {
          const on = counts ? watch : warmUp;
          on.time('our publish', () => {
            for (let i = 0; i < A_ROUND; i++) transport.publish(`g${i % 100}`, EVENT);
          });
          on.time('our drain', () => {
            let left = A_ROUND;
            for (let lease = transport.claim('worker', 30_000); lease; left--)
              lease = transport.ackAndClaim(lease, 30_000);
            if (left !== 0) throw new Error(`${left} were not drained.`);
          });
        },
        (counts) => {
          const on = counts ? watch : warmUp;
          on.time('their publish', () => {
            for (let i = 0; i < A_ROUND; i++) jobs.add('job', EVENT);
          });
          on.time('their drain', () => {
            let left = A_ROUND;
            for (let job = jobs.getAndMarkJobAsProcessing('job'); job; left--) {
              JSON.parse(jobs.getJobById(job.id)?.data ?? '');
              jobs.markJobAsDone(job.id);
              job = jobs.getAndMarkJobAsProcessing('job');
            }
            if (left !== 0) throw new Error(`${left} were not drained.`);
          });
        },
      ]);
      transport.close();
      jobs.close();
      connection.close();
      const all = A_ROUND * ROUNDS;
      const rate = (name: string) => perSecond(all, watch.ms(name));
      return Promise.resolve([
        forComparison('plainjob: publish', rate('their publish')),
        forComparison('Leasehold: publish', rate('our publish')),
        atLeast(
          'drain by ackAndClaim, against plainjob',
          1.5,
          watch.ms('their drain') / watch.ms('our drain'),
          `${rate('our drain')} against ${rate('their drain')}`,
        ),
      ]);
    }),
};
