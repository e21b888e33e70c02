/** Types of columns: how their values are encoded. MS-TDS, 2.2.5.4 and 2.2.5.5. */
import type { CellKind } from "../cells.ts";
import type { ByteReader } from "./packet_bytes.ts";

/** How the length of a value is given. */
type LengthForm = "fixed" | "byte" | "short" | "plp" | "pointer" | "variant";

/** The type of a column, or of a value within `sql_variant`. */
export interface TdsType {
  /** What the bytes are. */
  readonly form: ValueForm;
  readonly length: LengthForm;
  /** Of the form `fixed`. */
  readonly bytes: number;
  readonly scale: number;
  /** Encoding of texts that are not UTF-16. */
  readonly encoding: string;
}

/** What the bytes of a value are. */
export type ValueForm =
  | "null"
  | "integer"
  | "bit"
  | "float"
  | "decimal"
  | "money"
  | "datetime"
  | "date"
  | "time"
  | "datetime2"
  | "offset"
  | "guid"
  | "text"
  | "utf16"
  | "bytes"
  | "variant";

const FIXED: ReadonlyMap<number, readonly [ValueForm, number]> = new Map([
  [0x1f, ["null", 0]],
  [0x30, ["integer", 1]],
  [0x32, ["bit", 1]],
  [0x34, ["integer", 2]],
  [0x38, ["integer", 4]],
  [0x3a, ["datetime", 4]],
  [0x3b, ["float", 4]],
  [0x3c, ["money", 8]],
  [0x3d, ["datetime", 8]],
  [0x3e, ["float", 8]],
  [0x7a, ["money", 4]],
  [0x7f, ["integer", 8]],
]);
/** One byte with the largest length follows. */
const SIZED: ReadonlyMap<number, ValueForm> = new Map([
  [0x24, "guid"],
  [0x26, "integer"],
  [0x68, "bit"],
  [0x6d, "float"],
  [0x6e, "money"],
  [0x6f, "datetime"],
]);
/** One byte with the digits of seconds follows. */
const SCALED: ReadonlyMap<number, ValueForm> = new Map([
  [0x29, "time"],
  [0x2a, "datetime2"],
  [0x2b, "offset"],
]);
/** Two bytes with the largest length follow, and for texts a collation. */
const SHORT: ReadonlyMap<number, ValueForm> = new Map([
  [0xa5, "bytes"],
  [0xa7, "text"],
  [0xad, "bytes"],
  [0xaf, "text"],
  [0xe7, "utf16"],
  [0xef, "utf16"],
]);
/** Four bytes with the largest length follow, and the name of the table. */
const LARGE: ReadonlyMap<number, ValueForm> = new Map([
  [0x22, "bytes"],
  [0x23, "text"],
  [0x63, "utf16"],
]);
const [DATE, DECIMAL, NUMERIC, VARIANT, UDT, XML] = [0x28, 0x6a, 0x6c, 0x62, 0xf0, 0xf1];
/** A length of this value announces parts. */
const IN_PARTS = 0xffff;

const PLAIN: Pick<TdsType, "bytes" | "scale" | "encoding"> = { bytes: 0, scale: 0, encoding: "windows-1252" };

/** Reads the type of a column; `hasTable`: large types name their table. @throws Error it is not known */
export function readType(reader: ByteReader): TdsType {
  const token = reader.u8();
  const simple = simpleType(token, reader);
  if (simple) return simple;
  const short = SHORT.get(token), large = LARGE.get(token);
  if (short) {
    const length = reader.u16() === IN_PARTS ? "plp" : "short";
    return { ...PLAIN, form: short, length, ...isText(short) && { encoding: readCollation(reader) } };
  }
  if (large) {
    reader.u32();
    const encoding = isText(large) ? readCollation(reader) : "";
    for (let parts = reader.u8(); parts > 0; parts--) reader.text(reader.u16());
    return { ...PLAIN, form: large, length: "pointer", encoding };
  }
  if (token === XML) {
    if (reader.u8() === 1) {
      for (let names = 2; names > 0; names--) reader.text(reader.u8());
      reader.text(reader.u16());
    }
    return { ...PLAIN, form: "utf16", length: "plp" };
  }
  if (token === UDT) {
    reader.u16();
    for (let names = 3; names > 0; names--) reader.text(reader.u8());
    reader.text(reader.u16());
    return { ...PLAIN, form: "bytes", length: "plp" };
  }
  throw new Error(`Cannot read a column: its type ${token} is not known`);
}

