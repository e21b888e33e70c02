/** Keys and values of messages: JSON values to bytes and back, as the serializers of Kafka do. */
import { Buffer } from "node:buffer";
import { Double, type JsonValue, parseJson, stringifyJson } from "../../base/json.ts";
import { dynamicChoice, type PropertySchema } from "../../model/flows/schema.ts";
import type { Connector } from "./connection.ts";
import { SchemaRegistry, type Subject } from "./schema_registry.ts";

/** The form of messages whose schema is in a registry. */
const AVRO = "AVRO";

interface Serde {
  readonly write: (value: JsonValue) => Uint8Array;
  readonly read: (bytes: Buffer) => JsonValue;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const TEXT: Serde = {
  write: (value) => new TextEncoder().encode(typeof value === "string" ? value : stringifyJson(value)),
  read: (bytes) => new TextDecoder().decode(bytes),
};

const BYTES: Serde = {
  write: (value) => {
    if (Array.isArray(value)) return Uint8Array.from(value.map(Number));
    return new TextEncoder().encode(String(value));
  },
  read: (bytes) => bytes.toString("base64"),
};

const SERDES: ReadonlyMap<string, Serde> = new Map<string, Serde>([
  ["STRING", TEXT],
  ["JSON", {
    write: (value) => new TextEncoder().encode(stringifyJson(value)),
    read: (bytes) => parseJson(new TextDecoder().decode(bytes)),
  }],
  ["INTEGER", whole(4, (view, value) => view.writeInt32BE(Number(value)), (bytes) => bytes.readInt32BE())],
  ["SHORT", whole(2, (view, value) => view.writeInt16BE(Number(value)), (bytes) => bytes.readInt16BE())],
  [
    "LONG",
    whole(8, (view, value) => view.writeBigInt64BE(value), (bytes) => integerOf(bytes.readBigInt64BE())),
  ],
  ["FLOAT", decimal(4, (view, value) => view.writeFloatBE(value), (bytes) => bytes.readFloatBE())],
  ["DOUBLE", decimal(8, (view, value) => view.writeDoubleBE(value), (bytes) => bytes.readDoubleBE())],
  ["BYTE_ARRAY", BYTES],
  ["BYTE_BUFFER", BYTES],
  ["BYTES", BYTES],
  ["UUID", {
    write: (value) => {
      if (UUID.test(String(value))) return TEXT.write(String(value).toLowerCase());
      throw new Error("it is not a UUID");
    },
    read: TEXT.read,
  }],
  ["VOID", { write: () => new Uint8Array(), read: () => null }],
]);

function whole(
  size: number,
  write: (view: Buffer, value: bigint) => void,
  read: (bytes: Buffer) => JsonValue,
): Serde {
  return sized(size, (view, value) => {
    if (!/^\s*[+-]?\d+\s*$/.test(String(value))) throw new Error("it is not a whole number");
    write(view, BigInt(String(value).trim().replace(/^\+/, "")));
  }, read);
}

function decimal(
  size: number,
  write: (view: Buffer, value: number) => void,
  read: (bytes: Buffer) => number,
): Serde {
  return sized(size, (view, value) => {
    const number = Number(value instanceof Double ? value.value : value);
    if (!Number.isFinite(number)) throw new Error("it is not a number");
    write(view, number);
  }, (bytes) => new Double(read(bytes)));
}

function sized(
  size: number,
  write: (view: Buffer, value: JsonValue) => void,
  read: (bytes: Buffer) => JsonValue,
): Serde {
  return {
    write: (value) => {
      const view = Buffer.alloc(size);
      write(view, value);
      return view;
    },
    read: (bytes) => {
      if (bytes.length !== size) throw new Error(`it has ${bytes.length} bytes instead of ${size}`);
      return read(bytes);
    },
  };
}

function integerOf(value: bigint): JsonValue {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Property: the form of keys or values. */
export function serdeProperty(description: string): PropertySchema {
  return dynamicChoice(
    [...SERDES.keys(), AVRO],
    "STRING",
    `${description} AVRO needs a schema registry. PROTOBUF is not supported.`,
  );
}

/** The bytes of a value; null stays null. @throws Error it does not have that form */
export function serialized(
  form: JsonValue | undefined,
  value: JsonValue | undefined,
  role: string,
): Buffer | null {
  if (value === undefined || value === null) return null;
  try {
    // The package takes any other view for a text.
    return Buffer.from(serdeOf(form).write(value));
  } catch (error) {
    throw new Error(`Cannot write the ${role} as ${form}: ${(error as Error).message}`, { cause: error });
  }
}

/** The value of bytes. @throws Error they do not have that form */
export function deserialized(form: JsonValue | undefined, bytes: Uint8Array | null, role: string): JsonValue {
  if (bytes === null) return null;
  try {
    return serdeOf(form).read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    throw new Error(`Cannot read the ${role} as ${form}: ${(error as Error).message}`, { cause: error });
  }
}

/** Keys and values of one connection, also with the schemas of a registry. */
export class Serdes {
  readonly #context: Connector;
  #registry: SchemaRegistry | undefined;

  constructor(context: Connector) {
    this.#context = context;
  }

  /** As {@link serialized}. @throws Error the registry refuses the schema */
  async write(
    form: JsonValue | undefined,
    value: JsonValue | undefined,
    subject: Subject,
  ): Promise<Buffer | null> {
    if (form !== AVRO || value === undefined || value === null) return serialized(form, value, subject.role);
    return await this.#opened().write(value, subject);
  }

  /** As {@link deserialized}. @throws Error the registry does not give the schema */
  async read(
    form: JsonValue | undefined,
    bytes: Uint8Array | null,
    role: Subject["role"],
  ): Promise<JsonValue> {
    if (form !== AVRO || bytes === null) return deserialized(form, bytes, role);
    return await this.#opened().read(bytes, role);
  }

  #opened(): SchemaRegistry {
    return this.#registry ??= new SchemaRegistry(this.#context);
  }
}

function serdeOf(form: JsonValue | undefined): Serde {
  return SERDES.get(String(form)) ?? TEXT;
}
