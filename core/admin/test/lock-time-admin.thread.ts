/** The admin's thread that sleeps in the time of lock-time.ts. */
import { LockTime } from '../../sqlite/test/support/lock-time.ts';

LockTime.takeOver();
await import('../admin.thread.ts');
