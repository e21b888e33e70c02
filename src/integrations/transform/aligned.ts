/** Several sources of records that are read side by side. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { dynamicProperty, type PropertySchema } from "../../model/flows/schema.ts";
import type { TaskContext } from "../../model/tasks/task_definition.ts";
import { type RecordSource, sourceOf } from "./records.ts";

/** Most sources: each file is open while it is read. */
const MAX_SOURCES = 50;

/** Property: the sources. */
export const INPUTS: PropertySchema = dynamicProperty(
  "list",
  "Sources of records, each a list of maps, a map, or the storage URI of a file; records of the same position belong together.",
  { required: true, items: { type: "any", description: "A source." } },
);

/** The sources of `inputs`. @throws Error there are fewer than `minimum`, or too many */
export async function alignedSources(context: TaskContext, minimum: number): Promise<RecordSource[]> {
  const { inputs } = context.properties;
  const given: JsonValue[] = Array.isArray(inputs) ? inputs : [];
  if (given.length < minimum || given.length > MAX_SOURCES) {
    throw new Error(`Invalid inputs: there must be ${minimum} to ${MAX_SOURCES}`);
  }
  const sources: RecordSource[] = [];
  for (const each of given) sources.push(await sourceOf(context, each));
  return sources;
}

/** The records of each position. With `isExact` a source that ends before the others is an error. */
export async function* alignedRecords(
  sources: readonly RecordSource[],
  isExact: boolean,
): AsyncGenerator<JsonObject[]> {
  const readers = sources.map(({ records }) => records);
  try {
    for (let position = 1;; position++) {
      const results = await Promise.all(readers.map((reader) => reader.next()));
      const row = results.flatMap(({ value, done }) => done ? [] : [value]);
      if (row.length === readers.length) {
        yield row;
        continue;
      }
      if (!isExact || row.length === 0) return;
      const short = results.findIndex(({ done }) => done) + 1;
      throw new Error(`Cannot align the inputs: input ${short} has only ${position - 1} records`);
    }
  } finally {
    await Promise.all(readers.map((reader) => reader.return(undefined)));
  }
}
