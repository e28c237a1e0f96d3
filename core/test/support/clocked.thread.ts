/** The thread of an AsyncSqliteTransport whose wall clock is a file: see file-clock.ts. */
import { getEnvironmentData, workerData } from 'node:worker_threads';
import { serve } from '../../rpc/server.ts';
import { openTransportService } from '../../sqlite/async/thread-service.ts';
import { fileClock } from './file-clock.ts';

const clock = fileClock(String(getEnvironmentData('clock-file')));
serve((emit, fail) => openTransportService(workerData, clock, emit, fail));
