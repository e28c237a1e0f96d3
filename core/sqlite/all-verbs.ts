/** All the verbs of one queue, each with its statements prepared. They run inside a transaction that the caller opens. */

import { makeAck } from './verbs/ack.ts';
import { makeBury } from './verbs/bury.ts';
import { makeClaim } from './verbs/claim.ts';
import { makeDeadLetters } from './verbs/dead-letters.ts';
import { makeExtend } from './verbs/extend.ts';
import { makeFollowClock } from './verbs/follow-clock.ts';
import { makeHolders } from './verbs/lease-holders.ts';
import { makeNack } from './verbs/nack.ts';
import { makeNextExpiry } from './verbs/next-expiry.ts';
import { makePublish } from './verbs/publish.ts';
import type { Queue } from './verbs/verb-context.ts';

export type Verbs = ReturnType<typeof makeVerbs>;

export function makeVerbs(queue: Queue) {
  const bury = makeBury(queue);
  return {
    publish: makePublish(queue),
    claim: makeClaim(queue, bury.unheld),
    ack: makeAck(queue),
    nack: makeNack(queue),
    extend: makeExtend(queue),
    bury,
    deadLetters: makeDeadLetters(queue),
    holders: makeHolders(queue),
    nextExpiry: makeNextExpiry(queue),
    followClock: makeFollowClock(queue),
  };
}
