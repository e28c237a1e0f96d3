/**
 * What crosses between a thread and its near side: plain data, many calls and many answers a message.
 *
 * Calls are answered in the order in which they were made, so neither they nor their answers carry a number: cloning a small
 * object for each call cost as much as the work of a small call.
 */
import type { ErrorData } from '../contract/errors.ts';

/** A verb and its arguments. */
export type ThreadCall<Verb extends string = string> = readonly [verb: Verb, ...args: unknown[]];

/** To the thread: calls in the order they were made, or a wish: tell of an event from now on; close. */
export type ToThread<Verb extends string = string> =
  | { readonly calls: readonly ThreadCall<Verb>[] }
  | { readonly listen: string }
  | { readonly close: true };

/** What became of consecutive calls: a value for each, and the errors of those that have none, by their place. */
export interface Answers {
  readonly values: readonly unknown[];
  readonly errors: readonly (readonly [place: number, error: ErrorData])[];
}

export interface ToldEvent {
  readonly name: string;
  readonly detail: unknown;
}

/** From the thread: why it cannot serve, or answers and what it tells of, in the order in which they came true. */
export type FromThread =
  | { readonly failed: ErrorData }
  | { readonly answers: Answers; readonly events: readonly ToldEvent[] };

export const NO_ANSWERS: Answers = { values: [], errors: [] };
