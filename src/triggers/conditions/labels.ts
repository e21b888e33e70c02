/** Labels of executions, as conditions test them. */
import type { JsonValue } from "../../base/json.ts";
import { readLabels } from "../../model/label.ts";
import type { ObservedExecution } from "../../model/trigger_catalog.ts";

/** True when the execution has all of these labels, which are a map or a list of `key` and `value`. */
export function hasLabels({ labels }: ObservedExecution, wanted: JsonValue | undefined): boolean {
  return readLabels(wanted).every(({ key, value }) =>
    labels.some((label) => label.key === key && label.value === value)
  );
}
