/** Rules of triggers. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import { checkId, IdSet, TASK_ID } from "./check_ids.ts";
import { checkTypeMember, refuseType } from "./check_type.ts";
import { describeValue, scalarText } from "./describe.ts";
import { TRIGGER_PROPERTIES, WEBHOOK_PROPERTIES } from "./flow_schema.ts";
import { kindName, triggerKind, WEBHOOK_KIND } from "./kinds.ts";
import {
  IGNORED_TRIGGER_PROPERTIES,
  UNSUPPORTED_TRIGGER_PROPERTIES,
  UNSUPPORTED_TRIGGER_TYPES,
} from "./not_supported.ts";
import type { Path } from "./parse.ts";
import { hasExpression, type Report } from "./report.ts";
import { checkMembers } from "./schema_check.ts";

/** Reports what is wrong with the triggers of a flow. */
export function checkTriggers(triggers: JsonValue | undefined, path: Path, report: Report): void {
  if (!Array.isArray(triggers)) return;
  const ids = new IdSet("trigger", report);
  const keys = new Map<string, number>();
  for (const [index, trigger] of triggers.entries()) {
    const at = [...path, index];
    if (!isJsonObject(trigger)) {
      report.error("wrong_type", at, `must be a trigger, but received ${describeValue(trigger)}`);
      continue;
    }
    ids.add(checkId(ownProperty(trigger, "id"), TASK_ID, [...at, "id"], report), [...at, "id"]);
    const type = checkTypeMember(trigger, at, report);
    if (type === undefined) continue;
    if (triggerKind(type) !== WEBHOOK_KIND) {
      refuseType(type, at, { report, isPlanned: UNSUPPORTED_TRIGGER_TYPES.has(kindName(type)) });
      continue;
    }
    checkWebhook(trigger, at, report);
    checkKeyIsUnique(trigger, at, { report, keys });
  }
}

const WEBHOOK_SCHEMAS = Object.freeze({ ...TRIGGER_PROPERTIES, ...WEBHOOK_PROPERTIES });

function checkWebhook(trigger: JsonObject, path: Path, report: Report): void {
  checkMembers(trigger, WEBHOOK_SCHEMAS, {
    path,
    report,
    unsupported: UNSUPPORTED_TRIGGER_PROPERTIES,
    ignored: IGNORED_TRIGGER_PROPERTIES,
  });
  const key = scalarText(ownProperty(trigger, "key"));
  if (key?.trim() === "") report.error("required", [...path, "key"], "must not be empty");
}

/** A key names one trigger. Keys are trimmed before they are compared; the message keeps them secret. */
function checkKeyIsUnique(
  trigger: JsonObject,
  path: Path,
  { report, keys }: { report: Report; keys: Map<string, number> },
): void {
  const key = scalarText(ownProperty(trigger, "key"))?.trim();
  if (!key || hasExpression(key)) return;
  const first = keys.get(key);
  if (first === undefined) keys.set(key, Number(path.at(-1)));
  else report.error("duplicate_key", [...path, "key"], `must differ from the key of triggers[${first}]`);
}
