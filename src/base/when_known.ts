/** Values that are usually available at once, and sometimes promised. */

/**
 * Calls `next` with a value, in the same turn when it is available. Avoids suspended functions: a thousand executions that
 * start together would each keep several until their commit.
 */
export function whenKnown<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R,
): R | Promise<Awaited<R>> {
  return value instanceof Promise ? value.then(next) as Promise<Awaited<R>> : next(value);
}
