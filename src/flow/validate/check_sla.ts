/** Labels of SLAs: those of the system are not theirs to set. */
import { isJsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { readLabels, SYSTEM_LABEL_PREFIX, systemLabelMessage } from "../../model/flows/label.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";

/** Reports labels of the system among those that SLAs set. */
export function checkSlaLabels(slas: JsonValue | undefined, path: Path, report: Report): void {
  for (const [index, sla] of Array.isArray(slas) ? slas.entries() : []) {
    const labels = isJsonObject(sla) ? readLabels(ownProperty(sla, "labels")) : [];
    for (const { key, value } of labels) {
      if (!key.startsWith(SYSTEM_LABEL_PREFIX)) continue;
      report.error("bad_label", [...path, index, "labels"], systemLabelMessage(key, value));
    }
  }
}
