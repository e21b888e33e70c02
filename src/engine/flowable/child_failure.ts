/** `onChildFailure`: the effect of a failed child on its siblings. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { AfterFailure } from "../branches.ts";

/** By value of the property; the short names come from later versions. */
const POLICIES: ReadonlyMap<string, AfterFailure> = new Map<string, AfterFailure>([
  ["FAILED", "wait"],
  ["CANCELLED", "cancel"],
  ["CONTINUE", "continue"],
  ["FAIL", "wait"],
  ["CANCEL", "cancel"],
]);

/** The stored form of the rendered property; the default is absent. @throws Error unknown value */
export function failureDecision(value: JsonValue | undefined): JsonObject {
  const name = String(value ?? "FAILED").toUpperCase();
  const policy = POLICIES.get(name);
  if (!policy) {
    throw new Error(`Invalid onChildFailure "${name}": it must be one of ${[...POLICIES.keys()].join(", ")}`);
  }
  return policy === "wait" ? {} : { afterFailure: policy };
}

/** The policy from its stored form. */
export function afterFailureOf({ afterFailure }: JsonObject): AfterFailure {
  return afterFailure === "cancel" || afterFailure === "continue" ? afterFailure : "wait";
}
