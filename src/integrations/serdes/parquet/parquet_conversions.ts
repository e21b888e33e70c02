/** `serdes.parquet.…`: Parquet from and to Ion. */
import { open } from "node:fs/promises";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  setOwnProperty,
} from "../../../base/json.ts";
import { Double, stringifyJson } from "../../../base/json.ts";
import { dynamicChoice, dynamicProperty } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { readRows } from "../../row_files.ts";
import { SCHEMA, schemaFor, UNUSED_OPTIONS } from "../avro/avro_conversions.ts";
import { AvroConversion } from "../avro/avro_values.ts";
import type { ParquetColumn } from "./parquet_groups.ts";
import { ParquetJson } from "./parquet_json.ts";
import { fetchSource, FROM, ON_BAD_LINES, RECORDS, storeRows, URI_OUTPUT } from "../conversion.ts";

/** It is decoded in one turn, to some 50 bytes for each of its own. */
const MAX_FOOTER_BYTES = 32 * 1024 * 1024;
/** Of texts, and of bytes as base64. */
const MAX_ROW_CHARS = 64 * 1024 * 1024;
/** As which a value of a list or object counts: a row is made in one turn. */
const VALUE_CHARS = 64;

/** Output: `uri`. */
export const parquetToIon = defineTask({
  type: "serdes.parquet.ParquetToIon",
  aliases: ["serdes.parquet.ParquetReader"],
  title: "Convert Parquet to Ion",
  description: "Reads a file of Parquet and writes its rows as Ion. Dates become ISO 8601 texts.",
  properties: { from: FROM },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  async run(context) {
    const source = await fetchSource(context);
    return await storeRows(context, source, parquetRows(source));
  },
});

async function* parquetRows(path: string): AsyncGenerator<JsonValue> {
  const { parquetMetadataAsync, parquetSchema } = await import("hyparquet");
  const { readGroup } = await import("./parquet_pages.ts");
  const handle = await open(path);
  try {
    const { size: byteLength } = await handle.stat();
    let maxSlice = MAX_FOOTER_BYTES;
    const file = {
      byteLength,
      async slice(start: number, end = byteLength): Promise<ArrayBuffer> {
        if (end - start > maxSlice) {
          throw new Error(`Cannot read the file: its footer has ${end - start} bytes`);
        }
        const bytes = new Uint8Array(end - start);
        await handle.read(bytes, 0, bytes.length, start);
        return bytes.buffer;
      },
    };
    const metadata = await parquetMetadataAsync(file);
    maxSlice = Infinity;
    const schema = parquetSchema(metadata);
    for (const group of metadata.row_groups) {
      const columns = readGroup(file, { group, schema }).map(({ name, parts }) =>
        [name, new ColumnValues(parts)] as const
      );
      for (let row = 0; row < Number(group.num_rows); row++) {
        const object: JsonObject = {}, budget = { left: MAX_ROW_CHARS };
        for (const [name, values] of columns) {
          if (values.isAtEnd) await values.readOn();
          setOwnProperty(object, name, valueOf(values.next(), budget));
        }
        yield object;
      }
    }
  } finally {
    await handle.close();
  }
}

/** The values of a column, one after the other. */
class ColumnValues {
  readonly #parts: AsyncIterator<ArrayLike<unknown>>;
  #part: ArrayLike<unknown> | undefined = [];
  #index = 0;

  constructor(parts: AsyncIterable<ArrayLike<unknown>>) {
    this.#parts = parts[Symbol.asyncIterator]();
  }

  /** Whether there may be values that must be read first. */
  get isAtEnd(): boolean {
    return this.#part !== undefined && this.#index >= this.#part.length;
  }

  /** Reads the next part that has values. */
  async readOn(): Promise<void> {
    while (this.isAtEnd) {
      const { value, done } = await this.#parts.next();
      this.#part = done === true ? undefined : value;
      this.#index = 0;
    }
  }

  /** The next value; `undefined` after the last one. */
  next(): unknown {
    return this.#part?.[this.#index++];
  }
}

/** Characters that the texts of a row may still have. */
interface CharBudget {
  left: number;
}

function valueOf(value: unknown, budget: CharBudget): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return String(value);
    return Number.isInteger(value) ? value : new Double(value);
  }
  if (typeof value === "string") spend(budget, value.length);
  if (typeof value !== "object") return value as JsonValue;
  if (value instanceof ParquetJson) return valueOf(value.read(), budget);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) {
    spend(budget, Math.ceil(value.length / 3) * 4);
    return value.toBase64();
  }
  if (Array.isArray(value)) {
    spend(budget, VALUE_CHARS * value.length);
    return value.map((item) => valueOf(item, budget));
  }
  const members = Object.entries(value);
  spend(budget, VALUE_CHARS * members.length);
  const object: JsonObject = {};
  for (const [name, member] of members) setOwnProperty(object, name, valueOf(member, budget));
  return object;
}

function spend(budget: CharBudget, chars: number): void {
  budget.left -= chars;
  if (budget.left >= 0) return;
  throw new Error(
    `Cannot read the file: the texts of a row have more than ${MAX_ROW_CHARS} characters, as ${VALUE_CHARS} of which each value of a list or object counts; write them to several rows`,
  );
}

