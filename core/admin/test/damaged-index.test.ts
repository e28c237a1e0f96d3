import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { withAdmin } from './admin-fixture.ts';

/** Changes a table without its index, as a lost page of the index would. */
function editBehindIndex(file: string, index: string, statement: string): void {
  const db = new Database(file);
  db.unsafeMode(true);
  db.pragma('writable_schema = ON');
  const [row] = db.prepare('SELECT rowid, * FROM sqlite_schema WHERE name = ?').all(index) as {
    rowid: number;
  }[];
  assert.ok(row);
  db.prepare('DELETE FROM sqlite_schema WHERE name = ?').run(index);
  db.pragma('writable_schema = RESET');
  db.exec(statement);
  db.pragma('writable_schema = ON');
  db.prepare(
    'INSERT INTO sqlite_schema (rowid, type, name, tbl_name, rootpage, sql) VALUES (:rowid, :type, :name, :tbl_name, :rootpage, :sql)',
  ).run(row);
  db.pragma('writable_schema = RESET');
  db.close();
}

test('over an index that disagrees with its table the admin answers CORRUPT, or what is right', () =>
  withAdmin(async ({ queue, admin, file }) => {
    for (let n = 0; n < 20; n++) queue.publish(`g${n % 5}`, n);
    editBehindIndex(
      file,
      'harel_transport_messages_by_group',
      'DELETE FROM harel_transport_messages WHERE seq IN (1, 7)',
    );
    const calls = [
      () => admin.overview(),
      ...(['groupId', 'depth', 'oldest', 'expiry'] as const).map((sort) => () => admin.groups({ sort })),
      ...(['ready', 'leased'] as const).map((state) => () => admin.groups({ state })),
      ...(['seq', 'groupId', 'attempts'] as const).map((sort) => () => admin.messages({ sort })),
      ...(['ready', 'waiting', 'leased'] as const).map((state) => () => admin.messages({ state })),
      () => admin.messages({ groupId: 'g0' }),
      ...[1, 2, 6, 7].map((seq) => () => admin.message(seq)),
    ];
    const codes = new Set<string>();
    for (const call of calls)
      await call().catch((error: { code: string; message: string }) => {
        assert.equal(error.code, 'CORRUPT', error.message);
        codes.add(error.code);
      });
    assert.ok(codes.has('CORRUPT'));
  }));
