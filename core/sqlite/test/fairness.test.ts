import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fairness, SqliteTransport } from '../../index.ts';
import type { FakeClock } from '../../testing/fake-clock.ts';
import { claim, withFile } from './support/sync-queue.ts';

interface Bench {
  readonly queue: SqliteTransport;
  readonly clock: FakeClock;
}

/** How many of `claims` served a waiting group, while one group publishes and drains one message at a time. */
function servedBeside({ queue, clock }: Bench, claims: number, groupOf: (n: number) => string): number {
  let served = 0;
  for (let n = 0; n < claims; n++) {
    clock.advance(1);
    queue.publish(groupOf(n), 'busy');
    const lease = claim(queue);
    if (lease.event === 'waiting') {
      served++;
      queue.nack(lease);
    } else {
      queue.ack(lease);
    }
  }
  return served;
}

function withWaiting(fairness: Fairness, body: (bench: Bench) => void): Promise<void> {
  return withFile(({ open, clock }) => {
    const queue = open({ fairness });
    for (let n = 0; n < 5; n++) queue.publish(`waiting-${n}`, 'waiting');
    // Once round, so that every waiting group has been claimed before.
    for (const lease of queue.claimMany('w', 1_000, 5)) queue.nack(lease);
    clock.advance(1_000);
    body({ queue, clock });
  });
}

describe('fairness', () => {
  it('with new-groups-first a group that drains and is published to again is always claimed first', () =>
    withWaiting('new-groups-first', (bench) => {
      assert.equal(
        servedBeside(bench, 100, () => 'busy'),
        0,
      );
    }));

  it('with longest-waiting-first a group that publishes and drains one message at a time starves no group', () =>
    withWaiting('longest-waiting-first', (bench) => {
      assert.ok(servedBeside(bench, 100, () => 'busy') >= 50);
    }));

  it('with longest-waiting-first a stream of new groups starves no waiting group', () =>
    withWaiting('longest-waiting-first', (bench) => {
      // Each claim that serves a waiting group leaves a new one over, so the turns grow longer; none is left out.
      assert.ok(servedBeside(bench, 100, (n) => `busy-${n}`) >= 20);
    }));

  it('with longest-waiting-first a clock step back starves no waiting group', () =>
    withWaiting('longest-waiting-first', (bench) => {
      bench.clock.step(-3_600_000);
      assert.ok(servedBeside(bench, 100, (n) => `busy-${n}`) >= 20);
    }));

  it('with longest-waiting-first new groups are claimed in their order of arrival', () =>
    withFile(({ open, clock }) => {
      const queue = open({ fairness: 'longest-waiting-first' });
      for (const group of ['c', 'a', 'b']) queue.publish(group, group);
      clock.advance(1);
      queue.publish('d', 'd');
      const events = queue.claimMany('w', 1_000, 4).map(({ event }) => event);
      assert.deepEqual(events, ['c', 'a', 'b', 'd']);
    }));

  it('with longest-waiting-first a claimed group yields to a group that is created after the claim', () =>
    withFile(({ open, clock }) => {
      const queue = open({ fairness: 'longest-waiting-first' });
      queue.publish('a', 'a1');
      queue.publish('a', 'a2');
      clock.advance(10);
      queue.ack(claim(queue));
      clock.advance(10);
      queue.publish('b', 'b1');
      clock.advance(10);
      assert.equal(claim(queue).event, 'a2', 'a has waited longer than b');
      assert.equal(claim(queue).event, 'b1');
    }));
});
