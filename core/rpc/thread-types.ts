/** The types of a thread's methods, as both sides see them. */

/** What a method gets besides its argument. */
export interface ThreadCallContext {
  /** Fires when the caller's signal fires, with the same reason (an UNEXPECTED error for a reason that is not an Error). */
  readonly signal: AbortSignal;
}

/**
 * A method takes one argument and the context of the call, and returns a value or a promise. Argument and value are plain
 * data that a structured clone copies. A type of methods is usually `typeof methods` of the thread's file.
 */
// biome-ignore lint/suspicious/noExplicitAny: methods of every type; the caller's types come from the table itself
export type ThreadMethod = (argument: any, context: ThreadCallContext) => unknown;

export type ThreadMethods = Readonly<Record<string, ThreadMethod>>;

export interface ThreadCallOptions {
  /** Aborts the call: see ThreadCallContext. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What follows the method's name in a call: the argument (which may be left out where the method takes none) and options.
 */
export type ThreadCallArguments<Method extends ThreadMethod> =
  Parameters<Method> extends []
    ? [argument?: undefined, options?: ThreadCallOptions]
    : undefined extends Parameters<Method>[0]
      ? [argument?: Parameters<Method>[0], options?: ThreadCallOptions]
      : [argument: Parameters<Method>[0], options?: ThreadCallOptions];
