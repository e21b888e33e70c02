/** Whether one of the conditions that another one joins is true; the rest is not asked any more. */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import type { ConditionScope } from "../../model/triggers/trigger_catalog.ts";

/** Tests the property `conditions`, in order. */
export async function anyHolds(properties: JsonObject, { holds }: ConditionScope): Promise<boolean> {
  const conditions = ownProperty(properties, "conditions");
  for (const condition of Array.isArray(conditions) ? conditions : []) {
    if (await holds(condition)) return true;
  }
  return false;
}
