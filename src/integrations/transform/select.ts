/** `transform.Select`. */
import { type JsonObject, setOwnProperty } from "../../base/json.ts";
import { dynamicChoice, dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { alignedRecords, alignedSources, INPUTS } from "./aligned.ts";
import { type ComputedField, computedFields, FIELDS, withoutNulls } from "./fields.ts";
import { CHOICE_METRICS, conditionOf, ON_RECORD_ERROR } from "./filter.ts";
import { RecordSteps } from "./record_steps.ts";
import { Counts, OUTPUT_PROPERTIES, RECORD_OUTPUTS, recordOutputs } from "./records.ts";

/** Joins, chooses and computes in one step. */
export const selectRecords = defineTask({
  type: "transform.Select",
  title: "Select records of several sources",
  description:
    "Joins the records of the same position of several sources, keeps those for which an expression is true, and computes fields. Expressions read the joined record, and the record of each source as `$1`, `$2`, ….",
  properties: {
    inputs: INPUTS,
    where: dynamicText("Expression that is true for records to keep; default keeps all."),
    fields: { ...FIELDS, description: `${FIELDS.description} Default is the joined record.` },
    keepInputFields: dynamicProperty(
      "list",
      "Numbers of sources, from 1, whose fields are kept beside those of `fields`.",
      { items: { type: "integer", description: "Number of a source.", minimum: 1 } },
    ),
    dropNulls: dynamicFlag(true, "Whether fields that are null are left out."),
    onLengthMismatch: dynamicChoice(
      ["FAIL", "SKIP"],
      "FAIL",
      "What happens if sources have different lengths: the task fails, or the rest of the longer ones is left out.",
    ),
    onError: ON_RECORD_ERROR,
    ...OUTPUT_PROPERTIES,
  },
  outputs: RECORD_OUTPUTS,
  metrics: CHOICE_METRICS,
  examples: [{
    title: "Join orders with customers",
    yaml: `id: select
type: io.svc.plugin.transform.Select
inputs:
  - "{{ outputs.orders.uri }}"
  - "{{ outputs.customers.uri }}"
where: amount > 100 && $2.is_active
fields:
  orderId: order_id
  customer: $2.name`,
  }],
  async run(context) {
    const { where, fields, keepInputFields, dropNulls, onLengthMismatch, onError } = context.properties;
    const sources = await alignedSources(context, 1);
    const choose = chooser({
      holds: typeof where === "string" && where.trim() !== "" ? conditionOf(where) : () => true,
      fields: computedFields(fields),
      kept: Array.isArray(keepInputFields) ? keepInputFields.map(Number) : [],
    });
    const counts = new Counts("processed", "passed", "dropped", "failed");
    const selected = async function* (): AsyncGenerator<JsonObject> {
      for await (const records of alignedRecords(sources, onLengthMismatch === "FAIL")) {
        counts.add("processed");
        const joined = joinedOf(records);
        let chosen: JsonObject | undefined;
        try {
          chosen = choose(joined, records);
        } catch (error) {
          counts.add("failed");
          if (onError === "FAIL") throw error;
          if (onError === "KEEP") chosen = joined;
        }
        counts.add(chosen ? "passed" : "dropped");
        if (chosen) yield dropNulls ? withoutNulls(chosen) : chosen;
      }
    };
    const outputs = await recordOutputs(context, sources, selected());
    counts.report(context);
    return outputs;
  },
});

interface Choice {
  readonly holds: ReturnType<typeof conditionOf>;
  readonly fields: readonly ComputedField[];
  /** Numbers of sources, from 1. */
  readonly kept: readonly number[];
}

/** The record of the result, or `undefined` for one that is left out. */
function chooser({ holds, fields, kept }: Choice) {
  return (joined: JsonObject, records: readonly JsonObject[]): JsonObject | undefined => {
    const scope = { ...joined }, steps = new RecordSteps();
    records.forEach((record, index) => setOwnProperty(scope, `$${index + 1}`, record));
    if (!holds(scope, steps)) return undefined;
    if (fields.length === 0) return joined;
    const result = joinedOf(kept.map((number) => records[number - 1] ?? {}));
    for (const { name, value } of fields) setOwnProperty(result, name, value(scope, steps));
    return result;
  };
}

/** Later records win. */
function joinedOf(records: readonly JsonObject[]): JsonObject {
  const joined: JsonObject = {};
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) setOwnProperty(joined, name, value);
  }
  return joined;
}
