import { describe, it } from 'node:test';
import { transportContract } from '../../testing/contract/index.ts';
import { asyncFactory } from './support/subjects.ts';

const SETTINGS = [{ durability: 'full' }, { durability: 'normal', tablePrefix: 'own_queue' }] as const;

/** Tests that run at once, on each level of suites: while one waits for its thread or the disk, another runs. */
const concurrency = 2;

for (const setting of SETTINGS) {
  const { durability, tablePrefix = 'default' } = { tablePrefix: undefined, ...setting };
  describe(`AsyncSqliteTransport, ${tablePrefix} prefix, ${durability}`, { concurrency }, () => {
    transportContract({ describe, it }, asyncFactory(setting));
  });
}
