/** Counts what became of messages: in total, and in steps of five seconds over the last five minutes. */
import type { Counts, WorkerSnapshot } from '../contract/worker-types.ts';

const STEP_MS = 5000;
const STEPS = 60;
const MINUTE_STEPS = 60_000 / STEP_MS;

type CountName = keyof Counts;
type MutableCounts = { -readonly [Name in CountName]: Counts[Name] };

const none = (): MutableCounts => ({ completed: 0, failed: 0, parked: 0, buried: 0, leaseLost: 0 });

export class Throughput {
  readonly #totals = none();
  /** A ring, by step number modulo STEPS. An older step's slot is overwritten. */
  readonly #ring: { step: number; counts: MutableCounts }[] = [];

  count(name: CountName, now: number): void {
    this.#totals[name]++;
    const step = Math.floor(now / STEP_MS);
    let slot = this.#ring[step % STEPS];
    if (slot?.step !== step) {
      slot = { step, counts: none() };
      this.#ring[step % STEPS] = slot;
    }
    slot.counts[name]++;
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
        for (const name of Object.keys(counts) as CountName[]) lastMinute[name] += counts[name];
    }
    return { totals: { ...this.#totals }, lastMinute, history: { stepMs: STEP_MS, steps } };
  }
}
