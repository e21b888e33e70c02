/** `core.flow.Parallel`: all of its tasks at once, or `concurrent` at a time. */
import { eachTask } from "../branches.ts";
import { afterFailureOf, failureDecision } from "./child_failure.ts";
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
