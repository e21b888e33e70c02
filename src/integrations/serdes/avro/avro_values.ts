/** Values as the types of an Avro schema, and back. https://avro.apache.org/docs/1.11.1/specification/ */
import { Buffer } from "node:buffer";
import type { Type } from "avsc";
import {
  Double,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  ownProperty,
  setOwnProperty,
  stringifyJson,
} from "../../../base/json.ts";
import { sizeOf } from "../../value_size.ts";

const DAY_MS = 86_400_000;
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ["date", DAY_MS],
  ["timestamp-millis", 1],
  [
    "timestamp-micros",
    0.001,
  ],
  ["local-timestamp-millis", 1],
  ["local-timestamp-micros", 0.001],
]);

/** Rows or items that may take no bytes, such as nulls: nothing but their count bounds them. */
export const MAX_EMPTY_ITEMS = 10_000;
/** Parts of a value: some for each byte, beside those that take none; and at most, since all are read in one turn. */
const MAX_PARTS_PER_BYTE = 16;
const MAX_PARTS = 1_000_000;
/** Digits after the point of a decimal; a row has them all, whatever its value. */
const MAX_SCALE = 1_000;
/** Of a decimal, and digits of one or of an integer, which that many bytes have: converting them takes quadratic time. */
const MAX_DECIMAL_BYTES = 512;
const MAX_DIGITS = 1_232;
/** Fields of a record whose writer the package makes. */
const MAX_WRITER_FIELDS = 1_000;
/** Values of a schema; the package makes types of its objects, and six functions of a record. */
const MAX_SCHEMA_VALUES = 120_000;
const [OBJECT_VALUES, RECORD_VALUES] = [4, 25];
/**
 * Values of a row that are compared with types, and more for each character of it. A value is compared with all branches of a union
 * until one fits, and so are the values within it each time.
 */
const MAX_STEPS = 1_000_000;
const STEPS_PER_CHAR = 4;
/** Of a branch that does not fit: it takes an error. */
const MISMATCH_STEPS = 10;

/** What `avsc` reads types from. */
interface Tap {
  readonly buf: Buffer;
  readonly pos: number;
  isValid(): boolean;
  readLong(): number;
  skipLong(): void;
  readString(): string;
  /** Parts of the value that are counted; a value has a tap of its own. */
  parts?: number;
}

interface Reader {
  _read(tap: Tap): unknown;
}

interface Writer {
  _write(tap: Tap, value: unknown): void;
}

/**
 * The package, and how it makes types: `avsc` has doubles for long integers; this one keeps large ones. It reads as many items
 * of a list or map as a block announces, and zeros after the end, so that some bytes stand for any number of items; here they end
 * with their bytes. Records that take few bytes are counted, too.
 */
export async function loadAvro() {
  const { default: avro } = await import("avsc");
  const { ArrayType, MapType, NullType, RecordType } = avro.types;
  replaceFunctions(RecordType.prototype as unknown as RecordFunctions);
  Object.assign(NullType.prototype, {
    _read(tap: Tap) {
      countParts(tap);
      return null;
    },
  });
  Object.assign(ArrayType.prototype, {
    _read(this: { readonly itemsType: Reader }, tap: Tap) {
      const items: unknown[] = [];
      readBlocks(tap, () => items.push(this.itemsType._read(tap)));
      return items;
    },
  });
  Object.assign(MapType.prototype, {
    _read(this: { readonly valuesType: Reader }, tap: Tap) {
      const entries: Record<string, unknown> = {};
      readBlocks(tap, () => {
        const key = tap.readString();
        entries[key] = this.valuesType._read(tap);
      });
      return entries;
    },
  });
  const long = avro.types.LongType.__with({
    fromBuffer: fromLong,
    toBuffer(value: number | bigint) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(value));
      return bytes;
    },
    fromJSON: BigInt,
    toJSON: Number,
    isValid: (value: unknown) => typeof value === "bigint" || Number.isSafeInteger(value),
    compare: (a: number, b: number) => a < b ? -1 : Number(a > b),
  });
  /** The type of a schema, whose defaults are checked or left out. @throws Error the schema is malformed, or too large */
  const typeOf = (schema: JsonValue, { hasDefaults = false } = {}): Type => {
    const options = { wrapUnions: "always", registry: { long }, noAnonymousTypes: false };
    const plain = plainSchema(schema, { hasDefaults, left: MAX_SCHEMA_VALUES });
    return avro.Type.forSchema(plain as never, options as never);
  };
  return { avro, typeOf };
}

