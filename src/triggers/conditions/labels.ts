/** Labels of executions, as conditions test them. */
import type { JsonValue } from "../../base/json.ts";
import { readStructure } from "../../base/json_text.ts";
import { readLabels } from "../../model/flows/label.ts";
import type { ObservedExecution } from "../../model/triggers/trigger_catalog.ts";

/**
 * True when the execution has all of these labels: a map or a list of `key` and `value`, which may be given as its JSON.
 * @throws Error for another value
 */
export function hasLabels({ labels }: ObservedExecution, wanted: JsonValue = null): boolean {
  const given = readStructure(wanted);
  if (given !== null && typeof given !== "object") throw new Error(`Cannot read "${given}" as labels`);
  return readLabels(given).every(({ key, value }) =>
    labels.some((label) => label.key === key && label.value === value)
  );
}