/** Types whose description has at most three bytes. */
function simpleType(token: number, reader: ByteReader): TdsType | undefined {
  const [form, bytes = 0] = FIXED.get(token) ?? [];
  if (form) return { ...PLAIN, form, length: "fixed", bytes };
  const sized = SIZED.get(token), scaled = SCALED.get(token);
  if (sized) return { ...PLAIN, form: sized, length: "byte", bytes: reader.u8() };
  if (scaled) return { ...PLAIN, form: scaled, length: "byte", scale: reader.u8() };
  if (token === DATE) return { ...PLAIN, form: "date", length: "byte" };
  if (token === DECIMAL || token === NUMERIC) {
    reader.take(2); // Length and precision.
    return { ...PLAIN, form: "decimal", length: "byte", scale: reader.u8() };
  }
  if (token !== VARIANT) return undefined;
  reader.u32();
  return { ...PLAIN, form: "variant", length: "variant" };
}

/** The type of a value within `sql_variant`, whose properties differ from those of columns. */
export function variantType(token: number, properties: ByteReader): TdsType {
  const [form, bytes = 0] = FIXED.get(token) ?? [];
  if (form) return { ...PLAIN, form, length: "fixed", bytes };
  const scaled = SCALED.get(token), short = SHORT.get(token);
  if (token === DECIMAL || token === NUMERIC) {
    properties.u8(); // Precision.
    return { ...PLAIN, form: "decimal", length: "fixed", scale: properties.u8() };
  }
  if (scaled) return { ...PLAIN, form: scaled, length: "fixed", scale: properties.u8() };
  if (short && isText(short)) {
    return { ...PLAIN, form: short, length: "fixed", encoding: readCollation(properties) };
  }
  return { ...PLAIN, form: short ?? (token === DATE ? "date" : "guid"), length: "fixed" };
}

const KINDS: ReadonlyMap<ValueForm, CellKind> = new Map([
  ["integer", "integer"],
  ["bit", "boolean"],
  ["float", "float"],
  ["decimal", "decimal"],
  ["money", "decimal"],
  ["datetime", "timestamp"],
  ["datetime2", "timestamp"],
  ["date", "date"],
  ["offset", "instant"],
  ["bytes", "bytes"],
]);

/** How the texts of such values are read. */
export function kindOf({ form }: TdsType): CellKind {
  return KINDS.get(form) ?? "text";
}

function isText(form: ValueForm): boolean {
  return form === "text" || form === "utf16";
}

const UTF8_FLAG = 1 << 26;
/** Encodings by the language of a collation, its lowest 16 bits; else windows-1252. */
const ENCODINGS: readonly (readonly [encoding: string, languages: readonly number[]])[] = [
  ["shift_jis", [0x411]],
  ["gbk", [0x804, 0x1004]],
  ["big5", [0x404, 0xc04, 0x1404]],
  ["euc-kr", [0x412]],
  ["windows-874", [0x41e]],
  ["windows-1250", [0x405, 0x40e, 0x415, 0x418, 0x41a, 0x41b, 0x41c, 0x424, 0x81a, 0x104e]],
  ["windows-1251", [0x402, 0x419, 0x422, 0x423, 0x42f, 0x43f, 0x444, 0xc1a]],
  ["windows-1253", [0x408]],
  ["windows-1254", [0x41f, 0x42c]],
  ["windows-1255", [0x40d]],
  ["windows-1256", [0x401, 0x420, 0x429]],
  ["windows-1257", [0x425, 0x426, 0x427]],
  ["windows-1258", [0x42a]],
];

function readCollation(reader: ByteReader): string {
  const flags = reader.u32();
  reader.u8();
  if ((flags & UTF8_FLAG) !== 0) return "utf-8";
  return ENCODINGS.find(([, languages]) => languages.includes(flags & 0xffff))?.[0] ?? "windows-1252";
}
