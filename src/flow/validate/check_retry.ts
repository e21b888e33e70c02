/** What the times of a retry must be among each other. */
import { parseDuration } from "../../base/duration.ts";
import { isJsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";

/** By type: the first is less than the second. */
const ORDERS: ReadonlyMap<string, readonly (readonly [string, string])[]> = new Map([
  ["constant", [["interval", "maxDuration"]]],
  ["exponential", [["interval", "maxInterval"], ["interval", "maxDuration"]]],
  ["random", [["minInterval", "maxInterval"], ["minInterval", "maxDuration"], [
    "maxInterval",
    "maxDuration",
  ]]],
]);

/** Reports intervals that no attempt could keep. What is no duration is left to the schema. */
export function checkRetry(retry: JsonValue | undefined, path: Path, report: Report): void {
  if (!isJsonObject(retry)) return;
  for (const [less, more] of ORDERS.get(String(ownProperty(retry, "type"))) ?? []) {
    const low = durationOf(ownProperty(retry, less)), high = durationOf(ownProperty(retry, more));
    if (low === undefined || high === undefined || low < high) continue;
    const message = `'${less}' must be less than '${more}' but is ${String(ownProperty(retry, less))}`;
    report.error("bad_retry", [...path, less], message);
  }
}

function durationOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "string" ? parseDuration(value) : undefined;
}
