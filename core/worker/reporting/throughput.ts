/** How much was done lately: counts in steps of five seconds over five minutes. */
import type { Counts, WorkerSnapshot } from '../contract/worker-types.ts';

const STEP_MS = 5000;
const STEPS = 60;
const MINUTE_STEPS = 60_000 / STEP_MS;

export type Counted = keyof Counts;
type Mutable = { -readonly [K in keyof Counts]: Counts[K] };

const none = (): Mutable => ({ completed: 0, failed: 0, parked: 0, buried: 0, leaseLost: 0 });

export class Throughput {
  readonly totals: Mutable = none();
  /** By step number modulo STEPS; what is older than STEPS is somebody else's slot by then. */
  readonly #ring: { step: number; counts: Mutable }[] = [];

  count(what: Counted, now: number, by = 1): void {
    this.totals[what] += by;
    const step = Math.floor(now / STEP_MS);
    let slot = this.#ring[step % STEPS];
    if (slot?.step !== step) {
      slot = { step, counts: none() };
      this.#ring[step % STEPS] = slot;
    }
    slot.counts[what] += by;
  }

  report(now: number): Pick<WorkerSnapshot, 'totals' | 'lastMinute' | 'history'> {
    const last = Math.floor(now / STEP_MS);
    const lastMinute = none();
    const steps: (Counts & { at: number })[] = [];
    for (let step = last - STEPS + 1; step <= last; step++) {
      const slot = this.#ring[step % STEPS];
      const counts = slot?.step === step ? slot.counts : none();
      steps.push({ at: step * STEP_MS, ...counts });
      if (step > last - MINUTE_STEPS)
        for (const name of Object.keys(counts) as Counted[]) lastMinute[name] += counts[name];
    }
    return { totals: { ...this.totals }, lastMinute, history: { stepMs: STEP_MS, steps } };
  }
}
