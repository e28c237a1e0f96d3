/** What the parts of the contract suite share: types, and calls that nearly every test makes. */
import assert from 'node:assert/strict';
import type { ErrorCode } from '../../contract/errors.ts';
import type { Awaitable, ClaimOptions, EventSchema, Lease, Transport } from '../../contract/transport.ts';
import type { FakeClock } from '../fake-clock.ts';

/** What the transport of a test must use. */
export interface ContractOptions {
  readonly clock: FakeClock;
  readonly schema?: EventSchema<unknown>;
  readonly maxEventBytes?: number;
}

/** A transport with a new, empty store. */
export interface ContractSubject {
  readonly transport: Transport;
  /** Writes a message into the store as another program does: the event's text is not checked. */
  putRaw(groupId: string, eventText: string): Awaitable<void>;
  /** Closes the transport, which the test may have closed already, and removes the store. */
  dispose(): Awaitable<void>;
}

export type ContractFactory = (options: ContractOptions) => Awaitable<ContractSubject>;

/** The two functions of a test runner that the suite needs. */
export interface ContractRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

export interface Bench {
  readonly queue: Transport;
  readonly clock: FakeClock;
  readonly putRaw: ContractSubject['putRaw'];
}

export type Check = (
  name: string,
  body: (bench: Bench) => Promise<void>,
  options?: Omit<ContractOptions, 'clock'>,
) => void;

export const VISIBILITY = 30_000;

/** Claims a message. Fails the test when there is none. */
export async function take(queue: Transport, workerId = 'w', options?: ClaimOptions): Promise<Lease> {
  const lease = await queue.claim(workerId, VISIBILITY, options);
  assert.ok(lease, 'there should have been a message to claim');
  return lease;
}

/** Fails the test when a message can be claimed. */
export async function nothing(queue: Transport, options?: ClaimOptions): Promise<void> {
  assert.equal(await queue.claim('w', VISIBILITY, options), null);
}

/** Claims and acks until nothing can be claimed. Resolves with the events in the order of their delivery. */
export async function drain(queue: Transport, options?: ClaimOptions): Promise<unknown[]> {
  const events: unknown[] = [];
  for (;;) {
    const lease = await queue.claim('drain', VISIBILITY, options);
    if (!lease) return events;
    events.push(lease.event);
    await queue.ack(lease);
  }
}

/** Publishes the events, in order. */
export async function fill(queue: Transport, groupId: string, ...events: unknown[]): Promise<void> {
  for (const event of events) await queue.publish(groupId, event);
}

/** Fails the test unless the call throws, or rejects with, an error that has this code and a message. */
export async function raises(code: ErrorCode, run: () => unknown, note = ''): Promise<void> {
  let error: unknown;
  try {
    await run();
  } catch (caught) {
    error = caught;
  }
  assert.ok(error instanceof Error, `${note || 'the call'} should have raised ${code}`);
  const found = 'code' in error ? error.code : undefined;
  assert.equal(found, code, `${note} raised ${String(found)}: ${error.message}`);
  assert.ok(error.message.length > 10, 'the error should have a message');
}
