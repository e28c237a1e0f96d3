/** The thread of an AsyncSqliteTransport that sleeps in the time of lock-time.ts. Its opening takes OPENING_MS of it. */
import { workerData } from 'node:worker_threads';
import { type Clock, systemClock } from '../../../contract/clock.ts';
import { serve } from '../../../rpc/server.ts';
import { openTransportService } from '../../async/thread-service.ts';
import { LockTime, OPENING_MS } from './lock-time.ts';

const time = LockTime.takeOver();

let hasOpened = false;
const clock: Clock = {
  ...systemClock,
  monotonic() {
    if (!hasOpened) time.pass(OPENING_MS);
    hasOpened = true;
    return time.now;
  },
};
serve((emit, fail) => openTransportService(workerData, clock, emit, fail));
