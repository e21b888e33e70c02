/** What becomes of the rows of a query: outputs, or a file. */
import type { JsonObject } from "../base/json.ts";
import { dynamicProperty, type PropertySchema, type PropertySchemas } from "../model/flows/schema.ts";
import type { WorkContext } from "../model/tasks/task_definition.ts";
import { rowLines, writePieces } from "./row_files.ts";

/** Most rows of an output: they are held in memory. */
const MAX_FETCHED_ROWS = 100_000;

/** Property: what becomes of the rows. */
export const FETCH_TYPE: PropertySchema = dynamicProperty(
  "string",
  "Whether rows are outputs (FETCH, FETCH_ONE), or a file (STORE).",
  { values: ["NONE", "FETCH", "FETCH_ONE", "STORE"] },
);

/** Outputs: the rows. */
export const ROWS_OUTPUTS: PropertySchemas = Object.freeze({
  rows: { type: "list", description: "Rows, with FETCH.", items: { type: "map", description: "A row." } },
  row: { type: "map", description: "First row, with FETCH_ONE." },
  uri: { type: "string", description: "Storage URI of the rows as Ion, with STORE." },
  size: { type: "integer", description: "Number of rows that were read." },
});

/** Reads rows. Outputs: `size`, and `rows`, `row` or `uri`; none with NONE. @throws Error too many rows for an output */
export async function fetchedRows(
  context: Pick<WorkContext, "directory" | "storeFile" | "signal">,
  rows: AsyncGenerator<JsonObject>,
  fetchType: string,
): Promise<JsonObject> {
  if (fetchType === "NONE") return {};
  if (fetchType === "STORE") return await storedRows(context, rows);
  if (fetchType === "FETCH_ONE") {
    const { value } = await rows.next();
    return value === undefined ? { size: 0 } : { row: value, size: 1 };
  }
  const fetched: JsonObject[] = [];
  for await (const row of rows) {
    if (fetched.push(row) <= MAX_FETCHED_ROWS) continue;
    throw new Error(`Cannot fetch the rows: there are more than ${MAX_FETCHED_ROWS}; use fetchType STORE`);
  }
  return { rows: fetched, size: fetched.length };
}

async function storedRows(
  context: Pick<WorkContext, "directory" | "storeFile" | "signal">,
  rows: AsyncIterable<JsonObject>,
): Promise<JsonObject> {
  let size = 0;
  const counted = async function* () {
    for await (const row of rows) {
      size++;
      yield row;
    }
  };
  const path = `${await context.directory()}/rows.ion`;
  await writePieces(path, rowLines(counted()), context.signal);
  return { uri: await context.storeFile(path), size };
}
