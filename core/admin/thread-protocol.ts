/** What openAdmin and its thread agree on, beyond the common protocol of threads. */
export type AdminVerb = 'overview' | 'groups' | 'messages' | 'message' | 'operate';

/** The one event the thread tells: the file changed. */
export const CHANGED = 'changed';

/** What the thread is started with. */
export interface AdminStart {
  readonly path: string;
  readonly tablePrefix: string | undefined;
  readonly operator: string;
}
