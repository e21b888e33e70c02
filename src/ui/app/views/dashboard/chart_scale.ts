/** Scales of charts. */

/** The smallest of 2, 4, 10, 20, 40, 100, … that is not below a value: its half is a whole number, too. */
export function axisMaximum(value: number): number {
  for (let power = 1;; power *= 10) {
    const found = [2, 4, 10].find((step) => step * power >= value);
    if (found !== undefined) return found * power;
  }
}

/** Indexes of at most `count` of `length` entries, evenly spaced. */
export function tickIndexes(length: number, count: number): number[] {
  const step = Math.max(1, Math.ceil(length / count));
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step);
}

/** As {@link axisMaximum}, for values that need not be whole: below 2 it is a fraction. */
export function fractionMaximum(value: number): number {
  if (value >= 2 || value <= 0) return axisMaximum(value);
  const power = 10 ** Math.ceil(-Math.log10(value));
  return axisMaximum(value * power) / power;
}
