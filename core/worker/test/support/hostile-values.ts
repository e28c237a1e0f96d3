/** What a handler may return, throw or do to what it was given: values that raise, mislead or never end when they are read. */
import { Bury, type Handler, Park } from '../../index.ts';
import type { Event } from './controlled-handler.ts';

const raise = (): never => {
  throw new Error('a trap');
};

/** A Proxy that raises at everything that can be done to it, `instanceof` included. */
function trapped(target: object): object {
  const traps = [...Object.getOwnPropertyNames(Reflect)].map((trap) => [trap, raise] as const);
  return new Proxy(target, Object.fromEntries(traps));
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Answers every property with itself, as mock libraries do: it looks like a promise that never settles. */
function answersEverything(): object {
  const proxy: object = new Proxy(() => proxy, { get: () => proxy });
  return proxy;
}

function errorWith(getters: readonly string[]): Error {
  const error = new Error('an error');
  for (const name of getters) Object.defineProperty(error, name, { get: raise });
  return error;
}

function cycleOfCauses(): Error {
  const outer = new Error('outer');
  outer.cause = new Error('inner', { cause: outer });
  return outer;
}

function changed<T extends object>(value: T, fields: object): T {
  return Object.assign(value, fields);
}

/** A promise of the language with a property that lies or raises. */
function promiseWith(name: string, property: PropertyDescriptor): Promise<unknown> {
  return Object.defineProperty(Promise.resolve('value'), name, property);
}

const asThenable = (
  subscribe: (resolve: (value?: unknown) => void, reject: (error: unknown) => void) => unknown,
) => ({
  // biome-ignore lint/suspicious/noThenProperty: that is what is tested
  then: subscribe,
});

export const hostileValues: Readonly<Record<string, () => unknown>> = {
  'a Proxy that raises at every trap': () => trapped({}),
  'an Error behind a Proxy that raises at every trap': () => trapped(new Error('x')),
  'a function behind a Proxy that raises at every trap': () => trapped(() => 1),
  'a revoked Proxy': revoked,
  'a Proxy that answers every property with itself': answersEverything,
  'an object whose then raises': () => Object.defineProperty({}, 'then', { get: raise }),
  'a then that calls back twice': () => asThenable((resolve) => [resolve(1), resolve(2)]),
  'a then that calls both back': () => asThenable((resolve, reject) => [reject(new Error('x')), resolve()]),
  'a then that never calls back': () => asThenable(() => undefined),
  'a then that raises at once': () => asThenable(raise),
  'a then that raises after it has called back': () => asThenable((resolve) => [resolve(), raise()]),
  'a then that resolves to a revoked Proxy': () => asThenable((resolve) => resolve(revoked())),
  'a then that rejects with a revoked Proxy': () => asThenable((_resolve, reject) => reject(revoked())),
  'a promise whose constructor raises': () => promiseWith('constructor', { get: raise }),
  'a promise whose then raises': () => promiseWith('then', { value: raise }),
  'a promise whose then does nothing': () => promiseWith('then', { value: () => undefined }),
  'a promise whose species raises': () =>
    promiseWith('constructor', { value: Object.defineProperty({}, Symbol.species, { get: raise }) }),
  'an Error whose fields raise': () => errorWith(['name', 'message', 'stack', 'cause']),
  'an Error whose cause raises': () => errorWith(['cause']),
  'an Error whose toString raises': () => changed(new Error('x'), { toString: raise, toJSON: raise }),
  'an Error whose fields are symbols': () =>
    changed(new Error('x'), { name: Symbol('n'), message: Symbol('m') }),
  'a circle of causes': cycleOfCauses,
  'a frozen Error': () => Object.freeze(new Error('x')),
  'an Error with a message of ten megabytes': () => new Error('x'.repeat(10_000_000)),
  'an Error without a prototype': () => Object.setPrototypeOf(new Error('x'), null),
  'an object without a prototype': () => Object.create(null),
  'an object that raises when it becomes text': () => ({ [Symbol.toPrimitive]: raise, toString: raise }),
  'an object whose tag raises': () => Object.defineProperty({}, Symbol.toStringTag, { get: raise }),
  'a symbol': () => Symbol('s'),
  'a BigInt': () => 10n ** 1000n,
  undefined: () => undefined,
  null: () => null,
  'a Park whose time is NaN': () => changed(new Park({ delayMs: 1 }), { delayMs: Number.NaN }),
  'a Park whose time is text': () => changed(new Park({ until: 1 }), { until: 'tomorrow' }),
  'a Park whose time raises': () =>
    Object.defineProperty(new Park({ delayMs: 1 }), 'delayMs', { get: raise }),
  'a Park whose reason is an object': () => changed(new Park({ delayMs: 1 }), { reason: trapped({}) }),
  'a Park for longer than a Date can say': () => changed(new Park({ until: 1 }), { until: 1e300 }),
  'a Bury whose fields raise': () => Object.defineProperty(new Bury('x'), 'message', { get: raise }),
  'an Error that was read as a Park by its name': () => changed(new Error('x'), { name: 'Park', delayMs: 1 }),
};

/** How a handler hands a value over. */
export const handovers: Readonly<Record<string, (value: unknown) => unknown>> = {
  returns: (value) => value,
  throws: (value) => {
    throw value;
  },
  'resolves to': async (value) => value,
  'rejects with': (value) => Promise.reject(value),
  'later resolves to': async (value) => {
    await null;
    return value;
  },
  'later rejects with': async (value) => {
    await null;
    throw value;
  },
};

/** What a handler does to what it was given, before it fails. */
export const misdeeds: Readonly<Record<string, Handler<Event>>> = {
  'writes on its message': (message) => {
    Object.assign(message, {
      seq: -1,
      groupId: 'other',
      event: null,
      attempt: 99,
      workerId: 'w',
      expiresAt: 0,
    });
    Object.assign(message, { delivery: 77, lastError: {} });
  },
  'freezes its message and its event': (message) => {
    Object.freeze(message);
    Object.freeze(message.event);
  },
  'deletes the fields of its message': (message) => {
    for (const field of Object.keys(message)) Reflect.deleteProperty(message, field);
  },
  'writes on its context': (_message, context) => {
    for (const field of ['signal', 'attempt', 'lastAttempt', 'progress', 'extend'])
      Reflect.set(context, field, null);
  },
  'overrides its signal': (_message, { signal }) => {
    Object.defineProperties(signal, {
      dispatchEvent: { value: raise },
      aborted: { get: raise },
      reason: { get: raise },
    });
    return new Promise(() => {});
  },
  'reports impossible progress': (_message, { progress }) => {
    const report = progress as (fraction: unknown, note?: unknown) => void;
    for (const fraction of [Number.NaN, Infinity, -1, '1', 1n, null, trapped({})])
      report(fraction, fraction === 1n ? 'x' : undefined);
    report(0.5, 'x'.repeat(1_000_000));
    report(0.5, revoked());
  },
  'extends for impossible times': async (_message, { extend }) => {
    const times = [Number.NaN, -1, 0, Infinity, 1e300, '1', null, {}, trapped({})] as number[];
    for (const forMs of times) await extend(forMs).catch(() => undefined);
    await Promise.all([extend(60_000), extend(70_000), extend(80_000)]);
  },
};
