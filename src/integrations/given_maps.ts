/** Maps that a property gives: messages, entries, files by name. */
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "../base/json.ts";
import type { WorkContext } from "../model/tasks/task_definition.ts";
import { readRows } from "./row_files.ts";

/** Description of what such a property may be, for the end of a sentence. */
export const GIVEN_MAPS =
  "a map, a list of maps, their JSON, or the storage URI of a file of maps in Ion or JSON";

/** The maps of a property, one by one. @throws Error there is something else */
export async function* givenMaps(
  context: Pick<WorkContext, "fetchFile" | "properties">,
  property: string,
): AsyncGenerator<JsonObject> {
  const given = context.properties[property];
  const value = typeof given === "string" ? tryParseJson(given) ?? given : given;
  const maps = typeof value === "string"
    ? flattened(readRows(await context.fetchFile(value.trim())))
    : Array.isArray(value)
    ? value
    : [value ?? null];
  for await (const map of maps) {
    if (!isJsonObject(map)) throw new Error(`Invalid ${property}: it must be ${GIVEN_MAPS}`);
    yield map;
  }
}

/** A file of JSON may be one list. */
async function* flattened(rows: AsyncIterable<JsonValue>): AsyncGenerator<JsonValue> {
  for await (const row of rows) {
    if (Array.isArray(row)) yield* row;
    else yield row;
  }
}

/** A member whose name may begin with a capital, as the API of the other system has it. */
export function memberOf(map: JsonObject, name: string): JsonValue | undefined {
  return map[name] ?? map[`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`];
}

/** Groups of items, each within a number and a sum of sizes. */
export async function* batches<T>(
  items: AsyncIterable<T>,
  { maxCount, maxBytes, sizeOf }: {
    readonly maxCount: number;
    readonly maxBytes: number;
    readonly sizeOf: (item: T) => number;
  },
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for await (const item of items) {
    const size = sizeOf(item);
    if (batch.length > 0 && (batch.length === maxCount || bytes + size > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
