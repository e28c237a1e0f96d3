/** Random arguments for the public calls: right ones, wrong ones, and values that raise or lie when they are read. */
import { hostileValues } from '../../worker/test/support/hostile-values.ts';

const raise = (): never => {
  throw new Error('a getter that raises');
};

/** An object whose field answers with `first`, and then raises. */
function raisesAtSecondRead(name: string, first: unknown): object {
  let reads = 0;
  return {
    get [name]() {
      return reads++ === 0 ? first : raise();
    },
  };
}

function detachedBuffer(): Uint8Array {
  const bytes = new Uint8Array(8);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

function* forever(): Generator<string> {
  for (;;) yield 'x';
}

const PLAIN: readonly unknown[] = [
  Number.NaN,
  Infinity,
  -Infinity,
  -1,
  -0,
  0,
  1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  1e300,
  5e-324,
  10n ** 30n,
  '',
  ' ',
  'nul\0',
  'lone \ud800',
  '__parked__',
  '__proto__',
  'constructor',
  "'; DROP TABLE harel_transport_messages; --",
  null,
  undefined,
  true,
  false,
  Symbol('s'),
  Symbol.iterator,
];

/** Each is made anew: a call may change what it gets. */
const MADE: readonly (() => unknown)[] = [
  ...Object.values(hostileValues),
  () => 'x'.repeat(1_000_000),
  () => '\u0000'.repeat(1_000_000),
  () => new Array(2 ** 32 - 1),
  () => Object.assign(['x'], { [Symbol.iterator]: raise }),
  () => Object.assign(['x'], { [Symbol.iterator]: forever }),
  () => new Proxy(['x'], { get: (list, name) => (name === 'length' ? 2 ** 53 : Reflect.get(list, name)) }),
  () => Object.freeze([]),
  () => ['x', 5, null],
  () => ({}),
  () => ({ [Symbol('s')]: 1 }),
  () => ({ [`k${'x'.repeat(1_000_000)}`]: 1 }),
  () => new Map([['priority', 1]]),
  () => new Date(Number.NaN),
  () => new Number(1),
  () => new String('text'),
  () => detachedBuffer(),
  () => new ArrayBuffer(8, { maxByteLength: 16 }),
  () => new WeakMap(),
  () =>
    Object.create({
      get priority() {
        return raise();
      },
      get minPriority() {
        return raise();
      },
    }),
  () => class {},
  () => async () => undefined,
  () => new Proxy([], { ownKeys: raise, getOwnPropertyDescriptor: raise, has: raise, getPrototypeOf: raise }),
];

export type Make = () => unknown;

export class HostileArguments {
  readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T;
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  value(): unknown {
    return this.chance(0.4) ? this.pick(PLAIN) : this.pick(MADE)();
  }

  /** A right argument, or in one of three cases a hostile one. */
  or(make: Make): unknown {
    return this.chance(0.33) ? this.value() : make();
  }

  /**
   * An object with some of these fields, each right or hostile. Now and then a field raises, or does so at its second read,
   * or has no name that is known; or it is no such object at all.
   */
  object(fields: Readonly<Record<string, Make>>, share = 0.5): unknown {
    if (this.chance(0.15)) return this.value();
    const object: Record<string, unknown> = this.chance(0.1) ? Object.create(null) : {};
    for (const [name, make] of Object.entries(fields))
      if (this.chance(share)) object[name] = this.chance(0.2) ? this.value() : make();
    if (this.chance(0.05)) object.unknown = this.value();
    const name = this.pick(Object.keys(fields));
    if (this.chance(0.05)) Object.defineProperty(object, name, { get: raise, enumerable: true });
    if (this.chance(0.05))
      return Object.create(
        raisesAtSecondRead(name, fields[name]?.()),
        Object.getOwnPropertyDescriptors(object),
      );
    return this.chance(0.05) ? new Proxy(object, {}) : object;
  }

  list(makeItem: Make, longest = 4): unknown {
    if (this.chance(0.15)) return this.value();
    return Array.from({ length: Math.floor(this.random() * longest) }, () => this.or(makeItem));
  }
}
