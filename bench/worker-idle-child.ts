/** Measures its own process, with a worker of the given pollMs or with `nothing`. Prints one line of JSON. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../core/contract/clock.ts';
import { SqliteTransport } from '../core/sqlite/sqlite-transport.ts';
import { runWorker } from '../core/worker/index.ts';

const [what = 'nothing', forMs = '60000'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'leasehold-idle-'));
let timers = 0;
const clock: Clock = {
  ...systemClock,
  after: (ms, run) =>
    systemClock.after(ms, () => {
      timers++;
      run();
    }),
};
const transport = new SqliteTransport({ path: join(folder, 'queue.db') });
transport.publish('g', 1);
const worker = what === 'nothing' ? null : runWorker(transport, () => {}, { pollMs: Number(what), clock });
await worker?.idle();

function switches(): number | null {
  try {
    const [, count] =
      /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return Number(count);
  } catch {
    return null;
  }
}

// Compilation and garbage collection after the start are not the worker's share.
await new Promise((resolve) => setTimeout(resolve, 2000));
timers = 0;
const before = { switches: switches(), cpu: process.cpuUsage() };
await new Promise((resolve) => setTimeout(resolve, Number(forMs)));
const cpu = process.cpuUsage(before.cpu);
const after = switches();
console.log(
  JSON.stringify({
    switches: after === null || before.switches === null ? null : after - before.switches,
    cpuMs: (cpu.user + cpu.system) / 1000,
    timers,
  }),
);
await worker?.stop();
transport.close();
rmSync(folder, { recursive: true });
