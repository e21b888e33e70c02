/** Conditions of `listeners`: each must be told from one execution. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, ownProperty } from "../../base/json.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import type { TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";

import { scalarText } from "../schema/describe.ts";
import type { Report } from "../source/report.ts";

/** Reports conditions that remember several executions: a listener sees one. */
export function checkListeners(document: JsonObject, catalog: TriggerCatalog, report: Report): void {
  for (const [index, listener] of objectsOf(ownProperty(document, "listeners")).entries()) {
    for (const [at, condition] of listOf(ownProperty(listener, "conditions")).entries()) {
      const written = isJsonObject(condition) ? scalarText(ownProperty(condition, "type")) : undefined;
      if (written === undefined || catalog.findCondition(canonicalType(written))?.form !== "window") continue;
      const path = ["listeners", index, "conditions", at, "type"];
      report.error("not_supported", path, "needs several executions, and a listener sees one; remove it");
    }
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
