import { describe, it } from 'node:test';
import { transportContract } from '../../testing/contract/index.ts';
import { type Setting, syncFactory } from './support/subjects.ts';

/** Every pair of values of path or connection, default or own prefix, full or normal is in one of these. */
const SETTINGS: Setting[] = [
  { durability: 'full' },
  { durability: 'normal', tablePrefix: 'own_queue' },
  { durability: 'normal', connection: true },
  { durability: 'full', tablePrefix: 'own_queue', connection: true },
];

for (const setting of SETTINGS) {
  const { durability, connection, tablePrefix = 'default' } = setting;
  describe(`SqliteTransport, ${connection ? 'connection' : 'path'}, ${tablePrefix} prefix, ${durability}`, () => {
    transportContract({ describe, it }, syncFactory(setting));
  });
}
