/** The far side's half of the protocol: runs calls and gathers what became of them. */
import { toErrorData } from '../contract/errors.ts';
import type { Answers, ThreadCall } from './protocol.ts';

/** Runs each call; an error is its call's own. `inspect` sees each error before it becomes plain data. */
export function answerEach<Verb extends string>(
  calls: readonly ThreadCall<Verb>[],
  run: (verb: Verb, args: unknown[]) => unknown,
  inspect: (error: unknown) => unknown = (error) => error,
): Answers {
  const values: unknown[] = [];
  const errors: [number, ReturnType<typeof toErrorData>][] = [];
  for (const [verb, ...args] of calls) {
    try {
      values.push(run(verb, args));
    } catch (error) {
      errors.push([values.length, toErrorData(inspect(error))]);
      values.push(undefined);
    }
  }
  return { values, errors };
}

/** Every one of the calls failed for the same reason. */
export function answerAll(calls: readonly ThreadCall[], reason: unknown): Answers {
  const error = toErrorData(reason);
  return { values: calls.map(() => undefined), errors: calls.map((_, place) => [place, error] as const) };
}
