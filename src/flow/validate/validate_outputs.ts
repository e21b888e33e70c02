/** Rules of declared outputs. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { checkId, IdSet, INPUT_ID } from "./check_ids.ts";
import { describeValue, scalarText } from "../schema/describe.ts";
import { OUTPUT_PROPERTIES } from "../schema/flow_schema.ts";
import { findInputType } from "../inputs/registry.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";
import { checkMembers } from "../schema/schema_check.ts";
import { refuseInputType } from "./validate_inputs.ts";

/** Checked apart. */
const ID: ReadonlySet<string> = new Set(["id"]);

/** Reports what is wrong with the outputs of a flow. */
export function checkOutputs(outputs: JsonValue | undefined, path: Path, report: Report): void {
  if (!Array.isArray(outputs)) return;
  const ids = new IdSet("output", report);
  for (const [index, output] of outputs.entries()) {
    const at = [...path, index];
    if (!isJsonObject(output)) {
      report.error("wrong_type", at, `must be an output, but received ${describeValue(output)}`);
      continue;
    }
    ids.add(checkId(ownProperty(output, "id"), INPUT_ID, [...at, "id"], report), [...at, "id"]);
    checkMembers(output, OUTPUT_PROPERTIES, { path: at, report, apart: ID });
    checkOutputType(output, at, report);
  }
}

/** The type is one of the types of inputs; without it the value is kept as it is rendered. */
function checkOutputType(output: JsonObject, path: Path, report: Report): void {
  const type = scalarText(ownProperty(output, "type"));
  if (type === undefined || findInputType(type)) return;
  refuseInputType(type, path, report);
}
