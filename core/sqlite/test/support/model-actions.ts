/** The actions of the model test: each is a call of the transport and the same step of the model. */

import type { Awaitable, Lease, Transport } from '../../../contract/transport.ts';
import type { FakeClock } from '../../../testing/fake-clock.ts';
import type { Filter, Model, ModelLease, ModelMessage } from './model.ts';
import type { SecondClient, SecondLease } from './second-client.ts';

/** The transport, the model, and what they share in one run. */
export interface Pair {
  queue: Transport;
  readonly model: Model;
  readonly clock: FakeClock;
  readonly second: SecondClient;
  /** Every lease that was ever claimed, stale ones included, newest last. */
  readonly leases: { real: Lease; model: ModelLease }[];
  readonly secondLeases: SecondLease[];
  reopen(): Promise<void>;
}

export interface Prepared {
  call(): Awaitable<unknown>;
  expected(): unknown;
  /** True when the transport does not read the clock: it is not called, or refuses the arguments. */
  readonly idle?: boolean;
}

export interface Action {
  readonly text: string;
  /** Picks the action's subject and returns the two halves, which must return equal plain values. */
  prepare(pair: Pair): Prepared;
}

export const BROKEN = '{"broken":';
const LOST = { error: 'LEASE_LOST' };
export const filterText = ({ minPriority, routingKeys }: Filter): string =>
  `${minPriority}, ${JSON.stringify(routingKeys)}`;

function seen(lease: Lease | null): unknown {
  if (!lease) return null;
  const { seq, workerId, delivery, attempt, crashes, event, lastError, expiresAt } = lease;
  return { seq, workerId, delivery, attempt, crashes, event, lastError, expiresAt };
}

function foreseen(message: ModelMessage | null): unknown {
  if (!message?.lock) return null;
  const { seq, deliveries, attempts, crashes, event, lastError, lock } = message;
  return {
    seq,
    workerId: lock.by,
    delivery: deliveries,
    attempt: attempts,
    crashes,
    event,
    lastError,
    expiresAt: lock.issued,
  };
}

/** Call it after each action: notes the fences that the model has given to the leases that the queue returned. */
export function fenceLeases({ leases, model }: Pair): void {
  for (const { real, model: lease } of leases)
    lease.fence ??= model.issued.get(`${real.seq}/${real.delivery}`)?.shift() ?? -1;
}

function remember(pair: Pair, lease: Lease | null): Lease | null {
  if (lease) pair.leases.push({ real: lease, model: { seq: lease.seq, by: lease.workerId, fence: null } });
  return lease;
}

/** Claims up to `limit` messages in the model and returns them as they are at that moment. */
function claimMany(model: Model, by: string, visibility: number, limit: number, filter: Filter): unknown[] {
  const claimed: unknown[] = [];
  while (claimed.length < limit) {
    const message = model.claim(by, visibility, filter);
    if (!message) break;
    claimed.push(foreseen(message));
  }
  return claimed;
}

/** The newest lease or one before it; undefined when there is none. */
function pickLease({ leases }: Pair, pick: number): { real: Lease; model: ModelLease } | undefined {
  return leases.at(-1 - (pick % Math.max(leases.length, 1)));
}

/** An action on one of the newest leases; it does nothing when there is none. */
function onLease(
  text: string,
  pick: number,
  act: (pair: Pair, lease: { real: Lease; model: ModelLease }) => Prepared,
): Action {
  return {
    text: `${text.replace('$', `lease -${pick + 1}`)}`,
    prepare(pair) {
      const lease = pickLease(pair, pick);
      return lease ? act(pair, lease) : { call: () => undefined, expected: () => undefined, idle: true };
    },
  };
}

