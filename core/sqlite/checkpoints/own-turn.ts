/**
 * Runs work of the checkpoints in a turn of the event loop of its own: added to the turn of the commit that asked for it, it
 * would block the loop for the sum of both.
 */

/** A caller that commits so often without leaving its turn would keep the work waiting, and the log growing. */
const MOST_COMMITS = 100;

export class OwnTurn {
  readonly #run: () => void;
  #immediate: NodeJS.Immediate | undefined;
  #commits = 0;

  constructor(run: () => void) {
    this.#run = run;
  }

  schedule(): void {
    if (this.#immediate) return;
    this.#commits = 0;
    this.#immediate = setImmediate(() => this.#runNow());
  }

  /** Call it after each commit. */
  committed(): void {
    if (this.#immediate && ++this.#commits >= MOST_COMMITS) this.#runNow();
  }

  cancel(): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
  }

  #runNow(): void {
    this.cancel();
    this.#run();
  }
}
