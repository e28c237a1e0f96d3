/** The history of a run in which nothing went wrong, for the tests of the judge. */
import { mkdirSync } from 'node:fs';
import { systemClock } from '../../contract/clock.ts';
import type { Lease } from '../../contract/transport.ts';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { randomFrom } from '../../sqlite/test/support/random.ts';
import { inTempFolder } from '../../sqlite/test/support/temp-folder.ts';
import type { Rest } from './check-history.ts';
import { type Line, readHistories, Writer } from './history.ts';
import { recorded } from './recorder.ts';
import { restOf } from './rest-of.ts';

export interface Run {
  readonly lines: Line[];
  readonly rest: Rest;
}

/** The history of two clients of one file, and the file they left. */
export function honestRun(): Promise<Run> {
  return inTempFolder((folder) => {
    const histories = folder.file('histories');
    mkdirSync(histories);
    const random = randomFrom(1);
    const writers = ['a', 'b'].map((name) => new Writer(`${histories}/${name}.jsonl`, systemClock.now));
    const queues = writers.map((writer) =>
      recorded(new SqliteTransport<string>({ path: folder.file(), durability: 'normal' }), writer),
    );
    const [first] = queues as [SqliteTransport<string>];
    const held: [SqliteTransport<string>, Lease<string>][] = [];
    const settle = () => {
      const [queue, lease] = held.shift() ?? [];
      if (!queue || !lease) return;
      const choice = random();
      if (choice < 0.2) queue.nack(lease, 0, { countAttempt: choice < 0.1 });
      else if (choice < 0.3) queue.bury(lease);
      else if (choice < 0.5) held.push([queue, queue.extend(lease, 60_000)]);
      else if (choice < 0.6)
        held.push(
          ...queue
            .ackAndClaimMany([lease], 'w', 60_000, 2)
            .claimed.map((next) => [queue, next] as (typeof held)[number]),
        );
      else queue.ack(lease);
    };
    for (let round = 0; round < 150; round++) {
      for (const [n, queue] of queues.entries()) {
        const group = `g${Math.floor(random() * 3)}`;
        const tokens = Array.from({ length: random() < 0.2 ? 3 : 1 }, (_, each) => `${round}-${n}-${each}`);
        if (random() < 0.5) queue.publishMany(tokens.map((event) => ({ groupId: group, event })));
        const lease = queue.claim(`w${n}`, 60_000);
        if (lease) held.push([queue, lease]);
        settle();
        settle();
      }
    }
    while (held.length > 0) settle();
    for (let lease = first.claim('w', 60_000); lease; lease = first.ackAndClaim(lease, 60_000));
    for (const queue of queues) queue.close();
    for (const writer of writers) writer.close();
    return { lines: readHistories(histories), rest: restOf(folder.file()) };
  });
}
