/** What the parts of one worker share. */
import type { Transport } from '../../contract/transport.ts';
import type { Configuration } from '../contract/worker-options.ts';
import type { Reporter } from '../reporting/reporter.ts';
import type { CallersTransaction } from './callers-transaction.ts';
import type { Executions } from './executions.ts';
import type { HeldView } from './held-messages.ts';

export interface Shared<E> {
  readonly transport: Transport<E>;
  readonly workerId: string;
  readonly config: Configuration;
  readonly reporter: Reporter;
  readonly callersTransaction: CallersTransaction;
  /** What the worker holds. `executions` changes it. */
  readonly held: HeldView<E>;
  readonly executions: Executions<E>;
}
