/**
 * Waits while there is nothing to claim, until the earliest lock ends or another connection writes. Changes made through the
 * worker's own transport come as transport events.
 *
 * A timer does not see the computer's sleep, nor a step of the wall clock, by which locks end. The poll compares the clocks
 * as well, so an overdue lock waits for one interval at most.
 */
import type { Awaitable } from '../../contract/transport.ts';
import { whenDone } from '../../contract/when-done.ts';
import type { Shared } from '../executions/shared.ts';
import type { AckAndClaim } from './ack-and-claim.ts';
import { IdleTimer } from './idle-timer.ts';
import { subscribe } from './transport-events.ts';
import { WritePoll } from './write-poll.ts';

interface RestHandlers {
  /** Something may be claimable. */
  onWake(): void;
  /** Compare the clocks. */
  onTick(): void;
  /** The transport failed while the worker rested. */
  onError(error: unknown): void;
  onClosed(error: Error | null): void;
}

export class Rest<E> {
  readonly #shared: Shared<E>;
  readonly #claiming: AckAndClaim<E>;
  readonly #timer: IdleTimer;
  readonly #poll: WritePoll;
  readonly #unsubscribe: () => void;

  constructor(shared: Shared<E>, claiming: AckAndClaim<E>, handlers: RestHandlers) {
    const { transport, workerId, config, held } = shared;
    const { onWake, onTick, onError, onClosed } = handlers;
    this.#shared = shared;
    this.#claiming = claiming;
    const timer = new IdleTimer(config.clock, onWake);
    this.#timer = timer;
    this.#poll = new WritePoll(transport, config.clock, config.pollMs, {
      onTick() {
        timer.wakeIfOverdue();
        onTick();
      },
      onWrite: onWake,
      onError,
    });
    this.#unsubscribe = subscribe(transport, workerId, {
      isOwn: (groupId, seq) => held.ofGroup(groupId)?.lease.seq === seq,
      onClaimable() {
        if (!claiming.claimable) onWake();
      },
      onLocked: (until) => timer.report(until),
      onClosed,
    });
  }

  /** Call before the first claim: whatever another process writes from then on is noticed. */
  prepare(): Awaitable<void> {
    return this.#poll.noteVersion();
  }

  /** While nothing is claimed but handlers run, only the clocks are watched: leases end by the wall clock too. */
  begin(): Awaitable<void> {
    if (this.#claiming.canClaim) return this.#waitForClaimable();
    this.#timer.stop();
    if (this.#shared.held.isEmpty) this.#poll.stop();
    else this.#poll.start(false);
  }

  end(): void {
    this.#timer.stop();
    this.#poll.stop();
    this.#unsubscribe();
  }

  #waitForClaimable(): Awaitable<void> {
    this.#timer.expectAnswer();
    return whenDone(
      () => this.#shared.transport.nextExpiry(this.#claiming.options),
      (expiry) => {
        // Paused or stopped while the answer was on its way.
        if (!this.#claiming.canClaim) return;
        this.#timer.sleepUntil(expiry);
        this.#poll.start();
      },
    );
  }
}
