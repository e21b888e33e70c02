/** What becomes of the rows of a query: outputs, or a file. */
import { type JsonObject, type JsonValue, stringifyJson } from "../base/json.ts";
import { systemClock } from "../base/time/clock.ts";
import { Turns } from "../base/time/turn.ts";
import { dynamicProperty, type PropertySchema, type PropertySchemas } from "../model/flows/schema.ts";
import { limitedContent } from "../model/ports/storage.ts";
import type { WorkContext } from "../model/tasks/task_definition.ts";
import type { OutputBudget } from "./output_budget.ts";
import { rowLines, writePieces } from "./row_files.ts";

/** Most rows of an output: they are held in memory. */
const MAX_FETCHED_ROWS = 100_000;
/** Outputs are part of the execution; more belongs into a file. */
const MAX_FETCHED_CHARS = 32 * 1024 * 1024;
const TURN_MS = 10;

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
  context: Pick<WorkContext, "directory" | "storeFile" | "signal" | "maxFileBytes">,
  rows: AsyncGenerator<JsonObject>,
  fetchType: string,
  budget?: OutputBudget,
): Promise<JsonObject> {
  if (fetchType === "NONE") return {};
  if (fetchType === "STORE") return await storedRows(context, rows, budget);
  if (fetchType === "FETCH_ONE") {
    const { value } = await rows.next();
    return value === undefined ? { size: 0 } : { row: value, size: 1 };
  }
  const fetched = new OutputRows(), turns = new Turns(systemClock, TURN_MS);
  for await (const row of rows) {
    fetched.add(row);
    await turns.next();
    if (fetched.list.length <= MAX_FETCHED_ROWS) continue;
    throw new Error(
      `Cannot fetch the rows: there are more than ${MAX_FETCHED_ROWS}; store them in a file, with STORE`,
    );
  }
  return { rows: fetched.list, size: fetched.list.length };
}

/** Rows for an output, within its size. */
export class OutputRows {
  readonly list: JsonValue[] = [];
  #chars = 0;

  /** Adds a row. @throws Error they are too large */
  add(row: JsonValue): void {
    this.#chars += stringifyJson(row).length;
    if (this.#chars > MAX_FETCHED_CHARS) {
      throw new Error(
        `Cannot fetch the rows: they have more than ${MAX_FETCHED_CHARS} characters; store them in a file, with STORE`,
      );
    }
    this.list.push(row);
  }
}

/** Stores rows as a file of Ion, whose URI and number of rows it returns. @throws Error the budget is spent */
export async function storedRows(
  context: Pick<WorkContext, "directory" | "storeFile" | "signal" | "maxFileBytes">,
  rows: AsyncIterable<JsonValue>,
  budget?: OutputBudget,
): Promise<{ readonly uri: string; readonly size: number }> {
  let size = 0;
  const counted = async function* () {
    for await (const row of rows) {
      size++;
      yield row;
    }
  };
  const path = `${await context.directory()}/rows.ion`;
  const lines = limitedContent(rowLines(counted()), context.maxFileBytes);
  await writePieces(path, lines, context.signal, budget);
  return { uri: await context.storeFile(path), size };
}