interface SchemaOptions {
  /** By references, 30 defaults stand for 2^30 values. */
  readonly hasDefaults: boolean;
  /** Values that it may still have. */
  left: number;
}

/** The schema with plain numbers: a default may be a decimal. */
function plainSchema(schema: JsonValue, options: SchemaOptions): unknown {
  if (schema instanceof Double) return schema.value;
  if (!Array.isArray(schema) && !isJsonObject(schema)) return schema;
  options.left -= Array.isArray(schema) ? schema.length : "fields" in schema ? RECORD_VALUES : OBJECT_VALUES;
  if (options.left < 0) {
    throw new Error(
      `Invalid schema: it has more than ${MAX_SCHEMA_VALUES} values, as which a record counts ${RECORD_VALUES} times, another object ${OBJECT_VALUES} times`,
    );
  }
  if (Array.isArray(schema)) return schema.map((item) => plainSchema(item, options));
  const members = Object.entries(schema).filter(([name]) => options.hasDefaults || name !== "default");
  return Object.fromEntries(members.map(([name, value]) => [name, plainSchema(value, options)]));
}

/** A type of records: what makes its reader and its writer. */
interface RecordFunctions {
  readonly fields: readonly { readonly name: string; readonly type: Writer }[];
  _createReader(): (tap: Tap) => unknown;
  _createWriter(): (tap: Tap, value: Readonly<Record<string, unknown>>) => void;
}

const known = new WeakSet<RecordFunctions>();

/**
 * A record of records may take no bytes, or be behind the end: by references, 30 definitions stand for 2^30 values. The writer of a
 * type has a statement for each field in `avsc` 5.7: with 10,000 of them, V8 takes 3 GB to optimize it.
 */
function replaceFunctions(prototype: RecordFunctions): void {
  if (known.has(prototype)) return;
  known.add(prototype);
  const { _createReader: createReader, _createWriter: createWriter } = prototype;
  prototype._createWriter = function () {
    const { fields } = this;
    if (fields.length <= MAX_WRITER_FIELDS) return createWriter.call(this);
    return (tap, value) => fields.forEach(({ name, type }) => type._write(tap, value[name]));
  };
  prototype._createReader = function () {
    const { fields } = this, read = createReader.call(this);
    return (tap) => {
      if (!tap.isValid()) return undefined;
      countParts(tap, 1 + fields.length);
      return read(tap);
    };
  };
}

function countParts(tap: Tap, count = 1): void {
  const parts = (tap.parts ?? 0) + count;
  tap.parts = parts;
  // An item may be a null, too.
  const max = Math.min(MAX_PARTS, 2 * MAX_EMPTY_ITEMS + MAX_PARTS_PER_BYTE * tap.buf.length);
  if (parts > max) throw new Error(`A value has more than ${max} records, fields, items and nulls`);
}

/** Reads the items of all blocks; those that ask find that the tap is no longer valid after the end of its bytes. */
function readBlocks(tap: Tap, readItem: () => void): void {
  while (tap.isValid()) {
    let count = tap.readLong();
    if (count === 0) return;
    if (count < 0) {
      count = -count;
      tap.skipLong(); // The size of the block.
    }
    for (; count > 0 && tap.isValid(); count--) {
      countParts(tap);
      readItem();
    }
  }
}

