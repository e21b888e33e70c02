/** `core.flow.Parallel`: all of its tasks at once, or `concurrent` at a time. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { type AfterFailure, eachTask } from "../branches.ts";
import type { Flowable } from "./flowable.ts";
import { limitOf } from "./values.ts";

/** `onChildFailure` decides the effect of a failure on the other tasks. */
export const parallel: Flowable = {
  kind: "core.flow.Parallel",
  renders: ["concurrent", "onChildFailure"],
  begin: ({ concurrent, onChildFailure }) => ({
    decision: { ...limitDecision(limitOf(concurrent, 0)), ...failureDecision(onChildFailure) },
  }),
  branches: (place, decision) => ({
    ...eachTask(place.blocks.get("tasks"), Number(decision.limit ?? Infinity)),
    afterFailure: afterFailureOf(decision),
  }),
};

/** The stored form of a limit; absent for none. */
export function limitDecision(limit: number): { limit?: number } {
  return limit === Infinity ? {} : { limit };
}

/** By value of `onChildFailure`; the short names come from later versions. */
const POLICIES: ReadonlyMap<string, AfterFailure> = new Map<string, AfterFailure>([
  ["FAILED", "wait"],
  ["CANCELLED", "cancel"],
  ["CONTINUE", "continue"],
  ["FAIL", "wait"],
  ["CANCEL", "cancel"],
]);

/** The stored form of the rendered property; the default is absent. @throws Error unknown value */
function failureDecision(value: JsonValue | undefined): JsonObject {
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
