/** `transform.Filter`. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicChoice, dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
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

/** Property: what happens to a record whose condition or fields cannot be evaluated. */
export const ON_RECORD_ERROR: PropertySchema = dynamicChoice(
  ["FAIL", "SKIP", "KEEP"],
  "FAIL",
  "What happens if an expression cannot be evaluated: the task fails, or the record is left out or kept as it is.",
);

/** Metrics of types that choose records. */
export const CHOICE_METRICS = counters({
  processed: "Records that were read.",
  passed: "Records of the result.",
  dropped: "Records that were left out.",
  failed: "Records for which an expression cannot be evaluated.",
});

/** The condition of `where`. @throws Error the expression is malformed; later, the value is no boolean */
export function conditionOf(source: string): (record: JsonObject, steps: RecordSteps) => boolean {
  const evaluate: RecordExpression = compileRecordExpression(source);
  return (record, steps) => {
    const value = evaluate(record, steps);
    if (typeof value === "boolean") return value;
    throw new Error(`Cannot filter by "${source}": the value is not a boolean`);
  };
}

/** The records for which a condition holds. */
export const filterRecords = defineTask({
  type: "transform.Filter",
  title: "Filter records",
  description: "Keeps the records for which an expression is true.",
  properties: {
    from: FROM,
    where: dynamicText("Expression that is true for records to keep, such as `is_active && total > 100`.", {
      required: true,
    }),
    onError: ON_RECORD_ERROR,
    ...OUTPUT_PROPERTIES,
  },
  outputs: RECORD_OUTPUTS,
  metrics: CHOICE_METRICS,
  examples: [{
    title: "Keep active customers",
    yaml: `id: active
type: io.svc.plugin.transform.Filter
from: "{{ outputs.customers.uri }}"
where: is_active && country in ("FR", "DE")`,
  }],
  async run(context) {
    const { from, where, onError } = context.properties;
    const input = await sourceOf(context, from);
    const holds = conditionOf(String(where));
    const counts = new Counts("processed", "passed", "dropped", "failed");
    const kept = async function* (): AsyncGenerator<JsonObject> {
      for await (const record of input.records) {
        counts.add("processed");
        let isKept: boolean;
        try {
          isKept = holds(record, new RecordSteps());
        } catch (error) {
          counts.add("failed");
          if (onError === "FAIL") throw error;
          isKept = onError === "KEEP";
        }
        counts.add(isKept ? "passed" : "dropped");
        if (isKept) yield record;
      }
    };
    const outputs = await recordOutputs(context, [input], kept());
    counts.report(context);
    return outputs;
  },
});
