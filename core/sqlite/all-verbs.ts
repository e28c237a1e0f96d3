/** Every verb of one queue, with its statements prepared. A verb runs inside a transaction that its caller opens. */
import { makeAck } from './verbs/ack.ts';
import { makeBury } from './verbs/bury.ts';
import { makeClaim } from './verbs/claim.ts';
import { makeCountAttempt } from './verbs/count-attempt.ts';
import { makeDeadLetters } from './verbs/dead-letters.ts';
import { makeExtend } from './verbs/extend.ts';
import { makeLeaseHolders } from './verbs/lease-holders.ts';
import { makeLockedMessages } from './verbs/locked-messages.ts';
import { makeNack } from './verbs/nack.ts';
import { makeNextExpiry } from './verbs/next-expiry.ts';
import { makePublish } from './verbs/publish.ts';
import { makePurge } from './verbs/purge.ts';
import { makeRelease } from './verbs/release.ts';
import { makeRepublish } from './verbs/republish.ts';
import { makeShortenLocks } from './verbs/shorten-locks.ts';
import type { VerbContext } from './verbs/verb-context.ts';

export type Verbs = ReturnType<typeof makeVerbs>;

/** Verbs do not import one another; one that needs another gets it here. */
export function makeVerbs(context: VerbContext) {
  const publish = makePublish(context);
  const ack = makeAck(context);
  const nack = makeNack(context);
  const { bury, buryUnservable } = makeBury(context);
  const lockedMessages = makeLockedMessages(context);
  const deadLetters = makeDeadLetters(context);
  return {
    publish,
    claim: makeClaim(context, buryUnservable),
    ack,
    nack,
    extend: makeExtend(context),
    countAttempt: makeCountAttempt(context),
    bury,
    deadLetters,
    republish: makeRepublish(context, { publish, ack, takeDeadLetter: deadLetters.take }),
    leaseHolders: makeLeaseHolders(lockedMessages),
    ...makeRelease(context, { lockedMessages, nack }),
    nextExpiry: makeNextExpiry(context),
    shortenLocks: makeShortenLocks(context),
    purge: makePurge(context),
  };
}
