/** release: frees what dead workers held. releaseNow: frees what a worker of this engine holds, before an ordinary end. */
import type { GroupPage, ReleasedPage } from '../../contract/transport.ts';
import { FENCE, type FencedMessage, fenceValues, nextFence } from './fence.ts';
import type { LockedPage } from './locked-messages.ts';
import { makeMarks } from './marks.ts';
import { prepare, type VerbContext } from './verb-context.ts';

export interface ReleaseVerbs {
  /** The attempts that were counted stay counted, and each message has one more crash. */
  release(workerIds: readonly string[], page: GroupPage): ReleasedPage;
  /** Uncounts the attempts. Returns how many messages it freed. */
  releaseNow(workerId: string): number;
}

export function makeRelease(
  context: VerbContext,
  {
    lockedMessages,
    nack,
  }: {
    lockedMessages: (page: GroupPage) => LockedPage;
    nack: (message: FencedMessage, delayMs: number, options: { countAttempt: boolean }) => boolean;
  },
): ReleaseVerbs {
  const free = prepare(
    context,
    `UPDATE ${context.names.messages} SET locked_by = NULL, lock_expiry = NULL, started = 0, crashes = crashes + 1, fence = ?
WHERE ${FENCE}`,
  );
  const { unmark } = makeMarks(context);
  const groupOf = prepare(context, `SELECT group_id FROM ${context.names.messages} WHERE seq = ?`).pluck();
  return {
    release(workerIds, page) {
      const dead = new Set(workerIds);
      const { messages, next } = lockedMessages(page);
      let released = 0;
      for (const message of messages) {
        if (!dead.has(message.lockedBy)) continue;
        if (free.run(nextFence(message.fence), ...fenceValues(message)).changes === 0) continue;
        const { seq, groupId } = message;
        unmark(seq);
        context.afterCommit(() => context.issuedLocks.forget(message));
        context.emitAfterCommit('nacked', { seq, groupId });
        released++;
      }
      return { released, next };
    },
    releaseNow(workerId) {
      const held = [...context.issuedLocks].filter(({ lockedBy }) => lockedBy === workerId);
      return held.filter((lock) => {
        const groupId = groupOf.get(lock.seq);
        return typeof groupId === 'string' && nack({ ...lock, groupId }, 0, { countAttempt: false });
      }).length;
    },
  };
}
