import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { namesFor } from '../../sqlite/file/names.ts';
import { listGroups } from '../queries/list-groups.ts';
import { listMessages } from '../queries/list-messages.ts';
import { readOverview } from '../queries/overview.ts';
import type { Snapshot, Steps } from '../queries/snapshot.ts';
import { publishEachState, withAdmin } from './admin-fixture.ts';

const QUERIES: Record<string, (snapshot: Snapshot) => Steps<unknown>> = {
  overview: readOverview,
  groups: (snapshot) => listGroups(snapshot, { sort: 'depth' }),
  'groups of a state': (snapshot) => listGroups(snapshot, { state: 'ready' }),
  messages: (snapshot) => listMessages(snapshot, {}),
  'messages of a state': (snapshot) => listMessages(snapshot, { state: 'ready', search: 'é' }),
};

test('a query in steps lets the log be restarted between them, and changes in between do not break it', () =>
  withAdmin(async ({ file, queue, edit }) => {
    publishEachState({ queue, edit });
    for (const [what, query] of Object.entries(QUERIES)) {
      const db = new Database(file, { readonly: true });
      const writer = new Database(file);
      const steps = query({ db, names: namesFor(), now: Date.now() / 1000 });
      let step = steps.next();
      for (let count = 1; !step.done; count++) {
        writer.exec(
          `DELETE FROM harel_transport_messages WHERE seq = (SELECT MIN(seq) FROM harel_transport_messages)`,
        );
        queue.publish(`${what} ${count}`, 1);
        const [{ busy }] = writer.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
        assert.equal(busy, 0, what);
        step = steps.next();
      }
      writer.close();
      db.close();
    }
  }));
