/** A transport that writes a history of its calls: each before it is made, and its answer before the caller gets it. */
import { LeaseLost } from '../../contract/errors.ts';
import type { ClaimManyOptions, Lease, Transport } from '../../contract/transport.ts';
import type { Asked, Claimed, Entry, Writer } from './history.ts';

// biome-ignore lint/suspicious/noExplicitAny: the recorder passes the arguments of every verb on
type Arguments = any[];
type Question = Asked extends infer Each ? (Each extends Asked ? Omit<Each, 'ask'> : never) : never;

/** Two deliveries of one message never have the same number. */
export const leaseKey = ({ seq, delivery }: Lease): string => `${seq}.${delivery}`;

const claim = (visibilityMs: number, acks: readonly Lease[] = []) => ({
  claim: { visibilityMs },
  acks: acks.map(leaseKey),
});

const published = (groupId: string, event: unknown) => ({ group: groupId, token: String(event) });

/** What each verb asks. The others are passed on without a line. */
const QUESTIONS: Readonly<Record<string, (...args: Arguments) => Question>> = {
  publish: (groupId, event) => ({ publish: [published(groupId, event)] }),
  publishMany: (messages) => ({
    publish: messages.map((each: { groupId: string; event: unknown }) => published(each.groupId, each.event)),
  }),
  claim: (_worker, visibilityMs) => claim(visibilityMs),
  claimMany: (_worker, visibilityMs) => claim(visibilityMs),
  ack: (lease) => ({ settle: 'ack', lease: leaseKey(lease), counted: true, parked: false }),
  nack: (lease, delayMs = 0, options) => ({
    settle: 'nack',
    lease: leaseKey(lease),
    counted: options?.countAttempt !== false,
    parked: delayMs > 0,
  }),
  bury: (lease) => ({ settle: 'bury', lease: leaseKey(lease), counted: true, parked: false }),
  extend: (lease, visibilityMs) => ({ extend: leaseKey(lease), visibilityMs }),
  ackAndClaim: (lease, visibilityMs) => claim(visibilityMs, [lease]),
  ackAndClaimMany: (leases, _worker, visibilityMs) => claim(visibilityMs, leases),
  countAttempt: (lease, counted) => ({ count: leaseKey(lease), counted }),
  release: (workers) => ({ release: workers, ordinary: false }),
  releaseNow: (worker) => ({ release: [worker], ordinary: true }),
};

/** Which of the claimed leases were counted by the claim: those up to `startNow`, none after a crash, and no last attempt. */
function claimedOf(
  leases: readonly Lease<string>[],
  { startNow, maxAttempts = Number.POSITIVE_INFINITY }: ClaimManyOptions = {},
): Claimed[] {
  return leases.map((lease, n) => ({
    lease: leaseKey(lease),
    seq: lease.seq,
    group: lease.groupId,
    token: lease.event,
    worker: lease.workerId,
    attempt: lease.attempt,
    counted: (startNow === undefined || (n < startNow && lease.crashes === 0)) && lease.attempt < maxAttempts,
    fence: lease.fence,
    crashes: lease.crashes,
  }));
}

function answerOf(verb: string, args: Arguments, result: unknown): object {
  const options = (args.at(-1) ?? {}) as ClaimManyOptions;
  if (verb === 'publish') return { seqs: [result] };
  if (verb === 'publishMany') return { seqs: result };
  if (verb === 'claim' || verb === 'ackAndClaim')
    return { claimed: claimedOf(result ? [result as Lease<string>] : []) };
  if (verb === 'claimMany') return { claimed: claimedOf(result as Lease<string>[], options) };
  if (verb === 'ackAndClaimMany') {
    const { claimed, lost } = result as { claimed: Lease<string>[]; lost: Lease<string>[] };
    return { claimed: claimedOf(claimed, options), lost: lost.map(leaseKey) };
  }
  if (verb === 'extend') return { fence: (result as Lease).fence };
  return {};
}

function answerOfError(verb: string, args: Arguments, error: unknown): object {
  if (error instanceof LeaseLost && verb !== 'ackAndClaimMany') return { lost: [leaseKey(args[0])] };
  return { error: (error as { code?: string }).code ?? String(error) };
}

export function recorded<T extends Transport<string>>(transport: T, history: Writer): T {
  const call = (verb: string, args: Arguments, method: (...args: Arguments) => unknown): unknown => {
    const question = QUESTIONS[verb]?.(...args);
    if (!question) return method.apply(transport, args);
    const ask = history.nextAsk();
    const answer = (found: object) => history.write({ answer: ask, ...found } as Entry);
    const succeed = <R>(result: R): R => {
      answer(answerOf(verb, args, result));
      return result;
    };
    const fail = (error: unknown): never => {
      answer(answerOfError(verb, args, error));
      throw error;
    };
    history.write({ ask, ...question } as Asked);
    let result: unknown;
    try {
      result = method.apply(transport, args);
    } catch (error) {
      return fail(error);
    }
    return result instanceof Promise ? result.then(succeed, fail) : succeed(result);
  };
  return new Proxy(transport, {
    get(_target, name) {
      const method = Reflect.get(transport, name);
      if (typeof method !== 'function') return method;
      return (...args: Arguments) => call(String(name), args, method as (...args: Arguments) => unknown);
    },
  });
}
