/** The entry file of AsyncSqliteTransport's thread. */
import { workerData } from 'node:worker_threads';
import { systemClock } from '../../contract/clock.ts';
import { serve } from '../../rpc/server.ts';
import { openTransportService } from './thread-service.ts';

serve((emit, fail) => openTransportService(workerData, systemClock, emit, fail));