function fromLong(bytes: Buffer): number | bigint {
  const value = bytes.readBigInt64LE();
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Converts values by a schema, whose named types may refer to each other. */
export class AvroConversion {
  readonly #named = new Map<string, JsonObject>();
  /** Names with their namespaces, by definition. */
  readonly #fullNames = new Map<JsonObject, string>();
  /** Branches of unions by their names. */
  readonly #branches = new WeakMap<readonly JsonValue[], ReadonlyMap<string, JsonValue>>();
  readonly #schema: JsonValue;
  /** The value that is encoded, what that has taken, and what it may take; absent: {@link MAX_STEPS}. */
  #value: JsonValue = null;
  #steps = 0;
  #maxSteps: number | undefined;

  constructor(schema: JsonValue) {
    this.#schema = schema;
    this.#collect(schema, "");
  }

  /** The value as `avsc` takes it, with unions as `{branch: value}`. @throws Error the value has no such type; names its path */
  encode(value: JsonValue): unknown {
    this.#value = value;
    this.#steps = 0;
    this.#maxSteps = undefined;
    return this.#encode(this.#schema, value, "");
  }

  /** What `avsc` has read, as a value. */
  decode(value: unknown): JsonValue {
    return this.#decode(this.#schema, value);
  }

  #collect(schema: JsonValue | undefined, space: string): void {
    if (Array.isArray(schema)) return schema.forEach((each) => this.#collect(each, space));
    if (!isJsonObject(schema)) return;
    const given = String(schema.name ?? "");
    const dot = given.lastIndexOf(".");
    const own = dot < 0 ? String(schema.namespace ?? space) : given.slice(0, dot);
    if (given !== "") {
      const name = given.slice(dot + 1);
      this.#named.set(name, schema);
      this.#fullNames.set(schema, own === "" ? name : `${own}.${name}`);
    }
    for (const field of objectsOf(schema.fields)) this.#collect(field.type, own);
    this.#collect(schema.items ?? schema.values, own);
    if (isJsonObject(schema.type)) this.#collect(schema.type, own);
  }

  /** The definition that a name or a wrapped type means. */
  #resolved(schema: JsonValue): JsonObject {
    if (typeof schema === "string") {
      return this.#named.get(schema.slice(schema.lastIndexOf(".") + 1)) ?? { type: schema };
    }
    if (!isJsonObject(schema)) return {};
    return isJsonObject(schema.type) ? this.#resolved(schema.type) : schema;
  }

  #encode(schema: JsonValue, value: JsonValue | undefined, path: string): unknown {
    this.#take(1);
    if (Array.isArray(schema)) return this.#encodeUnion(schema, value ?? null, path);
    const type = this.#resolved(schema);
    switch (type.type) {
      case "record":
        return this.#encodeRecord(type, value, path);
      case "array":
        if (!Array.isArray(value)) throw mismatch(path, "list");
        return value.map((item, index) => this.#encode(type.items ?? null, item, `${path}[${index}]`));
      case "map":
        if (!isJsonObject(value)) throw mismatch(path, "map");
        return Object.fromEntries(
          Object.entries(value).map((
            [name, item],
          ) => [name, this.#encode(type.values ?? null, item, `${path}.${name}`)]),
        );
      default:
        return encodeScalar(type, value ?? null, path);
    }
  }

  /** @throws Error the steps are taken */
  #take(steps: number): void {
    this.#steps += steps;
    if (this.#steps <= MAX_STEPS) return;
    this.#maxSteps ??= MAX_STEPS + STEPS_PER_CHAR * sizeOf(this.#value);
    if (this.#steps <= this.#maxSteps) return;
    throw new Error(
      `Cannot write the row: comparing it with the schema takes more than ${this.#maxSteps} steps; give a schema with fewer fields, or fewer branches of unions`,
    );
  }

  #encodeRecord(type: JsonObject, value: JsonValue | undefined, path: string): Record<string, unknown> {
    if (!isJsonObject(value)) throw mismatch(path, "record");
    const record: Record<string, unknown> = {};
    for (const field of objectsOf(type.fields)) {
      const name = String(field.name);
      const given = ownProperty(value, name) ?? field.default;
      record[name] = this.#encode(field.type ?? null, given, path === "" ? name : `${path}.${name}`);
    }
    return record;
  }

  /** The first branch that the value fits. */
  #encodeUnion(branches: readonly JsonValue[], value: JsonValue, path: string): unknown {
    if (value === null && branches.includes("null")) return null;
    this.#take(branches.length);
    const types = branches.map((branch) => this.#resolved(branch));
    if (value === null || value === "" && !types.some(({ type }) => type === "string")) {
      if (types.some(({ type }) => type === "null")) return null;
    }
    for (const [index, type] of types.entries()) {
      if (type.type === "null") continue;
      const [outcome] = settled(() => this.#encode(branches[index] ?? null, value, path));
      if (outcome) return { [this.#branchName(type)]: outcome.value };
      this.#take(MISMATCH_STEPS);
    }
    throw mismatch(path, types.map(({ type }) => type).join(" or "));
  }

  #branchName(type: JsonObject): string {
    return this.#fullNames.get(type) ?? String(type.type);
  }

  #decode(schema: JsonValue, value: unknown): JsonValue {
    if (value === null || value === undefined) return null;
    if (Array.isArray(schema)) return this.#decodeUnion(schema, value);
    const type = this.#resolved(schema);
    if (type.type === "array") {
      return (value as unknown[]).map((item) => this.#decode(type.items ?? null, item));
    }
    if (type.type !== "record" && type.type !== "map") return decodeScalar(type, value);
    const fields = new Map(objectsOf(type.fields).map((field) => [String(field.name), field.type ?? null]));
    const object: JsonObject = {};
    for (const [name, item] of Object.entries(value)) {
      setOwnProperty(object, name, this.#decode(fields.get(name) ?? type.values ?? null, item));
    }
    return object;
  }

  #decodeUnion(branches: readonly JsonValue[], value: unknown): JsonValue {
    const [[name, item] = ["", null]] = Object.entries(value as object);
    return this.#decode(this.#branchesByName(branches).get(name) ?? null, item);
  }

  /** Of several branches with a name the first one counts. */
  #branchesByName(branches: readonly JsonValue[]): ReadonlyMap<string, JsonValue> {
    const known = this.#branches.get(branches);
    if (known) return known;
    const named = branches.map((branch) => [this.#branchName(this.#resolved(branch)), branch] as const);
    const byName = new Map(named.reverse());
    this.#branches.set(branches, byName);
    return byName;
  }
}

function settled<T>(work: () => T): [{ readonly value: T }] | [undefined] {
  try {
    return [{ value: work() }];
  } catch (error) {
    if (error instanceof TypeMismatch) return [undefined];
    throw error;
  }
}

/** A value that has not the type of its field. */
class TypeMismatch extends Error {}

function mismatch(path: string, type: string): TypeMismatch {
  return new TypeMismatch(`Cannot write the value of "${path || "the row"}": it is no ${type}`);
}

function encodeScalar(type: JsonObject, value: JsonValue, path: string): unknown {
  const kind = String(type.type);
  switch (kind) {
    case "null":
      if (value !== null) throw mismatch(path, kind);
      return null;
    case "boolean":
      if (!/^(?:true|false)$/i.test(String(value))) throw mismatch(path, kind);
      return String(value).toLowerCase() === "true";
    case "int":
    case "long":
      return encodeInteger(type, value, path);
    case "float":
    case "double": {
      const number = value === null || typeof value === "object" && !(value instanceof Double)
        ? NaN
        : Number(value);
      if (value === "" || Number.isNaN(number)) throw mismatch(path, kind);
      return number;
    }
    case "string":
    case "enum":
      if (value === null) throw mismatch(path, kind);
      return typeof value === "object" && !(value instanceof Double) ? stringifyJson(value) : String(value);
    case "bytes":
    case "fixed":
      return encodeBytes(type, value, path);
  }
  throw new Error(`Invalid schema: the type "${kind}" of "${path}" is not known`);
}

const INTEGER = new RegExp(`^[-+]?\\d{1,${MAX_DIGITS}}(?:\\.0+)?$`);

function encodeInteger(type: JsonObject, value: JsonValue, path: string): number | bigint {
  const unitMs = UNIT_MS.get(String(type.logicalType));
  const text = value instanceof Double ? String(value.value) : String(value);
  if (value !== null && INTEGER.test(text)) {
    const integer = BigInt(text.replace(/\.0+$/, ""));
    if (type.type === "long" || BigInt.asIntN(32, integer) === integer) {
      return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
    }
  }
  // Without a zone a time is one of UTC.
  const zoned = /^[^T]*T.*(?:Z|[+-]\d\d:?\d\d)$|^\d{4}-\d\d-\d\d$/.test(text) ? text : `${text}Z`;
  const ms = unitMs === undefined ? NaN : Date.parse(zoned.replace(" ", "T"));
  if (unitMs === undefined || Number.isNaN(ms)) throw mismatch(path, String(type.logicalType ?? type.type));
  return Math.floor(ms / unitMs);
}

function encodeBytes(type: JsonObject, value: JsonValue, path: string): Uint8Array {
  if (type.logicalType !== "decimal") return Buffer.from(String(value ?? ""));
  const scale = scaleOf(type);
  const [, sign = "", whole = "", fraction = ""] = /^([-+]?)(\d+)(?:\.(\d*))?$/.exec(String(value)) ?? [];
  if (whole === "" || fraction.replace(/(?<!0)0+$/, "").length > scale) {
    throw mismatch(path, `decimal with scale ${scale}`);
  }
  const size = type.type === "fixed" ? Number(type.size) : undefined;
  if (whole.length + scale > MAX_DIGITS || size !== undefined && size > MAX_DECIMAL_BYTES) {
    throw mismatch(path, `decimal with at most ${MAX_DIGITS} digits and ${MAX_DECIMAL_BYTES} bytes`);
  }
  const unscaled = BigInt(`${sign}${whole}${fraction.slice(0, scale).padEnd(scale, "0")}`);
  const length = size ?? Math.floor(unscaled.toString(2).length / 8) + 1;
  const hex = BigInt.asUintN(length * 8, unscaled).toString(16).padStart(length * 2, "0");
  return Buffer.from(hex, "hex");
}

function decodeScalar(type: JsonObject, value: unknown): JsonValue {
  const unitMs = UNIT_MS.get(String(type.logicalType));
  if (unitMs !== undefined) {
    const iso = new Date(Number(value) * unitMs).toISOString();
    return unitMs === DAY_MS ? iso.slice(0, 10) : iso;
  }
  if (value instanceof Uint8Array) {
    return type.logicalType === "decimal" ? decimalText(value, scaleOf(type)) : value.toBase64();
  }
  const isDecimal = type.type === "float" || type.type === "double";
  if (isDecimal) return Number.isFinite(value) ? new Double(Number(value)) : String(value);
  return value as JsonValue;
}

/** @throws Error it is not possible */
function scaleOf({ scale: given = 0 }: JsonObject): number {
  const scale = Number(given);
  if (Number.isInteger(scale) && scale >= 0 && scale <= MAX_SCALE) return scale;
  throw new Error(`Invalid schema: a decimal has the scale ${scale}, and 0 to ${MAX_SCALE} are possible`);
}

/** A decimal is a text: a double would lose digits. @throws Error it has too many */
function decimalText(bytes: Uint8Array, scale: number): string {
  if (bytes.length > MAX_DECIMAL_BYTES) {
    throw new Error(`A decimal has ${bytes.length} bytes, and at most ${MAX_DECIMAL_BYTES} are possible`);
  }
  const unscaled = BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toHex() || "0"}`));
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  return `${unscaled < 0n ? "-" : ""}${whole}${scale === 0 ? "" : `.${digits.slice(-scale)}`}`;
}
