/** What all types that convert files have in common: the file in, the file out, the number of rows. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import type { MetricDeclaration } from "../../model/flows/type_declaration.ts";
import type { TaskContext } from "../../model/tasks/task_definition.ts";
import { outputBudget } from "../output_budget.ts";
import { readRows, rowLines, writePieces } from "../row_files.ts";

/** Property: the file that is converted. */
export const FROM: PropertySchema = dynamicText("Storage URI of the file to convert.", { required: true });

/** Property: the character set of a text. */
export const CHARSET: PropertySchema = dynamicText("Character set of the text.", { default: "UTF-8" });

/** Property: what happens to malformed rows. */
export const ON_BAD_LINES: PropertySchema = dynamicChoice(
  ["ERROR", "WARN", "SKIP"],
  "ERROR",
  "What happens to a malformed row: the task fails, or the row is left out with or without a warning.",
);

/** Properties that name patterns of dates: dates are texts in the files of this server, and are written as they are. */
export const DATE_PROPERTIES: PropertySchemas = Object.freeze(Object.fromEntries(
  ["dateFormat", "timeFormat", "dateTimeFormat", "timeZoneId"].map((name) => [
    name,
    dynamicProperty("string", "Dates are written as they are in the file.", { ignored: true }),
  ]),
));

/** Output of most conversions. */
export const URI_OUTPUT: PropertySchemas = Object.freeze({
  uri: { type: "string", description: "Storage URI of the converted file." },
});

/** Metric of every conversion. */
export const RECORDS: Readonly<Record<string, MetricDeclaration>> = Object.freeze({
  records: { type: "counter", description: "Number of rows." },
});

/** The local copy of the file of `from`. */
export async function fetchSource(context: TaskContext): Promise<string> {
  return await context.fetchFile(String(context.properties.from).trim());
}

type Pieces = AsyncIterable<string | Uint8Array>;

/** Rows of a file, and what becomes of them in a file of that name. */
interface Conversion {
  readonly source: string;
  readonly rows: AsyncIterable<JsonValue>;
  readonly name: string;
  readonly convert: (rows: AsyncIterable<JsonValue>) => Pieces;
}

/** Stores rows of a file as a file of Ion. Outputs: `uri`. @throws Error they are too large */
export async function storeRows(
  context: TaskContext,
  source: string,
  rows: AsyncIterable<JsonValue>,
): Promise<JsonObject> {
  return await storePieces(context, { source, rows, name: "rows.ion", convert: rowLines });
}

/** Converts a file of Ion rows. Outputs: `uri`. @throws Error the result is too large */
export async function convertRows(
  context: TaskContext,
  name: string,
  convert: Conversion["convert"],
): Promise<JsonObject> {
  const source = await fetchSource(context);
  return await storePieces(context, { source, rows: readRows(source), name, convert });
}

/** Stores what becomes of rows. Outputs: `uri`. @throws Error it is too large */
export async function storePieces(
  context: TaskContext,
  { source, rows, name, convert }: Conversion,
): Promise<JsonObject> {
  let records = 0;
  const path = `${await context.directory()}/${name}`;
  const pieces = convert(counted(rows, () => records++));
  await writePieces(path, pieces, context.signal, await outputBudget(source));
  context.metric("records", records);
  return { uri: await context.storeFile(path) };
}

/** Reports the rows as they are read. */
export async function* counted<T>(rows: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  for await (const row of rows) {
    count();
    yield row;
  }
}
