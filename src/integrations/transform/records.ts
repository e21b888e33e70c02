/** Records in and out of transformations: values of expressions, or files of Ion. Files are streamed. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { readStructure } from "../../base/json_text.ts";
import { systemClock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { dynamicChoice, dynamicProperty, type PropertySchemas } from "../../model/flows/schema.ts";
import type { MetricDeclaration } from "../../model/flows/type_declaration.ts";
import { isStorageUri } from "../../model/namespaces/storage_uri.ts";
import type { TaskContext } from "../../model/tasks/task_definition.ts";
import { fetchedRows } from "../fetched_rows.ts";
import { outputBudget } from "../output_budget.ts";
import { readRows } from "../row_files.ts";

/** Property: the records of most types. */
export const FROM = dynamicProperty(
  "any",
  "Records: a list of maps, a map, or the storage URI of a file of Ion or JSON values.",
  { required: true },
);

/** Properties: the form of the result. */
export const OUTPUT_PROPERTIES: PropertySchemas = Object.freeze({
  outputType: dynamicChoice(
    ["AUTO", "RECORDS", "STORE"],
    "AUTO",
    "Whether the result is an output (RECORDS) or a file (STORE); with AUTO a file if a file was read.",
  ),
  outputFormat: dynamicChoice(
    ["TEXT", "BINARY"],
    "TEXT",
    "Files are written as text; BINARY has no effect.",
    {
      ignored: true,
    },
  ),
});

/** Outputs of all types. */
export const RECORD_OUTPUTS: PropertySchemas = Object.freeze({
  records: {
    type: "list",
    description: "The records, unless they are stored.",
    items: { type: "map", description: "A record." },
  },
  uri: { type: "string", description: "Storage URI of the records as Ion, if they are stored." },
});

/** Declares counters by name. */
export function counters(
  descriptions: Readonly<Record<string, string>>,
): Readonly<Record<string, MetricDeclaration>> {
  return Object.freeze(
    Object.fromEntries(
      Object.entries(descriptions).map(([name, description]): [string, MetricDeclaration] => [
        name,
        { type: "counter", description },
      ]),
    ),
  );
}

const TURN_MS = 10;

/** Records that are read once. */
export interface RecordSource {
  /** The file that they are in. */
  readonly path?: string;
  readonly records: AsyncGenerator<JsonObject>;
}

/** The records of a property. @throws Error it has another form */
export async function sourceOf(context: TaskContext, given: JsonValue | undefined): Promise<RecordSource> {
  if (typeof given === "string" && isStorageUri(given.trim())) {
    const path = await context.fetchFile(given.trim());
    return { path, records: checked(readRows(path)) };
  }
  const value = readStructure(given ?? null);
  if (Array.isArray(value) || isJsonObject(value)) return { records: checked([value]) };
  throw new Error("Cannot read the records: they must be a list of maps, a map, or a storage URI");
}

/** Lists are read element by element. What becomes of the records is done in turns: each takes little time. */
async function* checked(
  values: AsyncIterable<JsonValue> | Iterable<JsonValue>,
): AsyncGenerator<JsonObject> {
  let index = 0;
  const turns = new Turns(systemClock, TURN_MS);
  for await (const value of values) {
    for (const record of Array.isArray(value) ? value : [value]) {
      await turns.next();
      index++;
      if (!isJsonObject(record)) throw new Error(`Cannot read the records: record ${index} is not a map`);
      yield record;
    }
  }
}

/** Ends the task with records that are made of those of sources. Outputs: `records` or `uri`. @throws Error they are too large */
export async function recordOutputs(
  context: TaskContext,
  sources: readonly RecordSource[],
  records: AsyncGenerator<JsonObject>,
): Promise<JsonObject> {
  const { outputType } = context.properties;
  const paths = sources.flatMap(({ path }) => path ?? []);
  const isFile = outputType === "STORE" || outputType === "AUTO" && paths.length > 0;
  const budget = await outputBudget(...paths);
  const { uri = null, rows = null } = await fetchedRows(context, records, isFile ? "STORE" : "FETCH", budget);
  return isFile ? { uri } : { records: rows };
}

/** Counts by name, reported as metrics at the end. */
export class Counts<Name extends string> {
  readonly #counts: Map<Name, number>;

  constructor(...names: readonly Name[]) {
    this.#counts = new Map(names.map((name) => [name, 0]));
  }

  /** Adds one. */
  add(name: Name): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Reports the counts. */
  report({ metric }: Pick<TaskContext, "metric">): void {
    for (const [name, count] of this.#counts) metric(name, count);
  }
}
