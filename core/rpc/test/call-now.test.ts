/** RpcClient.callNow: a call that blocks its caller until the thread has answered it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { LeaseholdError } from '../../contract/errors.ts';
import { RpcClient } from '../client.ts';
import { threadOf } from './kit.ts';

type Method = 'add' | 'sum' | 'fail' | 'block';

async function withClient(body: (client: RpcClient<Method>) => Promise<void>): Promise<void> {
  const source = `let sum = 0;
    serveThread({
      add: (n) => { sum += n; },
      sum: () => sum,
      fail: () => { throw new LeaseLost('gone'); },
      block: (flag) => { Atomics.wait(flag, 0, 0); },
    });`;
  const client = new RpcClient<Method>(new Worker(threadOf(source)), { owner: 'test' });
  try {
    await body(client);
  } finally {
    await client.close();
  }
}

it('callNow answers before it returns, after all calls made before it', () =>
  withClient(async (client) => {
    const added = [1, 2, 3].map((n) => client.call('add', n));
    assert.equal(client.callNow('sum', undefined, 10_000), 6);
    await Promise.all(added);
    await client.call('add', 4);
    assert.equal(client.callNow('sum', undefined, 10_000), 10);
  }));

it("callNow raises the method's error, and the client's after it was closed", () =>
  withClient(async (client) => {
    const code = (call: () => unknown): string => {
      try {
        call();
      } catch (error) {
        return (error as LeaseholdError).code;
      }
      return 'none';
    };
    assert.equal(
      code(() => client.callNow('fail', undefined, 10_000)),
      'LEASE_LOST',
    );
    void client.close();
    assert.equal(
      code(() => client.callNow('sum', undefined, 10_000)),
      'CLOSED',
    );
  }));

it('callNow raises BUSY when the thread does not answer in time, and later calls are answered', () =>
  withClient(async (client) => {
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const blocked = client.call('block', flag);
    assert.throws(() => client.callNow('sum', undefined, 20), {
      code: 'BUSY',
      message: /did not answer sum within 20 ms/,
    });
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
    await blocked;
    assert.equal(await client.call('sum'), 0);
  }));
