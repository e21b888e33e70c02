/** Chance of cryptographic quality. */

/** A random number in [0, 1): expressions create nonces and ids from it. */
export function secureRandom(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}
