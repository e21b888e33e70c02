/** `core.flow.Parallel`: all of its tasks at once, or `concurrent` at a time. */
import { eachTask } from "../branches.ts";
import type { Flowable } from "./flowable.ts";
import { limitOf } from "./values.ts";

/** After a failure no further task is started. */
export const parallel: Flowable = {
  kind: "core.flow.Parallel",
  renders: ["concurrent"],
  begin: ({ concurrent }) => ({ decision: limitDecision(limitOf(concurrent, 0)) }),
  branches: (place, { limit }) => eachTask(place.blocks.get("tasks"), Number(limit ?? Infinity)),
};

/** A stored limit; none is stored as absent. */
export function limitDecision(limit: number): { limit?: number } {
  return limit === Infinity ? {} : { limit };
}
