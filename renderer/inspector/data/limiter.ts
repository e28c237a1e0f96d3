/**
 * Runs a task at most once in `everyMs`, and never two at a time: the first poke runs it at once, and pokes meanwhile
 * become one more run at the end of the wait. The last poke is never lost.
 */
export class Limiter {
  readonly #task: () => Promise<void>;
  readonly #everyMs: number;
  #running = false;
  #poked = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(task: () => Promise<void>, everyMs: number) {
    this.#task = task;
    this.#everyMs = everyMs;
  }

  poke(): void {
    if (this.#running || this.#timer !== null) this.#poked = true;
    else void this.#run();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#poked = false;
  }

  async #run(): Promise<void> {
    this.#running = true;
    this.#poked = false;
    // The wait counts from the start of a run, so that a slow answer is not slowed down further.
    const free = new Promise<void>((resolve) => {
      this.#timer = setTimeout(() => {
        this.#timer = null;
        resolve();
      }, this.#everyMs);
    });
    try {
      await this.#task();
    } finally {
      this.#running = false;
      void free.then(() => {
        if (this.#poked) this.poke();
      });
    }
  }
}
