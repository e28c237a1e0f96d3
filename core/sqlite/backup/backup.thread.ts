/** The entry file of the thread that writes one copy. */
import { parentPort, workerData } from 'node:worker_threads';
import { asLeaseholdError } from '../../contract/errors.ts';
import { type ErrorData, toErrorData } from '../../rpc/error-data.ts';
import { type BackupOrder, carryOut } from './carry-out.ts';

/** Null: the copy is written. */
let failure: ErrorData | null = null;
try {
  carryOut(workerData as BackupOrder);
} catch (error) {
  failure = toErrorData(asLeaseholdError(error));
}
parentPort?.postMessage(failure);
