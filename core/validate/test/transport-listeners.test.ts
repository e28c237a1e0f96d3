import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadArgument } from '../../contract/errors.ts';
import { AsyncSqliteTransport } from '../../sqlite/async/async-transport.ts';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';

for (const Transport of [SqliteTransport, AsyncSqliteTransport])
  test(`on and off of ${Transport.name} refuse an unknown event and a listener that is no function`, async () => {
    using folder = new TempFolder();
    // biome-ignore lint/suspicious/noExplicitAny: these calls violate the types, as callers in JavaScript can
    const queue: any = new Transport({ path: folder.file() });
    const refused = (pattern: RegExp) => (error: unknown) =>
      error instanceof BadArgument && pattern.test(error.message);
    for (const method of ['on', 'off']) {
      for (const name of ['publish', 'Published', undefined, 5, Symbol('s'), {}])
        assert.throws(
          () => queue[method](name, () => {}),
          refused(/^A transport has no event .*\. Its events are: published, .*closed\.$/),
        );
      for (const listener of [undefined, null, 'f', {}])
        assert.throws(() => queue[method]('published', listener), refused(/must be a function/));
    }
    assert.equal(await queue.publish('g', 1), 1);
    await queue.close();
  });
