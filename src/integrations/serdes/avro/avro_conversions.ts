/** `serdes.avro.…`: Avro from and to Ion. */
import { Buffer } from "node:buffer";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type JsonValue, stringifyJson, tryParseJson } from "../../../base/json.ts";
import { systemClock } from "../../../base/time/clock.ts";
import { Turns } from "../../../base/time/turn.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../../model/tasks/task_definition.ts";
import { readRows } from "../../row_files.ts";
import { AvroFile } from "./avro_file.ts";
import { AvroConversion, loadAvro, MAX_EMPTY_ITEMS } from "./avro_values.ts";
import { inferSchema } from "./avro_schema.ts";
import {
  counted,
  DATE_PROPERTIES,
  fetchSource,
  FROM,
  ON_BAD_LINES,
  RECORDS,
  storeRows,
  URI_OUTPUT,
} from "../conversion.ts";

const TURN_MS = 10;

/** Properties of the types that write by an Avro schema. */
export const SCHEMA: PropertySchemas = Object.freeze({
  schema: dynamicText("Avro schema of the rows as JSON; default is derived from the first rows."),
  numberOfRowsToScan: dynamicProperty("integer", "Number of rows from which a schema is derived.", {
    default: 100,
    minimum: 1,
  }),
});

/** Options that have no effect. */
export const UNUSED_OPTIONS: PropertySchemas = Object.freeze({
  ...DATE_PROPERTIES,
  ...Object.fromEntries(
    [
      "trueValues",
      "falseValues",
      "nullValues",
      "strictSchema",
      "inferAllFields",
      "decimalSeparator",
      "datetimeFormat",
    ].map(
      (
        name,
      ) => [
        name,
        dynamicProperty("any", "Has no effect: values are read as they are in the file.", { ignored: true }),
      ],
    ),
  ),
});

/** The schema that is given, or that of the first rows. @throws Error it is no JSON */
export async function schemaFor(
  { schema, numberOfRowsToScan }: Readonly<Record<string, JsonValue>>,
  path: string,
): Promise<JsonValue> {
  const text = optionalText(schema);
  if (text === undefined) {
    const rows: JsonValue[] = [];
    for await (const row of readRows(path)) if (rows.push(row) >= Number(numberOfRowsToScan)) break;
    return inferSchema(rows);
  }
  const given = tryParseJson(text);
  if (given === undefined) throw new Error("Invalid schema: it is no JSON");
  return given;
}

/** Output: `uri`. */
export const ionToAvro = defineTask({
  type: "serdes.avro.IonToAvro",
  aliases: ["serdes.avro.AvroWriter"],
  title: "Convert Ion to Avro",
  description:
    "Writes the rows of an Ion file as Avro. Texts become numbers and dates where the schema has them.",
  properties: { from: FROM, ...SCHEMA, onBadLines: ON_BAD_LINES, ...UNUSED_OPTIONS },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  async run(context) {
    const { properties } = context;
    const source = await fetchSource(context);
    const schema = await schemaFor(properties, source);
    const { avro, typeOf } = await loadAvro();
    const conversion = new AvroConversion(schema);
    const turns = new Turns(systemClock, TURN_MS);
    let records = 0;
    const encoded = async function* () {
      for await (const row of counted(readRows(source), () => records++)) {
        await turns.next();
        try {
          yield conversion.encode(row);
        } catch (error) {
          if (properties.onBadLines === "ERROR") throw error;
          if (properties.onBadLines === "WARN") {
            context.log("WARN", `A row is left out: ${(error as Error).message}`);
          }
        }
      }
    };
    const path = `${await context.directory()}/rows.avro`;
    const type = typeOf(schema, { hasDefaults: true });
    const encoder = new avro.streams.BlockEncoder(type, {
      codec: "deflate",
      writeHeader: true,
      // The type alone would be written without its logical types.
      metadata: { "avro.schema": Buffer.from(stringifyJson(schema)) },
    } as never);
    await pipeline(Readable.from(encoded()), encoder, createWriteStream(path), { signal: context.signal });
    context.metric("records", records);
    return { uri: await context.storeFile(path) };
  },
});

/** Output: `uri`. */
export const avroToIon = defineTask({
  type: "serdes.avro.AvroToIon",
  aliases: ["serdes.avro.AvroReader"],
  title: "Convert Avro to Ion",
  description: "Reads a file of Avro and writes its rows as Ion. Dates become ISO 8601 texts.",
  properties: { from: FROM, onBadLines: { ...ON_BAD_LINES, ignored: true } },
  outputs: URI_OUTPUT,
  metrics: RECORDS,
  async run(context) {
    const source = await fetchSource(context);
    return await storeRows(context, source, avroRows(source));
  },
});

async function* avroRows(path: string): AsyncGenerator<JsonValue> {
  const { typeOf } = await loadAvro();
  await using file = await AvroFile.open(path);
  try {
    const schema = file.schema ?? null;
    const type = typeOf(schema);
    const conversion = new AvroConversion(schema);
    for await (const { count, bytes } of file.blocks()) {
      if (count > Math.max(bytes.length, MAX_EMPTY_ITEMS)) {
        throw new Error(`A block of ${bytes.length} bytes announces ${count} rows`);
      }
      for (let row = 0, at = 0; row < count; row++) {
        const { value, offset } = type.decode(bytes, at);
        if (offset < 0) throw new Error("truncated block");
        at = offset;
        yield conversion.decode(value);
      }
    }
  } catch (error) {
    throw new Error(`Cannot read the file: ${(error as Error).message}`, { cause: error });
  }
}

/** Output: `uri`. */
export const inferAvroSchema = defineTask({
  type: "serdes.avro.InferAvroSchemaFromIon",
  title: "Derive an Avro schema from Ion",
  description: "Derives an Avro schema from the first rows of an Ion file.",
  properties: { from: FROM, numberOfRowsToScan: SCHEMA.numberOfRowsToScan as never },
  outputs: URI_OUTPUT,
  async run(context) {
    const schema = await schemaFor(context.properties, await fetchSource(context));
    const path = `${await context.directory()}/schema.avsc`;
    await writeFile(path, stringifyJson(schema, 2));
    return { uri: await context.storeFile(path) };
  },
});
