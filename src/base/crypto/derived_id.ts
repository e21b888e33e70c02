/** Ids computed from what they identify, so that they need not be stored. */
import { fromBase62, ID_LENGTH, idPrefix, idTime, toBase62 } from "../id.ts";

const PREFIX_LENGTH = idPrefix(0).length;

/** Ids of one millisecond: the counter of an id of an execution has 16 bits. */
const IDS_PER_MS = 0x10000;

/** The id number `index` of `seed`; ordered by time, then index. Its time is `ms`, a millisecond later for each 65,536 ids. */
export function derivedId(ms: number, index: number, seed: string): string {
  const text = `${seed}/${index}`;
  const half = (ID_LENGTH - PREFIX_LENGTH) >> 1;
  const low = toBase62(hash(text, 0x811c9dc5), half + 1).slice(-half - 1);
  const high = toBase62(hash(`${text}/`, 0x01000193) % 62 ** half, half);
  return idPrefix(ms + Math.floor(index / IDS_PER_MS), index % IDS_PER_MS) + high + low;
}

/** The index of a derived id; `undefined` when it was not derived from this time and seed. */
export function derivedIndex(id: string, ms: number, seed: string): number | undefined {
  if (id.length !== ID_LENGTH || idTime(id) < ms) return undefined;
  const counter = fromBase62(id.slice(PREFIX_LENGTH - 3, PREFIX_LENGTH));
  const index = (idTime(id) - ms) * IDS_PER_MS + counter;
  return derivedId(ms, index, seed) === id ? index : undefined;
}

/** FNV-1a with a final mix, 32 bits. */
function hash(text: string, start: number): number {
  let value = start;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) >>> 0;
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}
