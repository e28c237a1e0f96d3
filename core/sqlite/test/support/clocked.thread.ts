/** The thread of an AsyncSqliteTransport whose clock the test sets: see subjects.ts. */
import { getEnvironmentData, workerData } from 'node:worker_threads';
import { serve } from '../../../rpc/server.ts';
import { sharedClock } from '../../../testing/shared-clock.ts';
import { openTransportService } from '../../async/thread-service.ts';

const memory = getEnvironmentData('clock') as unknown as SharedArrayBuffer;
serve((emit, fail) => openTransportService(workerData, sharedClock(memory), emit, fail));
