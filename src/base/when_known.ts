/** Values that are mostly known at once, and sometimes come later. */

/**
 * Goes on with a value: in the same turn when it is there. Costs no suspended function, of which a thousand executions that
 * begin together would otherwise each keep several until their commit.
 */
export function whenKnown<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R,
): R | Promise<Awaited<R>> {
  return value instanceof Promise ? value.then(next) as Promise<Awaited<R>> : next(value);
}
