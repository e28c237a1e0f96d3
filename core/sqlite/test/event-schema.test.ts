import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { execute } from './support/file-check.ts';
import { claim, drain, withFile } from './support/sync-queue.ts';

const Upload = z.object({ path: z.string(), tries: z.number().default(1), at: z.coerce.date().optional() });

describe('a queue with an event schema', () => {
  it('publish refuses an event that does not fit the schema, names the field, and writes nothing', () =>
    withFile(({ open }) => {
      const queue = open({ schema: Upload });
      assert.throws(() => queue.publish('g', { path: 7 }), { code: 'BAD_EVENT', message: /path: / });
      assert.equal(queue.claim('w', 1_000), null);
    }));

  it('a claim delivers the output of the schema, with defaults filled in and strings coerced to dates', () =>
    withFile(({ open, clock }) => {
      const at = new Date(clock.now());
      const queue = open({ schema: Upload });
      queue.publish('g', { path: '/a', at });
      assert.deepEqual(claim(queue).event, { path: '/a', tries: 1, at });
    }));

  it('an event of another writer that does not fit the schema is buried with the reason, and the claim goes on', () =>
    withFile(({ open, file }) => {
      const queue = open({ schema: Upload });
      queue.publish('g', { path: '/first' });
      execute(file, `INSERT INTO harel_transport_messages (group_id, event) VALUES ('g', '{"path":null}')`);
      queue.publish('g', { path: '/last' });
      assert.deepEqual(drain(queue), [
        { path: '/first', tries: 1 },
        { path: '/last', tries: 1 },
      ]);
      const [dead] = queue.deadLetters();
      assert.equal(dead?.eventJson, '{"path":null}');
      assert.match(dead?.error ?? '', /path: /);
    }));

  it('a schema that raises or returns anything at all makes a bad event, and no more', () =>
    withFile(({ open, file }) => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      const raise = () => {
        throw proxy;
      };
      const results: (() => unknown)[] = [
        raise,
        () => proxy,
        () => undefined,
        () => ({}),
        () => ({ issues: [proxy] }),
      ];
      // biome-ignore lint/suspicious/noExplicitAny: a schema that violates its type
      const schema: any = {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (event: number) => (event in results ? results[event]?.() : { value: event }),
        },
      };
      const queue = open({ schema });
      for (const [event] of results.entries()) {
        assert.throws(() => queue.publish('g', event), { code: 'BAD_EVENT', message: /the schema/ });
        execute(file, `INSERT INTO harel_transport_messages (group_id, event) VALUES ('g', '${event}')`);
      }
      queue.publish('g', 99);
      assert.deepEqual(drain(queue), [99]);
      assert.equal(queue.deadLetters().length, results.length);
    }));

  it('publish refuses an event whose schema is asynchronous, and writes nothing', () =>
    withFile(({ open }) => {
      const queue = open({ schema: z.string().refine(async () => true) });
      assert.throws(() => queue.publish('g', 'text'), {
        code: 'BAD_EVENT',
        message: /the schema returned a promise/,
      });
      assert.equal(queue.claim('w', 1_000), null);
    }));
});

describe('a queue without an event schema', () => {
  it('an event that is a BLOB in the file is buried, and the claim goes on', () =>
    withFile(({ open, file }) => {
      const queue = open();
      execute(
        file,
        `INSERT INTO harel_transport_messages (group_id, event) VALUES ('g', x'7b7d'), ('g', '2')`,
      );
      queue.publish('g', 3);
      assert.deepEqual(drain(queue), [2, 3]);
      assert.equal(queue.deadLetters().length, 1);
    }));

  it('a dead letter that is not JSON is buried again after its re-publish, and the claim goes on', () =>
    withFile(({ open, file }) => {
      const queue = open();
      queue.publish('g', 1);
      execute(file, `INSERT INTO harel_transport_messages (group_id, event) VALUES ('g', '{"half":')`);
      assert.deepEqual(drain(queue), [1]);
      const [dead] = queue.deadLetters();
      assert.ok(dead);
      queue.republish(dead.id);
      queue.publish('g', 2);
      assert.deepEqual(drain(queue), [2]);
      assert.deepEqual(
        queue.deadLetters().map(({ eventJson }) => eventJson),
        ['{"half":'],
      );
    }));

  it('publishing an event nested deeper than the stack raises BAD_EVENT', () =>
    withFile(({ open }) => {
      const queue = open();
      let deep: unknown = null;
      for (let n = 0; n < 100_000; n++) deep = [deep];
      assert.throws(() => queue.publish('g', deep), { code: 'BAD_EVENT' });
      assert.equal(queue.claim('w', 1_000), null);
    }));

  it('an event with a field named __proto__ is delivered unchanged and sets no prototype', () =>
    withFile(({ open }) => {
      const queue = open();
      const event: unknown = JSON.parse('{"__proto__": {"admin": true}, "n": 1}');
      queue.publish('g', event);
      const got = claim(queue).event as Record<string, unknown>;
      assert.equal(JSON.stringify(got), '{"__proto__":{"admin":true},"n":1}');
      assert.equal(({} as Record<string, unknown>).admin, undefined);
    }));

  it('when the schema raises for an event, the claim buries that event and goes on', () =>
    withFile(({ open, file }) => {
      const raising = z.unknown().transform((event) => {
        if (event === 'boom') throw new Error('cannot transform');
        return event;
      });
      const queue = open({ schema: raising });
      execute(file, `INSERT INTO harel_transport_messages (group_id, event) VALUES ('g', '"boom"')`);
      queue.publish('g', 'sound');
      assert.equal(claim(queue).event, 'sound');
      assert.match(
        queue.deadLetters()[0]?.error ?? '',
        /the schema returned a promise: it is asynchronous, or one of its transforms raised/,
      );
      assert.throws(() => queue.publish('g', 'boom'), {
        code: 'BAD_EVENT',
        message: /the schema returned a promise: it is asynchronous, or one of its transforms raised/,
      });
    }));
});