export const actions = {
  publish: (id: string, event: unknown, priority: number, key: string | null): Action => ({
    text: `publish(${id}, ${JSON.stringify(event)}, ${priority}, ${key})`,
    prepare: ({ queue, model }) => ({
      call: () => queue.publish(id, event, { priority, routingKey: key }),
      expected: () => model.publish(id, event, priority, key),
    }),
  }),

  publishMany: (ids: string[], bad: boolean): Action => ({
    text: `publishMany(${ids.join(' ')}${bad ? ' and a bad one' : ''})`,
    prepare: ({ queue, model }) => ({
      idle: bad,
      call: () =>
        queue.publishMany([
          ...ids.map((groupId, n) => ({ groupId, event: n, priority: n % 5 })),
          ...(bad ? [{ groupId: 'a', event: undefined }] : []),
        ]),
      expected: () => (bad ? { error: 'BAD_EVENT' } : ids.map((id, n) => model.publish(id, n, n % 5, null))),
    }),
  }),

  claim: (by: string, visibility: number, filter: Filter): Action => ({
    text: `claim(${by}, ${visibility}, ${filterText(filter)})`,
    prepare: (pair) => ({
      call: async () => seen(remember(pair, await pair.queue.claim(by, visibility, filter))),
      expected: () => foreseen(pair.model.claim(by, visibility, filter)),
    }),
  }),

  claimMany: (by: string, visibility: number, limit: number, filter: Filter): Action => ({
    text: `claimMany(${by}, ${visibility}, ${limit}, ${filterText(filter)})`,
    prepare: (pair) => ({
      call: async () => {
        const leases = await pair.queue.claimMany(by, visibility, limit, filter);
        return leases.map((lease) => seen(remember(pair, lease)));
      },
      expected: () => claimMany(pair.model, by, visibility, limit, filter),
    }),
  }),

  ack: (pick: number): Action =>
    onLease('ack($)', pick, ({ queue, model }, lease) => ({
      call: () => queue.ack(lease.real),
      expected: () => {
        const message = model.held(lease.model);
        if (!message) return LOST;
        model.remove(message.seq);
        return undefined;
      },
    })),

  nack: (pick: number, delay: number, error: string | undefined, countAttempt: boolean): Action =>
    onLease(`nack($, ${delay}, ${error}, ${countAttempt})`, pick, ({ queue, model }, lease) => ({
      call: () => queue.nack(lease.real, delay, { error, countAttempt }),
      expected: () => {
        const message = model.held(lease.model);
        if (!message) return LOST;
        message.lock = delay > 0 ? model.lock('__parked__', delay) : null;
        message.lastError = error ?? message.lastError;
        if (!countAttempt) message.attempts--;
        if (countAttempt || delay > 0) message.crashes = 0;
        return undefined;
      },
    })),

  extend: (pick: number, visibility: number): Action =>
    onLease(`extend($, ${visibility})`, pick, (pair, lease) => ({
      call: async () => seen(remember(pair, await pair.queue.extend(lease.real, visibility))),
      expected: () => {
        const message = pair.model.held(lease.model);
        if (!message?.lock) return LOST;
        message.lock = pair.model.lock(message.lock.by, visibility);
        pair.model.issue(message);
        // An extended lease keeps these fields of its claim.
        const { attempt, crashes, event, lastError } = lease.real;
        return { ...(foreseen(message) as object), attempt, crashes, event, lastError };
      },
    })),

  bury: (pick: number, error: string | undefined): Action =>
    onLease(`bury($, ${error})`, pick, ({ queue, model }, lease) => ({
      call: () => queue.bury(lease.real, { error }),
      expected: () => {
        const message = model.held(lease.model);
        if (!message) return LOST;
        model.bury(message.seq, error ?? null);
        return undefined;
      },
    })),

  ackAndClaim: (pick: number, visibility: number, filter: Filter): Action =>
    onLease(`ackAndClaim($, ${visibility}, ${filterText(filter)})`, pick, (pair, lease) => ({
      call: async () => seen(remember(pair, await pair.queue.ackAndClaim(lease.real, visibility, filter))),
      expected: () => {
        const message = pair.model.held(lease.model);
        if (!message) return LOST;
        pair.model.remove(message.seq);
        return foreseen(pair.model.claim(lease.model.by, visibility, filter));
      },
    })),

  ackAndClaimMany: (picks: number[], limit: number, filter: Filter): Action => ({
    text: `ackAndClaimMany(leases ${picks.map((pick) => -pick - 1).join(' ')}, ${limit}, ${filterText(filter)})`,
    prepare(pair) {
      const leases = picks.flatMap((pick) => pickLease(pair, pick) ?? []);
      return {
        call: async () => {
          const given = leases.map(({ real }) => real);
          const { claimed, lost } = await pair.queue.ackAndClaimMany(given, 'w', 30_000, limit, filter);
          return {
            lost: lost.map(({ seq }) => seq),
            claimed: claimed.map((lease) => seen(remember(pair, lease))),
          };
        },
        expected: () => {
          const lost = leases.filter(({ model }) => {
            const message = pair.model.held(model);
            if (message) pair.model.remove(message.seq);
            return !message;
          });
          const claimed = claimMany(pair.model, 'w', 30_000, limit, filter);
          return { lost: lost.map(({ model }) => model.seq), claimed };
        },
      };
    },
  }),

  republish: (pick: number): Action => ({
    text: `republish(dead letter ${pick})`,
    prepare({ queue, model }) {
      const id = [...model.dead.keys()][pick] ?? 9_999;
      return {
        call: () => queue.republish(id),
        expected: () => model.republish(id) ?? { error: 'NOT_FOUND' },
      };
    },
  }),

  release: (workers: string[]): Action => ({
    text: `release(${workers.join(' ')})`,
    prepare: ({ queue, model }) => ({
      call: () => queue.release(workers),
      expected: () => ({ released: model.release(workers), next: null }),
    }),
  }),
};
