/** `transform.Map`. */
import { type JsonObject, setOwnProperty } from "../../base/json.ts";
import { dynamicChoice, dynamicFlag } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { type ComputedField, computedFields, FIELDS, withoutNulls } from "./fields.ts";
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

/** One record of the result for each record. */
export const mapRecords = defineTask({
  type: "transform.Map",
  title: "Map records",
  description: "Gives each record the fields that expressions compute from it, with types.",
  properties: {
    from: FROM,
    fields: { ...FIELDS, required: true },
    keepOriginalFields: dynamicFlag(false, "Whether fields of the record that are not computed are kept."),
    dropNulls: dynamicFlag(true, "Whether fields that are null are left out."),
    onError: dynamicChoice(
      ["FAIL", "SKIP", "NULL"],
      "FAIL",
      "What happens if a field cannot be computed: the task fails, the record is left out, or the field is null.",
    ),
    ...OUTPUT_PROPERTIES,
  },
  outputs: RECORD_OUTPUTS,
  metrics: counters({
    processed: "Records that were read.",
    failed: "Records with a field that cannot be computed.",
    dropped: "Records that were left out.",
  }),
  examples: [{
    title: "Give records other names and types",
    yaml: `id: map
type: io.svc.plugin.transform.Map
from: "{{ outputs.query.uri }}"
fields:
  customer_id: user.id
  created_at: {expr: createdAt, type: TIMESTAMP}
  total: {expr: "sum(items[].price)", type: DECIMAL}`,
  }],
  async run(context) {
    const { from, fields: given, keepOriginalFields, dropNulls, onError } = context.properties;
    const input = await sourceOf(context, from);
    const fields = computedFields(given);
    if (fields.length === 0) throw new Error("Missing fields: they are empty");
    const counts = new Counts("processed", "failed", "dropped");
    const mapped = async function* (): AsyncGenerator<JsonObject> {
      for await (const record of input.records) {
        counts.add("processed");
        const { values, error } = compute(record, fields, String(onError));
        if (error) counts.add("failed");
        if (error && onError === "FAIL") throw error;
        if (error && onError === "SKIP") {
          counts.add("dropped");
          continue;
        }
        const all = keepOriginalFields ? { ...record, ...values } : values;
        yield dropNulls ? withoutNulls(all) : all;
      }
    };
    const outputs = await recordOutputs(context, [input], mapped());
    counts.report(context);
    return outputs;
  },
});

function compute(
  record: JsonObject,
  fields: readonly ComputedField[],
  onError: string,
): { readonly values: JsonObject; readonly error?: Error } {
  const values: JsonObject = {}, steps = new RecordSteps();
  let failure: Error | undefined;
  for (const field of fields) {
    try {
      const value = field.value(record, steps);
      if (value === null && !field.isOptional) throw new Error("it is null, and not optional");
      setOwnProperty(values, field.name, value);
    } catch (error) {
      failure ??= new Error(`Cannot compute the field "${field.name}": ${(error as Error).message}`);
      if (onError !== "NULL") break;
      setOwnProperty(values, field.name, null);
    }
  }
  return { values, error: failure };
}
