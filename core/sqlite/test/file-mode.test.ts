import assert from 'node:assert/strict';
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { AsyncSqliteTransport } from '../../index.ts';
import { claim, withFile } from './support/sync-queue.ts';

const modeOf = (path: string): string => `0${(statSync(path).mode & 0o777).toString(8)}`;

/** Runs `body` with the umask that lets everybody read and write what is created. */
async function withoutUmask(body: () => unknown): Promise<void> {
  const umask = process.umask(0);
  try {
    await body();
  } finally {
    process.umask(umask);
  }
}

describe('the permissions of what is created', { skip: process.platform === 'win32' }, () => {
  it('the file, its log and the index of the log are for their owner only, whatever the umask', () =>
    withoutUmask(() =>
      withFile(({ open, file, folder }) => {
        open().publish('g', 1);
        for (const name of [file, `${file}-wal`, `${file}-shm`]) assert.equal(modeOf(name), '0600', name);
        assert.deepEqual(readdirSync(folder.path).sort(), ['queue.db', 'queue.db-shm', 'queue.db-wal']);
      }),
    ));

  it('an asynchronous transport creates the same', () =>
    withoutUmask(() =>
      withFile(async ({ file }) => {
        const queue = new AsyncSqliteTransport({ path: file, durability: 'normal' });
        await queue.publish('g', 1);
        assert.deepEqual([modeOf(file), modeOf(`${file}-wal`)], ['0600', '0600']);
        await queue.close();
      }),
    ));

  it('fileMode gives other permissions, and the umask takes none of them away', () =>
    withFile(({ open, file }) => {
      open({ fileMode: 0o660 }).publish('g', 1);
      for (const name of [file, `${file}-wal`, `${file}-shm`]) assert.equal(modeOf(name), '0660', name);
    }));

  it('a file that exists keeps its permissions', () =>
    withFile(({ open, file }) => {
      closeSync(openSync(file, 'w'));
      chmodSync(file, 0o640);
      open().publish('g', 1);
      assert.deepEqual([modeOf(file), modeOf(`${file}-wal`)], ['0640', '0640']);
    }));

  it('a file that is created through a symbolic link gets the same permissions', () =>
    withoutUmask(() =>
      withFile(({ open, file, folder }) => {
        symlinkSync('real.db', file);
        open().publish('g', 1);
        assert.deepEqual([modeOf(folder.file('real.db')), modeOf(`${file}`)], ['0600', '0600']);
      }),
    ));

  it('a fileMode with which the owner could not open the file is refused', () =>
    withFile(({ open, folder }) => {
      for (const fileMode of [0o400, 0o060, 0o1600, -1, '600'] as number[])
        assert.throws(() => open({ fileMode }), { code: 'BAD_ARGUMENT', message: /fileMode/ });
      assert.deepEqual(readdirSync(folder.path), []);
    }));
});

describe('the option secureDelete', () => {
  for (const secureDelete of [true, false])
    it(`with secureDelete ${secureDelete} an acked event ${secureDelete ? 'is not' : 'is'} in the closed file`, () =>
      withFile(({ open, file }) => {
        const queue = open({ secureDelete });
        queue.publish('g', 'the secret of the queue');
        queue.ack(claim(queue));
        queue.close();
        assert.equal(readFileSync(file).includes('the secret of the queue'), !secureDelete);
      }));
});
