import type { EventSchema } from '../../contract/transport.ts';

/** A Standard Schema, written without a library: events are numbers. */
export const NUMBERS: EventSchema<unknown> = {
  '~standard': {
    version: 1,
    vendor: 'leasehold-testing',
    validate: (value) =>
      typeof value === 'number' ? { value } : { issues: [{ message: 'must be a number', path: [] }] },
  },
};
