import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withAdmin } from './admin-fixture.ts';

/** Searched text, and the events (by seq, from 1) that contain it. */
const EVENTS = [
  'Äpfel',
  'ÄPFEL und Birnen',
  'A\u0308pfel',
  'apfel',
  'ФАЙЛ',
  'файл.txt',
  'GROSS',
  'Groß',
  'a*b?[é]',
];
const SEARCHES: readonly (readonly [string, readonly number[]])[] = [
  ['äpfel', [1, 2, 3]],
  ['A\u0308PFEL', [1, 2, 3]],
  ['APFEL', [4]],
  ['Файл', [5, 6]],
  ['ß', [8]],
  ['*B?[É]', [9]],
  ['É*', []],
  ['gro', [7, 8]],
];

test('a search ignores the case of every letter, and whether accents are composed', () =>
  withAdmin(async ({ queue, admin }) => {
    queue.publishMany(EVENTS.map((event) => ({ groupId: event, event })));
    for (const [search, seqs] of SEARCHES) {
      const { rows, total } = await admin.messages({ search });
      assert.deepEqual([rows.map(({ seq }) => seq), total], [seqs, seqs.length], search);
      assert.equal((await admin.groups({ search })).total, seqs.length, search);
    }
  }));
