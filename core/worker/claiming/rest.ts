/**
 * Waits while there is nothing to claim, until the earliest lock ends or another connection writes. Changes made through the
 * worker's own transport come as transport events.
 */
import type { Clock } from '../../contract/clock.ts';
import type { Awaitable, ClaimOptions, Transport } from '../../contract/transport.ts';
import { whenDone } from '../../contract/when-done.ts';
import { IdleTimer } from './idle-timer.ts';
import { WritePoll } from './write-poll.ts';

export class Rest {
  readonly #transport: Pick<Transport, 'nextExpiry' | 'dataVersion'>;
  readonly #timer: IdleTimer;
  readonly #poll: WritePoll;

  /**
   * `onWake`: something may be claimable. `onTick`: compare the clocks. `onError`: the transport failed while the worker rested.
   *
   * A timer does not see the computer's sleep, nor a step of the wall clock, by which locks end. The poll compares the clocks
   * as well, so an overdue lock waits for one interval at most.
   */
  constructor(
    transport: Pick<Transport, 'nextExpiry' | 'dataVersion'>,
    clock: Clock,
    pollMs: number,
    onWake: () => void,
    onTick: () => void,
    onError: (error: unknown) => void,
  ) {
    this.#transport = transport;
    this.#timer = new IdleTimer(clock, onWake);
    this.#poll = new WritePoll(transport, clock, pollMs, {
      onTick: () => {
        this.#timer.wakeIfOverdue();
        onTick();
      },
      onWrite: onWake,
      onError,
    });
  }

  /** Call before the first claim: whatever another process writes from then on is noticed. */
  prepare(): Awaitable<void> {
    return this.#poll.noteVersion();
  }

  /** `isWanted` is asked again when the transport has answered. */
  begin(options: ClaimOptions, isWanted: () => boolean): Awaitable<void> {
    this.#timer.expectAnswer();
    return whenDone(
      () => this.#transport.nextExpiry(options),
      (expiry) => {
        if (!isWanted()) return;
        this.#timer.sleepUntil(expiry);
        this.#poll.start();
      },
    );
  }

  /** Nothing is to be claimed, and handlers run: their leases end by the wall clock too. */
  watchClocks(): void {
    this.#timer.stop();
    this.#poll.start(false);
  }

  /** A group is locked until then, epoch ms. */
  reportLock(until: number): void {
    this.#timer.report(until);
  }

  end(): void {
    this.#timer.stop();
    this.#poll.stop();
  }
}
