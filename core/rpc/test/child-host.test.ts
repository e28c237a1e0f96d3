import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LeaseholdError } from '../../contract/errors.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { type ChildEvents, ChildHost } from '../child-host.ts';
import { END, PING, PONG, STARTED } from '../child-signals.ts';
import { RpcClient } from '../client.ts';
import { rejection } from './kit.ts';

const LIMIT_MS = 1000;

/** A clock whose timers are late. */
class LateClock extends FakeClock {
  readonly #factor: number;

  constructor(factor: number) {
    super();
    this.#factor = factor;
  }

  override after(ms: number, run: () => void): () => void {
    return super.after(ms * this.#factor, run);
  }
}

/** A client of a child that does only what the test says. */
function childOf(lateness = 1) {
  const clock = new LateClock(lateness);
  const sent: unknown[] = [];
  let events!: ChildEvents;
  let isKilled = false;
  const host = new ChildHost({
    file: new URL(import.meta.url),
    data: null,
    timeLimitMs: LIMIT_MS,
    timeLimitError: () => new LeaseholdError('TIMED_OUT', host.isOpen ? 'a call' : 'the opening'),
    clock,
    startChild(_file, _argument, given) {
      events = given;
      return {
        postMessage: (message) => void sent.push(message),
        kill: () => {
          isKilled = true;
        },
        setRef: () => undefined,
      };
    },
  });
  const client = new RpcClient<'read'>(host, { owner: 'admin', place: 'process' });
  return {
    clock,
    client,
    sent,
    exit: (why: string) => events.onExit(why),
    isKilled: () => isKilled,
    /** The child sends this. */
    says: (message: unknown) => events.onMessage(message),
    /** The child answers the first call, which leaves at the end of the turn. */
    async answers() {
      await Promise.resolve();
      events.onMessage(ANSWER);
    },
    /** The child responds to everything that it was sent, for this time. */
    live(ms: number) {
      for (let passed = 0; passed < ms; passed += 10) {
        for (const message of sent.splice(0)) if (message === PING) events.onMessage(PONG);
        clock.advance(10);
      }
    },
  };
}

const ANSWER = { events: [], answers: { first: 0, values: [7], errors: [], pending: [] } };

describe('the time limit of a child process', () => {
  it('kills a child that opens too long or does not respond, and rejects its calls with the error of the limit', async () => {
    for (const isOpen of [false, true]) {
      const child = childOf();
      const reading = rejection(child.client.call('read'));
      child.says(STARTED);
      if (isOpen) child.says(PONG);
      child.clock.advance(LIMIT_MS * 0.9);
      assert.equal(child.isKilled(), false);
      child.clock.advance(LIMIT_MS * 0.3);
      assert.equal(child.isKilled(), true);
      const { code, message } = (await reading) as LeaseholdError;
      assert.deepEqual([code, message], ['TIMED_OUT', isOpen ? 'a call' : 'the opening']);
      assert.equal(child.clock.timers, 0);
    }
  });

  it('does not count the start of the process, nor the time of a child that responds while a call waits', async () => {
    const child = childOf();
    const reading = child.client.call('read');
    child.clock.advance(20 * LIMIT_MS);
    child.says(STARTED);
    child.live(20 * LIMIT_MS);
    await child.answers();
    assert.equal(await reading, 7);
  });

  it('a child that never starts is killed as well', async () => {
    const child = childOf();
    const reading = rejection(child.client.call('read'));
    child.clock.advance(60_000);
    assert.equal(child.isKilled(), true);
    assert.equal((await reading).code, 'TIMED_OUT');
  });

  it('counts parts and no time, since a machine that sleeps stops the child as well', async () => {
    const child = childOf(1000);
    const reading = child.client.call('read');
    child.says(STARTED);
    child.clock.advance(500 * LIMIT_MS);
    assert.equal(child.isKilled(), false);
    child.live(10);
    await child.answers();
    assert.equal(await reading, 7);
  });

  it('counts only while a call is open', async () => {
    const child = childOf();
    const reading = child.client.call('read');
    child.says(STARTED);
    child.live(500);
    await child.answers();
    await reading;
    assert.equal(child.clock.timers, 0);
    child.clock.advance(10 * LIMIT_MS);
    assert.equal(child.isKilled(), false);
  });

  it('holds for a close, which resolves when the killed child has ended', async () => {
    const child = childOf();
    child.says(STARTED);
    const closing = child.client.close();
    child.clock.advance(2 * LIMIT_MS);
    assert.equal(child.isKilled(), true);
    child.exit('it was ended by SIGKILL');
    await closing;
  });
});

describe('the end of a child process', () => {
  it('the child that has said that everything is sent is killed, and the close resolves', async () => {
    const child = childOf();
    child.says(STARTED);
    const closing = child.client.close();
    child.says(END);
    assert.equal(child.isKilled(), true);
    child.exit('it was ended by SIGKILL');
    await closing;
    assert.equal(child.clock.timers, 0);
  });

  it('by itself rejects the calls in progress with THREAD_FAILED and why', async () => {
    const child = childOf();
    const reading = rejection(child.client.call('read'));
    child.exit('it was ended by SIGSEGV');
    const { code, message } = await reading;
    assert.equal(code, 'THREAD_FAILED');
    assert.match(message, /^The process of this admin ended: it was ended by SIGSEGV\./);
  });
});
