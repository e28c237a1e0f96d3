/** Program: writes until the log is checkpointed, closes nothing, and ends when nothing keeps it alive. */
import { SqliteTransport } from '../../sqlite-transport.ts';
import { programArguments } from './program-side.ts';
import { writeLog } from './write-log.ts';

const { path } = programArguments<{ path: string }>();
const queue = new SqliteTransport({ path, durability: 'normal' });
await writeLog(queue, 12);
