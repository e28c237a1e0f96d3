/**
 * The contract suite: tests of what every Transport must do, for any test runner.
 *
 *     import { describe, it } from 'node:test';
 *     import { transportContract } from 'leasehold/testing';
 *     transportContract({ describe, it }, async ({ clock }) => ({ transport: …, putRaw: …, dispose: … }));
 *
 * The factory makes a transport with a new, empty store for each test; the suite disposes of it, whether the test passed or
 * failed.
 */
import { FakeClock } from '../fake-clock.ts';
import { argumentContract } from './arguments.ts';
import { attemptContract } from './attempts.ts';
import { batchContract } from './batches.ts';
import { clockContract } from './clock.ts';
import { closeContract } from './close.ts';
import { deadLetterContract } from './dead-letters.ts';
import { eventValueContract } from './event-values.ts';
import { eventContract } from './events.ts';
import type { Check, ContractFactory, ContractRunner } from './kit.ts';
import { lostLeaseContract } from './lost-leases.ts';
import { orderContract } from './order.ts';
import { queueStateContract } from './queue-state.ts';
import { routingContract } from './routing.ts';
import { settleContract } from './settle.ts';

export { FakeClock } from '../fake-clock.ts';
export type { ContractFactory, ContractOptions, ContractRunner, ContractSubject } from './kit.ts';

const PARTS: Record<string, (check: Check) => void> = {
  'order of groups and messages': orderContract,
  'priority and routing keys': routingContract,
  'ack, nack, extend and bury': settleContract,
  attempts: attemptContract,
  'lost leases': lostLeaseContract,
  'dead letters': deadLetterContract,
  batches: batchContract,
  'the clock': clockContract,
  'bad arguments': argumentContract,
  'events that cannot be published': eventValueContract,
  'events of the transport': eventContract,
  'nextExpiry, holders, release and dataVersion': queueStateContract,
  close: closeContract,
};

/** Registers the tests with the runner. */
export function transportContract({ describe, it }: ContractRunner, factory: ContractFactory): void {
  for (const [title, part] of Object.entries(PARTS)) {
    describe(title, () => {
      part((name, body, options = {}) => {
        it(name, async () => {
          const clock = new FakeClock();
          const subject = await factory({ ...options, clock });
          try {
            await body({ queue: subject.transport, clock, putRaw: subject.putRaw });
          } finally {
            await subject.dispose();
          }
        });
      });
    });
  }
}
