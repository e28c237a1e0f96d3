/** What openAdmin and its thread agree on, beyond the common protocol of threads. */
import type { Fairness } from '../sqlite/verbs/verb-context.ts';

/** 'watch' with true or false: tell of changes from now on, or no more. */
export type AdminVerb = 'overview' | 'groups' | 'messages' | 'message' | 'operate' | 'watch';

/** The one event the thread tells: the file changed. */
export const CHANGED = 'changed';

/** What the thread is started with. */
export interface AdminStart {
  readonly path: string;
  readonly tablePrefix: string | undefined;
  readonly operator: string;
  readonly fairness: Fairness;
}
