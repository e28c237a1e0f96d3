/**
 * Runs numbered items in a child process under a watchdog: an item that hangs, or that ends the process, is a fault, and
 * another child goes on with the next one.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { superviseChild } from './supervised-child.ts';

export interface Items {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export interface WatchedItems extends Items {
  /** What the program gets besides. */
  readonly args?: object;
  readonly hangMs?: number;
  /** The run ends after this many faults. Default 1. */
  readonly maxFaults?: number;
  readonly onItem?: ((item: number) => void) | undefined;
}

interface FromChild {
  readonly item: number;
  readonly faults: readonly string[];
}

const HANG_MS = 60_000;

/** Runs a program of this folder that calls `eachItem`, and returns the faults. */
export async function watched(
  program: string,
  { from, to, args = {}, hangMs = HANG_MS, maxFaults = 1, onItem }: WatchedItems,
): Promise<string[]> {
  const file = fileURLToPath(new URL(`${program}.ts`, import.meta.url));
  const faults: string[] = [];
  for (let next = from; next < to && faults.length < maxFaults; next++) {
    const ended = await superviseChild<FromChild>(
      file,
      { ...args, from: next, to },
      {
        quietMs: () => hangMs,
        onMessage({ item, faults: found }) {
          next = item + 1;
          faults.push(...found);
          onItem?.(item);
          return faults.length < maxFaults;
        },
      },
    );
    if (next < to && faults.length < maxFaults) faults.push(`item ${next} ${ended}`);
  }
  return faults;
}

/** The same with a child for each core. The items do not depend on one another. */
export async function watchedOnAllCores(program: string, items: WatchedItems): Promise<string[]> {
  const { from, to } = items;
  const part = Math.ceil((to - from) / availableParallelism());
  const parts = Array.from({ length: availableParallelism() }, (_, n) => from + n * part);
  const found = await Promise.all(
    parts.map((start) => watched(program, { ...items, from: start, to: Math.min(start + part, to) })),
  );
  return found.flat();
}

/** In the child: runs each item and reports its faults. */
export async function eachItem<T extends Items>(
  run: (item: number, args: T) => Promise<readonly string[]> | readonly string[],
): Promise<void> {
  const args = JSON.parse(process.argv[2] ?? '{}') as T;
  for (let item = args.from; item < args.to; item++) {
    const faults = await run(item, args);
    await new Promise<void>((sent) => {
      process.send?.({ item, faults } satisfies FromChild, () => sent());
    });
  }
  process.disconnect();
}
