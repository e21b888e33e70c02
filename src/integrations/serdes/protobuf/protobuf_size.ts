/** Counts what a message of Protocol Buffers holds before it is decoded: two bytes may be a message that takes 200 bytes of memory. */
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";

/** Some 300 ms, and 100 MB. */
const MAX_FIELDS = 400_000;
/** Fields of the types of all messages: each message takes some time for each of them, also for those that it does not have. */
const MAX_TYPE_FIELDS = 4_000_000;
/** Its bytes are a message, whose type they name. */
const ANY = "google.protobuf.Any";
const { DOUBLE, FLOAT, FIXED64, FIXED32, SFIXED64, SFIXED32, STRING, BYTES } = ScalarType;
/** Bytes of the numbers that always have the same. */
const FIXED_BYTES: ReadonlyMap<ScalarType | undefined, number> = new Map([
  ...[DOUBLE, FIXED64, SFIXED64].map((type) => [type, 8] as const),
  ...[FLOAT, FIXED32, SFIXED32].map((type) => [type, 4] as const),
]);

type Declared = Pick<DescField, "message" | "scalar" | "fieldKind">;

/** The fields of a type of messages, by number. */
interface Fields {
  readonly byNumber: ReadonlyMap<number, Declared>;
  readonly isAny: boolean;
}

/** A message: its fields, and where its bytes are. */
interface Part {
  readonly fields: Fields;
  readonly start: number;
  readonly end: number;
}

/**
 * `anyFields`: fields of the widest type that a message of any type may have.
 * @throws Error the message with all within it has too many fields and elements of lists, or is malformed
 */
export function checkFieldCount(type: DescMessage, bytes: Uint8Array, anyFields = 0): void {
  const known = new Map<unknown, Fields>(), cursor = new Cursor(bytes);
  const open: Part[] = [{ fields: fieldsOf(type, known), start: 0, end: bytes.length }];
  let count = 0, typeFields = 0;
  for (let part = open.pop(); part; part = open.pop()) {
    const { byNumber, isAny } = part.fields;
    typeFields += isAny ? anyFields : byNumber.size;
    if (typeFields > MAX_TYPE_FIELDS) {
      throw new Error(
        `it has messages whose types have more than ${MAX_TYPE_FIELDS} fields together: divide it into several messages`,
      );
    }
    let groups = 0;
    for (cursor.at = part.start; cursor.at < part.end;) {
      const tag = cursor.varint(), wireType = tag & 7;
      const field = groups === 0 ? byNumber.get(tag >>> 3) : undefined;
      if (wireType === WireType.StartGroup) groups++;
      else if (wireType === WireType.EndGroup) groups--;
      else if (wireType !== WireType.LengthDelimited) cursor.skip(wireType);
      else {
        const length = cursor.varint(), start = cursor.at, end = cursor.at = start + length;
        if (end > part.end) throw new Error("it ends too early");
        if (field?.message) open.push({ fields: innerOf(field, known), start, end });
        else if (isAny || groups > 0) count += length / 2;
        else if (field?.fieldKind === "list") count += elementsOf(bytes.subarray(start, end), field.scalar);
      }
      if (++count <= MAX_FIELDS) continue;
      throw new Error(`it has more than ${MAX_FIELDS} fields and elements: divide it into several messages`);
    }
  }
}

/** A place in the bytes; the reader of the package takes microseconds for each message. */
class Cursor {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The lower 32 bits of a number of up to ten bytes. */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.at++] ?? 0;
      if (shift < 35) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new Error("it has a number of more than ten bytes");
  }

  skip(wireType: number): void {
    if (wireType === WireType.Varint) this.varint();
    else if (wireType === WireType.Bit64) this.at += 8;
    else if (wireType === WireType.Bit32) this.at += 4;
    else throw new Error(`it has a field of the unknown kind ${wireType}`);
  }
}

/** The fields of a message within; entries of a map are messages, whose second field is the value. */
function innerOf(field: Declared, known: Map<unknown, Fields>): Fields {
  const { message, fieldKind } = field;
  if (fieldKind !== "map" && message) return fieldsOf(message, known);
  const value: Declared = { message, fieldKind: "message", scalar: undefined };
  const fields = known.get(field) ?? { byNumber: new Map([[2, value]]), isAny: false };
  known.set(field, fields);
  return fields;
}

function fieldsOf(type: DescMessage, known: Map<unknown, Fields>): Fields {
  const fields = known.get(type) ??
    { byNumber: new Map(type.fields.map((field) => [field.number, field])), isAny: type.typeName === ANY };
  known.set(type, fields);
  return fields;
}

/** Numbers that are packed; texts and bytes never are. */
function elementsOf(block: Uint8Array, type: ScalarType | undefined): number {
  if (type === STRING || type === BYTES) return 0;
  const size = FIXED_BYTES.get(type);
  if (size !== undefined) return block.length / size;
  let count = 0;
  for (const byte of block) if (byte < 0x80) count++;
  return count;
}
