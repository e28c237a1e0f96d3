/** What openAdmin and its thread agree on, beyond the common protocol of threads. */
import type { Fairness } from '../sqlite/verbs/verb-context.ts';

export type AdminVerb = 'overview' | 'groups' | 'messages' | 'message' | 'operate';

/** The only event that the thread emits: the file changed. */
export const CHANGED = 'changed';

/** What the thread is started with. */
export interface AdminStart {
  readonly path: string;
  readonly tablePrefix: string | undefined;
  readonly operator: string;
  readonly fairness: Fairness;
}
