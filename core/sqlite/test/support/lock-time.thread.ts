/** The thread of an AsyncSqliteTransport that sleeps in the time of lock-time.ts. Its opening takes OPENING_MS of it. */
import { getEnvironmentData, workerData } from 'node:worker_threads';
import { type Clock, systemClock } from '../../../contract/clock.ts';
import { serve } from '../../../rpc/server.ts';
import { openTransportService } from '../../async/thread-service.ts';
import { ENVIRONMENT_KEY, LockTime, OPENING_MS } from './lock-time.ts';

const time = new LockTime(getEnvironmentData(ENVIRONMENT_KEY) as unknown as SharedArrayBuffer);
systemClock.monotonic = () => time.now;
Object.assign(Atomics, { wait: () => time.sleep() });

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
