/** Text that compression does not shorten, the same each time. */
export function randomText(length: number): string {
  let text = "";
  let seed = length;
  while (text.length < length) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    text += (seed >>> 4).toString(36);
  }
  return text.slice(0, length);
}
