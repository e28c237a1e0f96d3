/**
 * Decides when the worker takes a turn; loop.ts says what a turn does.
 *
 * | state         | meaning                                             | what ends it                                          |
 * | ------------- | --------------------------------------------------- | ----------------------------------------------------- |
 * | resting       | nothing to do until something requests a turn       | request() -> scheduled; runNow() -> turning           |
 * | scheduled     | a turn was requested                                | the event loop's check phase, or runNow() -> turning  |
 * | turning       | a turn runs, or waits for an asynchronous transport | its end -> scheduled if work is left, else resting    |
 * | turning-again | the same, and another turn was requested            | its end -> scheduled                                  |
 * | ended         | no further turn                                     | nothing                                               |
 *
 * A turn starts in the check phase, so that whatever finished in one round of the event loop shares a commit. No request is
 * lost while a turn waits for the transport: one more turn follows.
 */
import type { Awaitable } from '../contract/transport.ts';
import { whenDone } from '../contract/when-done.ts';

type State = 'resting' | 'scheduled' | 'turning' | 'turning-again' | 'ended';

export class TurnScheduler {
  readonly #turn: () => Awaitable<boolean>;
  readonly #afterTurn: () => void;
  #state: State = 'resting';
  #immediate: NodeJS.Immediate | undefined;

  /** `turn` returns whether work is left, and never raises. `afterTurn` is called when a turn is over. */
  constructor(turn: () => Awaitable<boolean>, afterTurn: () => void) {
    this.#turn = turn;
    this.#afterTurn = afterTurn;
  }

  get isResting(): boolean {
    return this.#state === 'resting';
  }

  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  request(): void {
    if (this.#state === 'turning') this.#state = 'turning-again';
    else if (this.#state === 'resting') {
      this.#state = 'scheduled';
      this.#immediate = setImmediate(this.#run);
    }
  }

  /** Takes a turn at once; from within a turn it only requests another one. */
  runNow(): void {
    clearImmediate(this.#immediate);
    if (this.#state === 'scheduled' || this.#state === 'resting') this.#run();
    else this.request();
  }

  end(): void {
    this.#state = 'ended';
    clearImmediate(this.#immediate);
  }

  readonly #run = (): void => {
    this.#state = 'turning';
    void whenDone(this.#turn, this.#over);
  };

  readonly #over = (workIsLeft: boolean): void => {
    if (this.#state === 'ended') return;
    const again = workIsLeft || this.#state === 'turning-again';
    this.#state = 'resting';
    if (again) this.request();
    this.#afterTurn();
  };
}
