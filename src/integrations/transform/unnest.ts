/** `transform.Unnest`. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import { dynamicChoice, dynamicFlag, dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { compileRecordExpression, type RecordExpression } from "./record_expression.ts";
import { RecordSteps } from "./record_steps.ts";
import {
  counters,
  Counts,
  FROM,
  OUTPUT_PROPERTIES,
  RECORD_OUTPUTS,
  recordOutputs,
  sourceOf,
} from "./records.ts";

/** One record of the result for each element of a list of a record. */
export const unnestRecords = defineTask({
  type: "transform.Unnest",
  title: "Unnest a list of records",
  description:
    "Makes a record of each element of a list within records. A record without elements is left out.",
  properties: {
    from: FROM,
    path: dynamicText("Path of the list, such as `items[]` or `payload.items[]`.", { required: true }),
    as: dynamicText("Field of the result that holds the element.", { required: true }),
    keepOriginalFields: dynamicFlag(true, "Whether the other fields of the record are kept."),
    onError: dynamicChoice(
      ["FAIL", "SKIP", "NULL"],
      "FAIL",
      "What happens if there is no list at the path: the task fails, the record is left out, or its element is null.",
    ),
    ...OUTPUT_PROPERTIES,
  },
  outputs: RECORD_OUTPUTS,
  metrics: counters({
    processed: "Records that were read.",
    failed: "Records without a list at the path.",
    dropped: "Records that were left out.",
  }),
  examples: [{
    title: "A record for each item of an order",
    yaml: `id: items
type: io.svc.plugin.transform.Unnest
from: "{{ outputs.orders.uri }}"
path: items[]
as: item`,
  }],
  async run(context) {
    const { from, path, as, keepOriginalFields, onError } = context.properties;
    const input = await sourceOf(context, from);
    const source = String(path);
    const read = compileRecordExpression(source);
    const names = source.split(".").map((part) => part.replace(/\[\d*\]/g, "").trim());
    const counts = new Counts("processed", "failed", "dropped");
    const unnested = async function* (): AsyncGenerator<JsonObject> {
      for await (const record of input.records) {
        counts.add("processed");
        const found = elementsOf(record, read, source);
        if (found instanceof Error) {
          counts.add("failed");
          if (onError === "FAIL") throw found;
          if (onError === "SKIP") counts.add("dropped");
        }
        const elements = !(found instanceof Error) ? found : onError === "NULL" ? [null] : [];
        const rest = keepOriginalFields && elements.length > 0 ? without(record, names) : {};
        for (const element of elements) {
          const result = { ...rest };
          setOwnProperty(result, String(as), element);
          yield result;
        }
      }
    };
    const outputs = await recordOutputs(context, [input], unnested());
    counts.report(context);
    return outputs;
  },
});

function elementsOf(record: JsonObject, read: RecordExpression, path: string): JsonValue[] | Error {
  try {
    const value = read(record, new RecordSteps());
    if (value === null) return [];
    return Array.isArray(value) ? value : new Error(`Cannot unnest "${path}": it is not a list`);
  } catch (error) {
    return new Error(`Cannot unnest "${path}": ${(error as Error).message}`);
  }
}

/** The record without the value at a path of names. */
function without(record: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(record)) {
    if (key !== name) setOwnProperty(copy, key, value);
    else if (rest.length > 0) {
      const inner = ownProperty(record, key) ?? null;
      setOwnProperty(copy, key, isJsonObject(inner) ? without(inner, rest) : inner);
    }
  }
  return copy;
}
