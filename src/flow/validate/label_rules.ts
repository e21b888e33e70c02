/** Rules of the labels of flows and of SLAs: a map, or a list of `{key, value}`. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { bytesAsJson } from "../../base/json_size.ts";
import {
  READ_ONLY_LABEL,
  readLabels,
  SYSTEM_LABEL_PREFIX,
  systemLabelMessage,
} from "../../model/flows/label.ts";
import { MAX_LABEL_LENGTH, MAX_LABELS, MAX_LABELS_BYTES } from "../../model/limits.ts";
import { cutText, describeValue, scalarText } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";

interface Entry {
  readonly key: JsonValue | undefined;
  readonly value: JsonValue | undefined;
  readonly path: Path;
}

/** Reports problems of the labels of a flow. */
export function checkLabels(labels: JsonValue | undefined, path: Path, report: Report): void {
  if (labels === undefined || labels === null) return;
  if (!Array.isArray(labels) && !isJsonObject(labels)) {
    const text = `must be an object, or a list of "key" and "value", but received ${describeValue(labels)}`;
    report.error("wrong_type", path, text);
    return;
  }
  const entries = entriesOf(labels, path);
  if (entries.length > MAX_LABELS) report.error("too_many", path, `size must be between 0 and ${MAX_LABELS}`);
  for (const entry of entries.slice(0, MAX_LABELS)) {
    const message = labelMessage(entry);
    if (message !== undefined) report.error("bad_label", entry.path, message);
  }
  if (
    entries.length > MAX_LABELS || bytesAsJson(readLabels(labels).flatMap(Object.values)) <= MAX_LABELS_BYTES
  ) return;
  report.error("too_large", path, `all labels together have at most ${MAX_LABELS_BYTES} bytes as JSON`);
}

function entriesOf(labels: JsonValue[] | JsonObject, path: Path): Entry[] {
  if (Array.isArray(labels)) {
    return labels.map((item, index) => {
      const label = isJsonObject(item) ? item : {};
      return { key: ownProperty(label, "key"), value: ownProperty(label, "value"), path: [...path, index] };
    });
  }
  return Object.keys(labels).map((key) => ({ key, value: ownProperty(labels, key), path: [...path, key] }));
}

function labelMessage({ key, value }: Entry): string | undefined {
  const keyText = scalarText(key), valueText = scalarText(value);
  if (!keyText) return "the key of a label must not be empty";
  if (!valueText) {
    return (value ?? "") === ""
      ? "the value of a label must not be empty"
      : `the value of a label must be a text, but received ${describeValue(value)}`;
  }
  if (keyText.startsWith(SYSTEM_LABEL_PREFIX) && keyText !== READ_ONLY_LABEL) {
    return systemLabelMessage(cutText(keyText), cutText(valueText));
  }
  const isTooLong = keyText.length > MAX_LABEL_LENGTH || valueText.length > MAX_LABEL_LENGTH;
  return isTooLong ? `key and value of a label have at most ${MAX_LABEL_LENGTH} characters` : undefined;
}

/** Reports system labels among those that the SLAs of a flow set. */
export function checkSlaLabels(slas: JsonValue | undefined, path: Path, report: Report): void {
  for (const [index, sla] of Array.isArray(slas) ? slas.entries() : []) {
    if (isJsonObject(sla)) checkNoSystemLabels(sla, [...path, index], report);
  }
}

/** Reports system labels among the `labels` of a declaration, which its executions would get. */
export function checkNoSystemLabels(declared: JsonObject, path: Path, report: Report): void {
  for (const { key, value } of readLabels(ownProperty(declared, "labels"))) {
    if (!key.startsWith(SYSTEM_LABEL_PREFIX)) continue;
    report.error("bad_label", [...path, "labels"], systemLabelMessage(key, value));
  }
}
