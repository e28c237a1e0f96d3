/** Program: listens to the changes of other transports, publishes, closes nothing, and ends when nothing keeps it alive. */
import { SqliteTransport } from '../../sqlite-transport.ts';
import { programArguments } from './program-side.ts';

const { path } = programArguments<{ path: string }>();
const queue = new SqliteTransport({ path, durability: 'normal' });
queue.on('changed', () => {});
queue.publish('g', 1);
