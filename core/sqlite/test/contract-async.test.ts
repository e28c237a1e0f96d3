import { describe, it } from 'node:test';
import { transportContract } from '../../testing/contract/index.ts';
import { asyncFactory } from './support/subjects.ts';

const SETTINGS = [{ durability: 'full' }, { durability: 'normal', tablePrefix: 'own_queue' }] as const;

for (const setting of SETTINGS) {
  const { durability, tablePrefix = 'default' } = { tablePrefix: undefined, ...setting };
  describe(`AsyncSqliteTransport, ${tablePrefix} prefix, ${durability}`, () => {
    transportContract({ describe, it }, asyncFactory(setting));
  });
}
