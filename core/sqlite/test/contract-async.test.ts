import { describe, it } from 'node:test';
import { transportContract } from '../../testing/contract/index.ts';
import { asyncFactory } from './support/subjects.ts';

/**
 * One setting: each test starts a thread, and the thread runs the engine that contract.test.ts tests in four settings. The model
 * test runs an asynchronous transport with the default prefix and durability 'normal'.
 */
const SETTING = { durability: 'full', tablePrefix: 'own_queue' } as const;

/** Tests that run at once, on each level of suites: while one waits for its thread or the disk, another runs. */
const concurrency = 2;

describe('AsyncSqliteTransport, own prefix, full', { concurrency }, () => {
  transportContract({ describe, it }, asyncFactory(SETTING));
});
