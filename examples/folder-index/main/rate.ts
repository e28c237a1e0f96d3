/** Events per second, averaged over the last few seconds. */
const WINDOW_MS = 3_000;

export class Rate {
  readonly #now: () => number;
  #samples: { at: number; count: number }[] = [];
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(): void {
    this.#count++;
  }

  /** Takes a sample of the count and compares it with the oldest sample of the last few seconds. */
  perSecond(): number {
    const at = this.#now();
    this.#samples.push({ at, count: this.#count });
    this.#samples = this.#samples.filter((sample) => at - sample.at <= WINDOW_MS);
    const [oldest] = this.#samples;
    if (!oldest || oldest.at === at) return 0;
    return ((this.#count - oldest.count) / (at - oldest.at)) * 1000;
  }
}
