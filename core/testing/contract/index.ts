/**
 * The contract suite: what every Transport must do, as tests for whichever runner you use.
 *
 *     import { describe, it } from 'node:test';
 *     import { transportContract } from 'leasehold/testing';
 *     transportContract({ describe, it }, async ({ clock }) => ({ transport: …, putRaw: …, dispose: … }));
 *
 * Each test opens a store of its own through the factory and disposes of it, whether it passed or failed.
 */

import { FakeClock } from '../fake-clock.ts';
import { argumentContract } from './arguments.ts';
import { batchContract } from './batches.ts';
import { clockContract } from './clock.ts';
import { closeContract } from './close.ts';
import { deadLetterContract } from './dead-letters.ts';
import { eventContract } from './events.ts';
import { fenceContract } from './fences.ts';
import type { Check, ContractFactory, ContractRunner } from './kit.ts';
import { lookContract } from './looks.ts';
import { orderContract } from './order.ts';
import { routingContract } from './routing.ts';
import { settleContract } from './settle.ts';

export { FakeClock } from '../fake-clock.ts';
export type { ContractFactory, ContractOptions, ContractRunner, ContractSubject } from './kit.ts';

const PARTS: Record<string, (check: Check) => void> = {
  'order and exclusivity': orderContract,
  'priority and routing': routingContract,
  'settling a lease': settleContract,
  'fences around a lease': fenceContract,
  'dead letters': deadLetterContract,
  batches: batchContract,
  'the clock': clockContract,
  'bad arguments': argumentContract,
  'what is told': eventContract,
  'looks and recovery': lookContract,
  closing: closeContract,
};

/** Registers every test of the contract with the runner, for the transports that the factory makes. */
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
