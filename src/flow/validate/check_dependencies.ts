/** Rules of `dependsOn`, `mode` and `window` of a Flow trigger that schemas cannot say. */
import { isJsonObject, type JsonObject, ownProperty } from "../../base/json.ts";
import { checkZone } from "./check_schedule.ts";
import { scalarText } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";

/** A window is given in one of these ways. */
const WAYS: readonly (readonly string[])[] = [["deadline"], ["from", "to"], ["every", "offset"], [
  "lookback",
]];
/** Members that need `dependsOn`. */
const DEPENDENT = ["mode", "minSatisfied", "window"];

/** Reports what does not fit together. */
export function checkDependencies(trigger: JsonObject, path: Path, report: Report): void {
  const entries = ownProperty(trigger, "dependsOn") ?? null;
  const count = Array.isArray(entries) ? entries.length : 0;
  for (const name of count === 0 ? DEPENDENT : []) {
    if (isGiven(trigger, name)) report.error("required", path, `\`${name}\` needs \`dependsOn\``);
  }
  if (count > 0 && isGiven(trigger, "preconditions")) {
    report.error("bad_dependency", [...path, "preconditions"], "cannot be combined with `dependsOn`");
  }
  if (count > 0) checkMode(trigger, count, { path, report });
  const window = ownProperty(trigger, "window");
  if (!isJsonObject(window)) return;
  checkWindow(window, [...path, "window"], report);
  checkZone(ownProperty(window, "timezone"), [...path, "window", "timezone"], report);
}

function checkMode(
  trigger: JsonObject,
  count: number,
  { path, report }: { readonly path: Path; readonly report: Report },
): void {
  const isCounted = scalarText(ownProperty(trigger, "mode")) === "AT_LEAST";
  if (isCounted !== isGiven(trigger, "minSatisfied")) {
    report.error("required", path, "`mode: AT_LEAST` and `minSatisfied` need each other");
    return;
  }
  if (isCounted && Number(scalarText(ownProperty(trigger, "minSatisfied"))) > count) {
    const message = `must not be more than the ${count} entries of \`dependsOn\``;
    report.error("too_large", [...path, "minSatisfied"], message);
  }
}

function checkWindow(window: JsonObject, path: Path, report: Report): void {
  const given = WAYS.filter((names) => names.some((name) => isGiven(window, name)));
  if (given.length !== 1) {
    report.error(
      "bad_dependency",
      path,
      "must have either `deadline`, `from` and `to`, `every`, or `lookback`",
    );
  } else if (isGiven(window, "from") !== isGiven(window, "to")) {
    report.error("bad_dependency", path, "`from` and `to` need each other");
  } else if (isGiven(window, "offset") && !isGiven(window, "every")) {
    report.error("bad_dependency", path, "`offset` needs `every`");
  }
}

function isGiven(object: JsonObject, name: string): boolean {
  return (ownProperty(object, name) ?? null) !== null;
}
