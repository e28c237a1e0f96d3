/** Files of queues that somebody sent. */
import { DatabaseSync } from 'node:sqlite';
import { craftIndex, craftSchema } from '../../core/admin/test/crafted-tree.ts';
import type { RunningApp } from './running-app.ts';

const CRAFTS = {
  /** As the app wrote it. */
  none: () => undefined,
  /** The counts of the overview are never done. */
  index: (path: string) => craftIndex(path, 'harel_transport_messages_out_of_turn'),
  schema: craftSchema,
} as const satisfies Record<string, (path: string) => void>;

export type Craft = keyof typeof CRAFTS;

/** Copies the app's queue to `path`, where it is crafted. */
export function copyQueue({ data }: RunningApp, path: string, craft: Craft): void {
  const db = new DatabaseSync(`${data}/queue.db`, { timeout: 5_000 });
  try {
    db.prepare('VACUUM INTO ?').run(path);
  } finally {
    db.close();
  }
  CRAFTS[craft](path);
}
