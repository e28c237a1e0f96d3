/** What openAdmin and its thread or process agree on, beyond the protocol of all hosts. */
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

/** What the thread or process gets for its start: plain JSON. */
export interface AdminThreadOptions {
  readonly path: string;
  readonly tablePrefix: string | undefined;
  readonly operator: string;
  readonly fairness: Fairness;
  readonly secureDelete: boolean;
}
