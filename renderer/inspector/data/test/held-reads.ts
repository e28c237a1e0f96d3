/** A read that the test answers. */
export interface HeldRead<Args extends readonly unknown[], Value> {
  readonly args: Args;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

/** Collects calls until the test answers them. `next()` resolves with the next call, as soon as it is made. */
export function heldReads<Args extends readonly unknown[], Value>() {
  const calls: HeldRead<Args, Value>[] = [];
  const takers: ((call: HeldRead<Args, Value>) => void)[] = [];
  let inFlight = 0;
  let maxInFlight = 0;

  const read = (...args: Args): Promise<Value> => {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    inFlight++;
    maxInFlight = Math.max(maxInFlight, inFlight);
    const call = { args, resolve, reject };
    const taker = takers.shift();
    if (taker) taker(call);
    else calls.push(call);
    return promise.finally(() => {
      inFlight--;
    });
  };

  const next = (): Promise<HeldRead<Args, Value>> => {
    const call = calls.shift();
    return call ? Promise.resolve(call) : new Promise((resolve) => takers.push(resolve));
  };

  return {
    read,
    next,
    /** Calls that next() has not returned yet. */
    pending: () => calls.length,
    maxInFlight: () => maxInFlight,
  };
}
