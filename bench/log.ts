/** The length of the log: while one writes at full speed, while a reader holds its snapshot, and afterwards. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { SqliteTransport } from '../core/index.ts';
import { inFolder } from './measure.ts';
import { type Bench, forComparison, perSecond, type Row } from './row.ts';

const FOR_MS = 4000;
const MOST_MB = 20;
const EVENT = { path: 'x'.repeat(989) };

interface Stretch {
  readonly rounds: number;
  readonly mostMb: number;
  readonly endMb: number;
}

export const log: Bench = {
  title: 'The log (-wal) of SqliteTransport, 1,000-byte events (NORMAL)',
  run: () =>
    inFolder(async (folder) => {
      const path = join(folder, 'queue.db');
      const transport = new SqliteTransport({ path, durability: 'normal' });
      const sizeMb = () => statSync(`${path}-wal`).size / 1e6;

      /** Publishes, claims and acks without a pause, but lets the event loop turn. */
      async function write(): Promise<Stretch> {
        let rounds = 0;
        let mostMb = 0;
        for (
          const end = performance.now() + FOR_MS;
          performance.now() < end;
          await new Promise(setImmediate)
        ) {
          for (let n = 0; n < 50; n++, rounds++) {
            transport.publish(`g${n}`, EVENT);
            const lease = transport.claim('worker', 60_000);
            if (lease) transport.ack(lease);
          }
          mostMb = Math.max(mostMb, sizeMb());
        }
        return { rounds, mostMb, endMb: sizeMb() };
      }

      await write();
      const alone = await write();
      const reader = new Database(path, { readonly: true });
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM harel_transport_messages').get();
      const held = await write();
      reader.close();
      await write();
      const after = await write();
      transport.close();
      return [
        row('longest while nobody reads', alone, alone.mostMb),
        forComparison(
          `while a reader holds its snapshot for ${FOR_MS / 1000} s`,
          `${held.mostMb.toFixed(0)} MB; ${rate(held)}`,
        ),
        row('after the reader has ended', after, after.endMb),
      ];
    }),
};

const rate = ({ rounds }: Stretch): string => `${perSecond(rounds, FOR_MS)} published, claimed and acked`;

function row(what: string, stretch: Stretch, mb: number): Row {
  return {
    what,
    target: `at most ${MOST_MB} MB`,
    result: `${mb.toFixed(0)} MB; ${rate(stretch)}`,
    met: mb <= MOST_MB,
  };
}
