/** `onChildFailure`: what a failed child of a task does to the others that run beside it. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { AfterFailure } from "../branches.ts";

/** By the value of the property; the short names are those of later versions. */
const POLICIES: ReadonlyMap<string, AfterFailure> = new Map<string, AfterFailure>([
  ["FAILED", "wait"],
  ["CANCELLED", "cancel"],
  ["CONTINUE", "continue"],
  ["FAIL", "wait"],
  ["CANCEL", "cancel"],
]);

/** What is stored of the rendered property; the default is stored as absent. @throws Error there is no such value */
export function failureDecision(value: JsonValue | undefined): JsonObject {
  const name = String(value ?? "FAILED").toUpperCase();
  const policy = POLICIES.get(name);
  if (!policy) {
    throw new Error(`Invalid onChildFailure "${name}": it must be one of ${[...POLICIES.keys()].join(", ")}`);
  }
  return policy === "wait" ? {} : { afterFailure: policy };
}

/** The stored one. */
export function afterFailureOf({ afterFailure }: JsonObject): AfterFailure {
  return afterFailure === "cancel" || afterFailure === "continue" ? afterFailure : "wait";
}
