/** What crosses between a thread and its near side: plain data, many calls and many answers a message. */
import type { ErrorData } from '../errors.ts';

export interface ThreadCall<Verb extends string = string> {
  readonly id: number;
  readonly verb: Verb;
  readonly args: readonly unknown[];
}

/** To the thread: calls in the order they were made, or a wish: tell of an event from now on; close. */
export type ToThread<Verb extends string = string> =
  | { readonly calls: readonly ThreadCall<Verb>[] }
  | { readonly listen: string }
  | { readonly close: true };

export type ThreadAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorData };

export interface ToldEvent {
  readonly name: string;
  readonly detail: unknown;
}

/** From the thread: why it cannot serve, or answers and what it tells of, in the order in which they came true. */
export type FromThread =
  | { readonly failed: ErrorData }
  | { readonly answers: readonly ThreadAnswer[]; readonly events: readonly ToldEvent[] };
