/** Program: damages a queue file in a numbered way, and calls everything on it. */
import { systemClock } from '../../../contract/clock.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { cutShort, flippedBit, makeWholeFile } from './damage.ts';
import { DamagedCalls, openSync } from './damaged-calls.ts';
import { openAsync } from './subjects.ts';
import { TempFolder } from './temp-folder.ts';
import { eachItem, type Items } from './watched.ts';

export interface DamageArguments extends Items {
  readonly kind: 'flip' | 'cut';
  /** One file in so many is also opened by the asynchronous transport and by an admin, which cost a thread each. */
  readonly threadsEvery: number;
  /** False: the calls of the transport and of the admin take turns, to save time. */
  readonly everything: boolean;
}

const whole = makeWholeFile();

await eachItem<DamageArguments>(async (item, { kind, threadsEvery, everything }) => {
  using folder = new TempFolder();
  const damage = kind === 'flip' ? flippedBit(whole, item) : cutShort(whole, item);
  const calls = new DamagedCalls();
  const fresh = (name: string) => {
    const path = folder.file(name);
    damage.write(path);
    return path;
  };
  if (everything || item % 2 === 0) await calls.adminHere(fresh('admin.db'));
  if (everything || item % 2 === 1) await calls.transport('the transport', openSync(fresh('queue.db')));
  if (item % threadsEvery === 0) {
    const path = fresh('async.db');
    const clock = new FakeClock(systemClock.now());
    await calls.transport('the async transport', () => openAsync({ path, durability: 'normal' }, clock));
    await calls.adminThread(fresh('thread.db'));
  }
  return calls.faults.map((fault) => `${kind} ${item}, ${damage.text}: ${fault}`);
});
