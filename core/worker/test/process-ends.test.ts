/** What an end of the process, by a kill or by an ordinary quit, does to the messages of its worker. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';

const PROGRAM = fileURLToPath(new URL('./support/mortal-worker.program.ts', import.meta.url));
const TRANSPORTS = ['SqliteTransport', 'AsyncSqliteTransport'] as const;

/** Runs a process to its end and returns the groups whose handlers were called. */
function run(...args: string[]): { groups: string[]; signal: string | null } {
  const { stdout, stderr, signal, status } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.ok(signal === 'SIGKILL' || status === 0, stderr);
  return { groups: stdout.split('\n').filter(Boolean), signal };
}

/** With maxAttempts 2: starts the process again each time that a handler has killed it, at most twice. Returns the groups whose handlers were called. */
function runUntilItLives(path: string, transport: string): string[] {
  const handled: string[] = [];
  for (let deaths = 0; deaths <= 2; deaths++) {
    const { groups, signal } = run(path, transport, 'idle', '2');
    handled.push(...groups);
    if (signal === null) return handled;
  }
  assert.fail('two attempts, no more');
}

for (const transport of TRANSPORTS) {
  test(`a message that kills the process each time is buried, and its neighbours are handled (${transport})`, () => {
    using folder = new TempFolder();
    const path = folder.file();
    const queue = new SqliteTransport<string>({ path, durability: 'normal' });
    queue.publish('poison', 'kills');
    for (const group of ['a', 'b', 'c']) queue.publish(group, 'fine');
    const handled = runUntilItLives(path, transport);
    const dead = queue.deadLetters();
    assert.deepEqual([dead.map(({ groupId }) => groupId), dead[0]?.attempts], [['poison'], 2]);
    assert.match(dead[0]?.error ?? '', /Started 2 times/);
    assert.equal(handled.filter((group) => group === 'poison').length, 2);
    for (const group of ['a', 'b', 'c']) assert.ok(handled.includes(group));
    assert.equal(queue.claim('x', 1000), null, 'nothing is left');
    queue.close();
  });

  test(`a message that kills the process costs no neighbour its last attempt (${transport})`, () => {
    using folder = new TempFolder();
    const path = folder.file();
    const queue = new SqliteTransport<string>({ path, durability: 'normal' });
    for (const group of ['a', 'b', 'c']) queue.publish(group, 'fine');
    for (const lease of queue.claimMany('x', 1000, 3)) queue.nack(lease);
    queue.publish('poison', 'kills');
    const handled = runUntilItLives(path, transport);
    for (const group of ['a', 'b', 'c']) assert.ok(handled.includes(group), group);
    assert.deepEqual(
      queue.deadLetters().map(({ groupId, attempts }) => [groupId, attempts]),
      [['poison', 2]],
    );
    queue.close();
  });

  test(`with maxAttempts 1 a message that kills the process costs no neighbour its only attempt (${transport})`, () => {
    using folder = new TempFolder();
    const path = folder.file();
    const queue = new SqliteTransport<string>({ path, durability: 'normal' });
    queue.publish('poison', 'kills');
    for (const group of ['a', 'b', 'c', 'd', 'e']) queue.publish(group, 'fine');
    assert.equal(run(path, transport, 'idle', '1').signal, 'SIGKILL');
    const { groups } = run(path, transport, 'idle', '1');
    assert.deepEqual(groups.toSorted(), ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(
      queue.deadLetters().map(({ groupId, attempts }) => [groupId, attempts]),
      [['poison', 1]],
    );
    queue.close();
  });

  test(`a quit in the middle of a turn gives everything back without counting an attempt (${transport})`, () => {
    using folder = new TempFolder();
    const path = folder.file();
    const queue = new SqliteTransport<string>({ path, durability: 'normal' });
    queue.publish('long', 'long');
    for (const rounds of ['0', '1', '4']) {
      run(path, transport, 'quit', rounds);
      assert.deepEqual(queue.holders().holders, [], `${rounds} rounds`);
    }
    const lease = queue.claimMany('x', 1000, 10, { startNow: 0 }).find(({ groupId }) => groupId === 'long');
    assert.deepEqual([lease?.attempt, lease?.crashes], [1, 0]);
    queue.close();
  });

  test(`a process that has nothing else to do lives until stop has given everything back (${transport})`, () => {
    using folder = new TempFolder();
    const path = folder.file();
    const queue = new SqliteTransport<string>({ path, durability: 'normal' });
    queue.publish('long', 'long');
    run(path, transport, 'stop');
    const [lease] = queue.claimMany('x', 1000, 1, { startNow: 0 });
    assert.deepEqual([lease?.attempt, lease?.crashes], [1, 0]);
    queue.close();
  });
}
