import type { MessageKey, MessageRow } from '../../../core/contract/admin.ts';

/** What names a message or dead letter on the page. */
export type OpenMessage = Pick<MessageRow, 'seq' | 'deadId'>;

export const openOf = ({ seq, deadId }: OpenMessage): OpenMessage => ({ seq, deadId });

/** The key for the admin. */
export const keyOf = ({ seq, deadId }: OpenMessage): MessageKey => (deadId === null ? seq : { deadId });

/** The key as text, for comparing and for React. */
export const textOf = ({ seq, deadId }: OpenMessage): string =>
  deadId === null ? String(seq) : `dead-${deadId}`;
