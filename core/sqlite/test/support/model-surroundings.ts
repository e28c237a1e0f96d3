/** The other actions of the model test: reads, time, other programs, a restart. */
import type { Awaitable } from '../../../contract/transport.ts';
import { type Filter, POISON } from './model.ts';
import { type Action, BROKEN, filterText, type Pair } from './model-actions.ts';

/** Reads write nothing and detect no clock step. */
export const looks = {
  holders: (): Action => ({
    text: 'holders()',
    prepare: ({ queue, model }) => ({
      idle: true,
      call: () => queue.holders(),
      expected: () => {
        const counts = new Map<string, number>();
        for (const { lock } of model.messages()) {
          if (lock && lock.by !== '__parked__') counts.set(lock.by, (counts.get(lock.by) ?? 0) + 1);
        }
        const holders = [...counts].sort().map(([workerId, leases]) => ({ workerId, leases }));
        return { holders, next: null };
      },
    }),
  }),

  nextExpiry: (filter: Filter): Action => ({
    text: `nextExpiry(${filterText(filter)})`,
    prepare: ({ queue, model }) => ({
      idle: true,
      call: () => queue.nextExpiry(filter),
      expected: () => model.nextExpiry(filter),
    }),
  }),
};

/** Events outside the transport: time, other programs, a restart. They never run together with other actions. */
export const surroundings = {
  advance: (ms: number): Action => alone(`advance(${ms})`, ({ clock }) => clock.advance(ms)),
  step: (seconds: number): Action => alone(`step(${seconds} s)`, ({ clock }) => clock.step(seconds * 1_000)),
  reopen: (): Action =>
    alone('reopen()', async (pair) => {
      await pair.reopen();
      pair.model.reopen();
    }),
  secondPublish: (id: string, broken: boolean): Action =>
    alone(`second client: publish(${id}${broken ? ', broken' : ''})`, ({ second, model }) => {
      second.publishText(id, broken ? BROKEN : '"second"', 2, 'x');
      model.publish(id, broken ? POISON : 'second', 2, 'x', 0);
    }),
  secondClaim: (visibility: number): Action =>
    alone(`second client: claim(${visibility})`, ({ second, model, secondLeases }) => {
      const lease = second.claim('second', visibility / 1_000);
      const message = model.claimAsSecond('second', visibility);
      if (lease?.seq !== message?.seq) throw new Error(`claimed ${lease?.seq}, the model ${message?.seq}`);
      if (lease) secondLeases.push(lease);
    }),
  secondSettle: (delay: number | null): Action =>
    alone(
      `second client: ${delay === null ? 'ack' : `nack(${delay})`}`,
      ({ second, model, secondLeases }) => {
        const lease = secondLeases.pop();
        const message = lease && model.find(lease.seq);
        // The second client's settles have no fence, so it must not settle a lease that another writer took.
        if (!lease || !message || message.lock?.by !== 'second') return;
        if (delay === null) {
          second.ack(lease);
          model.remove(lease.seq);
        } else {
          second.nack(lease, delay / 1_000);
          message.lock = delay > 0 ? model.secondLock('__parked__', delay) : null;
        }
      },
    ),
};

function alone(text: string, run: (pair: Pair) => Awaitable<unknown>): Action {
  return {
    text,
    prepare: (pair) => ({
      idle: true,
      call: async () => {
        await run(pair);
      },
      expected: () => undefined,
    }),
  };
}
