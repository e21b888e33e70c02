/** `transform.Zip`. */
import { type JsonObject, setOwnProperty } from "../../base/json.ts";
import { dynamicChoice } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { alignedRecords, alignedSources, INPUTS } from "./aligned.ts";
import { counters, Counts, OUTPUT_PROPERTIES, RECORD_OUTPUTS, recordOutputs } from "./records.ts";

/** Joins the records of the same position. */
export const zipRecords = defineTask({
  type: "transform.Zip",
  title: "Join records by position",
  description: "Makes one record of the records of the same position of several sources of the same length.",
  properties: {
    inputs: INPUTS,
    onConflict: dynamicChoice(
      ["FAIL", "LEFT", "RIGHT"],
      "FAIL",
      "What happens if two records have a field of the same name: an error, or the first or last value is kept.",
    ),
    onError: dynamicChoice(
      ["FAIL", "SKIP"],
      "FAIL",
      "What happens at an error: the task fails, or the record is left out.",
    ),
    ...OUTPUT_PROPERTIES,
  },
  outputs: RECORD_OUTPUTS,
  metrics: counters({
    processed: "Positions that were read.",
    failed: "Records that cannot be joined.",
    dropped: "Records that were left out.",
  }),
  examples: [{
    title: "Join records with their scores",
    yaml: `id: joined
type: io.svc.plugin.transform.Zip
inputs:
  - "{{ outputs.customers.uri }}"
  - "{{ outputs.scores.uri }}"
onConflict: RIGHT`,
  }],
  async run(context) {
    const { onConflict, onError } = context.properties;
    const sources = await alignedSources(context, 2);
    const counts = new Counts("processed", "failed", "dropped");
    const joined = async function* (): AsyncGenerator<JsonObject> {
      for await (const records of alignedRecords(sources, true)) {
        counts.add("processed");
        const result = join(records, String(onConflict));
        if (typeof result !== "string") {
          yield result;
          continue;
        }
        counts.add("failed");
        if (onError === "FAIL") throw new Error(`Cannot join the records: "${result}" is in several of them`);
        counts.add("dropped");
      }
    };
    const outputs = await recordOutputs(context, sources, joined());
    counts.report(context);
    return outputs;
  },
});

/** The joined record, or the name of a field that several records have. */
function join(records: readonly JsonObject[], onConflict: string): JsonObject | string {
  const result: JsonObject = {};
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const isTaken = Object.hasOwn(result, name);
      if (isTaken && onConflict === "FAIL") return name;
      if (!isTaken || onConflict === "RIGHT") setOwnProperty(result, name, value);
    }
  }
  return result;
}
