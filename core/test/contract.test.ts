import { describe, it } from 'node:test';
import { transportContract } from '../testing/contract.ts';
import { type Setting, syncFactory } from './support/subjects.ts';

const SETTINGS: Setting[] = (['full', 'normal'] as const).flatMap((durability) =>
  [undefined, 'own_queue'].flatMap((prefix) =>
    [false, true].map((connection) => ({
      durability,
      connection,
      ...(prefix ? { tablePrefix: prefix } : {}),
    })),
  ),
);

for (const setting of SETTINGS) {
  const { durability, connection, tablePrefix = 'default' } = setting;
  describe(`SqliteTransport, ${connection ? 'connection' : 'path'}, ${tablePrefix} prefix, ${durability}`, () => {
    transportContract({ describe, it }, syncFactory(setting));
  });
}
