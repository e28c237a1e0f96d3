import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkAttempts } from './support/check-attempts.ts';
import { violations } from './support/check-history.ts';
import { factsOf } from './support/deliveries.ts';
import { FALSIFICATIONS, judgeFalsified } from './support/falsifications.ts';
import type { Claimed, Entry, Line } from './support/history.ts';
import { honestRun } from './support/honest-run.ts';

const honest = await honestRun();

/**
 * A process is killed before its claim is answered, and its worker is released. The second client claims the message and frees
 * it. Then a member claims it, with the counts of `last`.
 */
function releasedUnseen(last: Pick<Claimed, 'attempt' | 'crashes'>): Line[] {
  const message = { group: 'g', token: 't' };
  const claim = { claim: { visibilityMs: 60_000 }, acks: [] };
  const unknown = { seq: 1, counted: false, attempt: null, fence: null, crashes: null };
  const entries: [process: string, entry: Entry][] = [
    ['publisher', { ask: 1, publish: [message] }],
    ['publisher', { answer: 1, seqs: [1] }],
    ['dead', { ask: 1, ...claim }],
    ['driver', { ended: 'dead', killed: true }],
    ['member', { ask: 1, release: ['dead'], ordinary: false }],
    ['member', { answer: 1 }],
    ['second', { ask: 1, ...claim }],
    ['second', { answer: 1, claimed: [{ ...unknown, ...message, lease: 'second', worker: 'second' }] }],
    ['second', { ask: 2, settle: 'nack', lease: 'second', counted: false, parked: false }],
    ['second', { answer: 2 }],
    ['member', { ask: 2, ...claim }],
    ['member', { answer: 2, claimed: [{ ...unknown, ...message, ...last, lease: '1.2', worker: 'member' }] }],
  ];
  return entries.map(([process, entry], at) => ({ at, wall: at, process, ...entry }));
}

describe('the judge of histories', () => {
  it('finds no fault in an honest history', () => {
    assert.deepEqual(violations(honest.lines, honest.rest), []);
  });

  for (const falsification of FALSIFICATIONS) {
    it(`finds that ${falsification[0]}`, () => {
      const { found, isCaught } = judgeFalsified(honest, falsification);
      assert.ok(isCaught, `found ${JSON.stringify(found.slice(0, 5))}`);
    });
  }

  it('knows that the release of a worker whose claim nobody saw counts a crash, and not two', () => {
    const judge = (attempt: number, crashes: number) =>
      checkAttempts(factsOf(releasedUnseen({ attempt, crashes }))).length;
    assert.deepEqual([judge(1, 1), judge(2, 1)], [0, 0], 'claimed ahead, or started');
    assert.deepEqual([judge(2, 2), judge(3, 1)], [1, 1]);
  });
});
