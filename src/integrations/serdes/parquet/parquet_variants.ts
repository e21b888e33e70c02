/** Variants in Parquet: values that name the places of their members. https://parquet.apache.org/docs/file-format/types/variantencoding/ */
import { whole } from "./parquet_encodings.ts";

const [OBJECT, LIST] = [2, 3];

/** The number of values within the variants of a column. @throws Error there are more than `max`, or members share a place */
export function countVariants(column: ArrayLike<unknown>, max: number): number {
  let count = 0;
  for (let index = 0; index < column.length; index++) {
    const value = column[index];
    if (value instanceof Uint8Array) count += countValues(value, max - count);
    else if (Array.isArray(value)) count += countVariants(value, max - count);
  }
  return count;
}

/** A value has a byte of its own; one that several members share would be read for each. */
function countValues(bytes: Uint8Array, max: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const places = [0];
  let count = 0;
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    count++;
    for (const member of membersOf(view, place)) {
      whole(count + places.push(member), Math.min(max, bytes.length), "values of a variant");
    }
  }
  return count;
}

/** Places of the members of a value. */
function* membersOf(view: DataView, place: number): Generator<number> {
  const type = view.getUint8(place), kind = type & 3, head = type >> 2;
  if (kind !== OBJECT && kind !== LIST) return;
  const width = (head & 3) + 1;
  const isLarge = (head >> (kind === OBJECT ? 4 : 2) & 1) === 1;
  const count = isLarge ? view.getUint32(place + 1, true) : view.getUint8(place + 1);
  const idWidth = kind === OBJECT ? (head >> 2 & 3) + 1 : 0;
  const offsets = place + (isLarge ? 5 : 2) + count * idWidth;
  const members = offsets + (count + 1) * width;
  for (let index = 0; index < count; index++) {
    let offset = 0;
    for (let byte = width - 1; byte >= 0; byte--) {
      offset = offset * 256 + view.getUint8(offsets + index * width + byte);
    }
    yield members + offset;
  }
}
