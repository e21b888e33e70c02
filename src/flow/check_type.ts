/** The `type` of tasks, triggers, inputs and outputs. */
import { type JsonObject, ownProperty } from "../base/json.ts";
import { nearestName } from "../base/nearest_name.ts";
import { cutText, describeValue } from "./describe.ts";
import type { Path } from "./parse.ts";
import type { Report } from "./report.ts";

/** The `type` of `object`, which is at `path`; reports a missing one and gives `undefined`. */
export function checkTypeMember(object: JsonObject, path: Path, report: Report): string | undefined {
  const type = ownProperty(object, "type");
  const at = [...path, "type"];
  if (type === undefined || type === null) report.error("required", at, "must not be null");
  else if (typeof type !== "string") {
    report.error("wrong_type", at, `must be a text, but received ${describeValue(type)}`);
  } else return type;
  return undefined;
}

/** Reports a type that nothing can be done with; one that is known for later is told apart. */
export function refuseType(
  type: string,
  path: Path,
  { report, isPlanned, known = [] }: { report: Report; isPlanned: boolean; known?: Iterable<string> },
): void {
  const at = [...path, "type"];
  if (isPlanned) {
    report.error("unsupported_type", at, `Type "${cutText(type)}" is not supported yet`);
    return;
  }
  const near = nearestName(type.slice(0, 200), known);
  const hint = near === undefined ? "" : `, did you mean "${near}"`;
  report.error("unknown_type", at, `Invalid type: ${cutText(type)}${hint}`);
}
