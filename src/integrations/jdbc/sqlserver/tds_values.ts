/** Values of columns as the texts that cells have. MS-TDS, 2.2.5.5. */
import type { Cell } from "../cells.ts";
import { ByteReader, unsignedOf, utf16Text } from "./packet_bytes.ts";
import { type TdsType, type ValueForm, variantType } from "./tds_types.ts";

const NULL_SHORT = 0xffff;
const NULL_PARTS = 0xffff_ffff_ffff_ffffn;
const DAY_MS = 86_400_000;
/** Ticks of a second of `datetime`. */
const TICKS = 300;

/** Largest values. The time that a number takes grows with the square of its bytes, whose count comes from the server. */
const MAX_BYTES: ReadonlyMap<ValueForm, number> = new Map([
  ["integer", 8],
  ["decimal", 17],
  ["money", 8],
  ["time", 5],
  ["datetime2", 8],
  ["date", 3],
  ["offset", 10],
]);

/** Reads the next value of a row. */
export function readValue(reader: ByteReader, type: TdsType): Cell {
  if (type.form === "variant") return readVariant(reader);
  const bytes = readBytes(reader, type);
  return bytes && textOf(bytes, type);
}

/** The bytes of a value; `null` for NULL. */
function readBytes(reader: ByteReader, { form, length, bytes }: TdsType): Uint8Array | null {
  switch (length) {
    case "fixed":
      return form === "null" ? null : reader.take(bytes);
    case "byte": {
      const count = reader.u8();
      return count === 0 ? null : reader.take(count);
    }
    case "short": {
      const count = reader.u16();
      return count === NULL_SHORT ? null : reader.take(count);
    }
    case "pointer": {
      const pointer = reader.u8();
      if (pointer === 0) return null;
      reader.take(pointer + 8); // The pointer and a time stamp.
      return reader.take(reader.u32());
    }
    default:
      return readParts(reader);
  }
}

function readParts(reader: ByteReader): Uint8Array | null {
  if (reader.u64() === NULL_PARTS) return null;
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let count = reader.u32(); count > 0; count = reader.u32()) {
    parts.push(reader.take(count));
    size += count;
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function readVariant(reader: ByteReader): Cell {
  const size = reader.u32();
  if (size === 0) return null;
  const token = reader.u8(), propertyBytes = reader.u8();
  const type = variantType(token, new ByteReader(reader.take(propertyBytes)));
  return textOf(reader.take(size - 2 - propertyBytes), type);
}

function textOf(bytes: Uint8Array, { form, scale, encoding }: TdsType): string {
  const max = MAX_BYTES.get(form) ?? Infinity;
  if (bytes.length > max) {
    throw new Error(`Cannot read a value: it has ${bytes.length} bytes, the type ${form} at most ${max}`);
  }
  switch (form) {
    case "integer":
      // `tinyint` has no sign.
      return String(bytes.length === 1 ? bytes[0] : signedOf(bytes));
    case "bit":
      return String(bytes[0] !== 0);
    case "float":
      return floatText(bytes);
    case "decimal":
      return `${bytes[0] === 0 ? "-" : ""}${scaledText(unsignedOf(bytes.subarray(1)), scale)}`;
    case "money":
      return moneyText(bytes);
    case "guid":
      return guidText(bytes);
    case "text":
      return new TextDecoder(encoding).decode(bytes);
    case "utf16":
      return utf16Text(bytes);
    case "bytes":
      return `\\x${bytes.toHex()}`;
    default:
      return timeText(bytes, form, scale);
  }
}

function timeText(bytes: Uint8Array, form: TdsType["form"], scale: number): string {
  if (form === "datetime") return datetimeText(bytes);
  if (form === "date") return dayText(bytes);
  if (form === "time") return clockText(unsignedOf(bytes), scale);
  if (form === "datetime2") {
    return `${dayText(bytes.subarray(-3))} ${clockText(unsignedOf(bytes.subarray(0, -3)), scale)}`;
  }
  return offsetText(bytes, scale);
}

function signedOf(bytes: Uint8Array): bigint {
  return BigInt.asIntN(bytes.length * 8, unsignedOf(bytes));
}

/** The shortest text that gives the same number. */
function floatText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length === 8) return String(view.getFloat64(0, true));
  const value = view.getFloat32(0, true);
  for (let digits = 6; digits < 9; digits++) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) return text;
  }
  return String(Number(value.toPrecision(9)));
}

function scaledText(value: bigint, scale: number): string {
  if (scale === 0) return String(value);
  const digits = String(value).padStart(scale + 1, "0");
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Ten thousandths; of eight bytes the higher half comes first. */
function moneyText(bytes: Uint8Array): string {
  const ordered = bytes.length === 8
    ? new Uint8Array([...bytes.subarray(4), ...bytes.subarray(0, 4)])
    : bytes;
  const value = signedOf(ordered);
  return value < 0n ? `-${scaledText(-value, 4)}` : scaledText(value, 4);
}

function guidText(bytes: Uint8Array): string {
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  const hex = new Uint8Array(order.map((index) => bytes[index] ?? 0)).toHex().toUpperCase();
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Days since 1900 and ticks or minutes of the day. */
function datetimeText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isSmall = bytes.length === 4;
  const days = isSmall ? view.getUint16(0, true) : view.getInt32(0, true);
  const ms = isSmall ? view.getUint16(2, true) * 60_000 : Math.round(view.getUint32(4, true) * 1000 / TICKS);
  const text = new Date(Date.UTC(1900, 0, 1) + days * DAY_MS + ms).toISOString();
  return text.replace("T", " ").slice(0, isSmall ? 19 : 23);
}

/** Days since the year 1. */
function dayText(bytes: Uint8Array): string {
  return dateOf(Number(unsignedOf(bytes))).toISOString().slice(0, 10);
}

function dateOf(days: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(1, 0, 1);
  return new Date(date.getTime() + days * DAY_MS);
}

function clockText(value: bigint, scale: number): string {
  const unit = 10n ** BigInt(scale);
  const seconds = Number(value / unit);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const text = parts.map((part) => String(part).padStart(2, "0")).join(":");
  return scale === 0 ? text : `${text}.${String(value % unit).padStart(scale, "0")}`;
}

/** The time is that of UTC; the offset is in minutes. */
function offsetText(bytes: Uint8Array, scale: number): string {
  const unit = 10n ** BigInt(scale), dayUnits = 86_400n * unit;
  const minutes = Number(signedOf(bytes.subarray(-2)));
  const days = unsignedOf(bytes.subarray(-5, -2));
  const local = days * dayUnits + unsignedOf(bytes.subarray(0, -5)) + BigInt(minutes * 60) * unit;
  const day = dateOf(Number(local / dayUnits)).toISOString().slice(0, 10);
  const [sign, size] = minutes < 0 ? ["-", -minutes] : ["+", minutes];
  const zone = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return `${day} ${clockText(local % dayUnits, scale)}${sign}${zone}`;
}