/** Output: `uri`. */
export const ionToParquet = defineTask({
  type: "serdes.parquet.IonToParquet",
  aliases: ["serdes.parquet.ParquetWriter"],
  title: "Convert Ion to Parquet",
  description:
    "Writes the rows of an Ion file as Parquet, by an Avro schema. Lists and objects within a row are columns of JSON, decimals are doubles.",
  properties: {
    from: FROM,
    ...SCHEMA,
    compressionCodec: dynamicChoice(
      ["UNCOMPRESSED", "SNAPPY", "GZIP"],
      "GZIP",
      "Compression of the columns.",
    ),
    rowGroupSize: dynamicProperty("integer", "Has no effect.", { ignored: true }),
    pageSize: dynamicProperty("integer", "Has no effect.", { ignored: true }),
    dictionaryPageSize: dynamicProperty("integer", "Has no effect.", { ignored: true }),
    parquetVersion: dynamicProperty("string", "Has no effect.", { ignored: true }),
    onBadLines: { ...ON_BAD_LINES, ignored: true },
    ...UNUSED_OPTIONS,
  },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  async run(context) {
    const source = await fetchSource(context);
    const schema = await schemaFor(context.properties, source);
    const path = `${await context.directory()}/rows.parquet`;
    const { ParquetGroups } = await import("./parquet_groups.ts");
    const codec = context.properties.compressionCodec as "GZIP", { signal } = context;
    const file = new ParquetGroups(path, { columns: columnsOf(schema), codec, signal });
    let count = 0;
    for await (const row of readRows(source)) {
      signal.throwIfAborted();
      if (!isJsonObject(row)) throw new Error("Cannot write a row: it is no object");
      count++;
      await file.add(row);
    }
    await file.end();
    context.metric("records", count);
    return { uri: await context.storeFile(path) };
  },
});

interface ParquetElement {
  readonly type: "BOOLEAN" | "INT32" | "INT64" | "FLOAT" | "DOUBLE" | "BYTE_ARRAY";
  readonly converted_type?: "UTF8" | "JSON" | "DATE" | "TIMESTAMP_MILLIS" | "TIMESTAMP_MICROS";
}

const TEXT: ParquetElement = { type: "BYTE_ARRAY", converted_type: "UTF8" };
const ELEMENTS: ReadonlyMap<string, ParquetElement> = new Map<string, ParquetElement>([
  ["boolean", { type: "BOOLEAN" }],
  ["int", { type: "INT32" }],
  ["long", { type: "INT64" }],
  ["float", { type: "FLOAT" }],
  ["double", { type: "DOUBLE" }],
  ["string", TEXT],
  ["enum", TEXT],
  ["date", { type: "INT32", converted_type: "DATE" }],
  ["timestamp-millis", { type: "INT64", converted_type: "TIMESTAMP_MILLIS" }],
  ["timestamp-micros", { type: "INT64", converted_type: "TIMESTAMP_MICROS" }],
  ["decimal", { type: "DOUBLE" }],
]);

/** @throws Error it is no record */
function columnsOf(schema: JsonValue): ParquetColumn[] {
  if (!isJsonObject(schema) || schema.type !== "record") {
    throw new Error("Invalid schema: it must be a record");
  }
  return objectsOf(schema.fields).map((field) => {
    const type = columnType(field.type ?? null);
    const name = String(field.name);
    const kind = String(type.logicalType ?? type.type);
    const element = ELEMENTS.get(kind) ?? { type: "BYTE_ARRAY", converted_type: "JSON" };
    return {
      element: { name, repetition_type: "OPTIONAL", ...element },
      encode: encoderOf(name, kind, type),
    };
  });
}

/** The only type of a column beside null. */
function columnType(schema: JsonValue): JsonObject {
  if (Array.isArray(schema)) {
    const others = schema.filter((branch) => branch !== "null");
    return others.length === 1 ? columnType(others[0] ?? null) : { type: "json" };
  }
  if (!isJsonObject(schema)) return { type: schema };
  return isJsonObject(schema.type) ? columnType(schema.type) : schema;
}

function encoderOf(name: string, kind: string, type: JsonObject): ParquetColumn["encode"] {
  if (!ELEMENTS.has(kind)) return (value) => value === null ? null : JSON.parse(stringifyJson(value));
  const conversion = new AvroConversion({
    type: "record",
    name: "Row",
    fields: [{ name, type: ["null", kind === "decimal" ? "double" : type] }],
  });
  return (value) => {
    if (value === null) return null;
    const record = conversion.encode({ [name]: value }) as Record<string, Record<string, unknown> | null>;
    const wrapped = record[name];
    if (wrapped === null || wrapped === undefined) return null;
    const [encoded] = Object.values(wrapped);
    switch (kind) {
      case "long":
        return BigInt(encoded as number);
      case "date":
        return new Date(Number(encoded) * 86_400_000);
      case "timestamp-millis":
        return new Date(Number(encoded));
      case "timestamp-micros":
        return new Date(Number(encoded) / 1000);
      default:
        return encoded;
    }
  };
}
