/** What openAdmin and its thread agree on, beyond the protocol of all threads. */
import type { QueueAdminCalls } from '../contract/admin.ts';
import type { Fairness } from '../sqlite/verbs/verb-context.ts';

export type AdminMethod = keyof QueueAdminCalls;

/** The methods as the thread runs them, with arguments that openAdmin has checked. */
export type AdminMethods = {
  readonly [Name in AdminMethod]: (
    argument: NonNullable<Parameters<QueueAdminCalls[Name]>[0]>,
  ) => ReturnType<QueueAdminCalls[Name]> | Awaited<ReturnType<QueueAdminCalls[Name]>>;
};

/** The only event that the thread emits: the file changed. */
export const CHANGED = 'changed';

/** The thread's workerData. */
export interface AdminThreadOptions {
  readonly path: string;
  readonly tablePrefix: string | undefined;
  readonly operator: string;
  readonly fairness: Fairness;
  readonly untrusted: boolean;
  readonly secureDelete: boolean;
}
