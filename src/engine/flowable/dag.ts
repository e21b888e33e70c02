/** `core.flow.Dag`: each of its tasks after those it depends on, the others at once. */
import { inOrderOfNeeds } from "../branches.ts";
import { afterFailureOf, failureDecision } from "./child_failure.ts";
import type { Flowable } from "./flowable.ts";
import { limitDecision } from "./parallel.ts";
import { limitOf } from "./values.ts";

/** A disabled task counts as done. A task that needs a failed one never begins, whatever `onChildFailure` says. */
export const dag: Flowable = {
  kind: "core.flow.Dag",
  renders: ["concurrent", "onChildFailure"],
  begin: ({ concurrent, onChildFailure }) => ({
    decision: { ...limitDecision(limitOf(concurrent, 0)), ...failureDecision(onChildFailure) },
  }),
  branches: (place, decision) => ({
    ...inOrderOfNeeds(place.blocks.get("tasks"), Number(decision.limit ?? Infinity)),
    afterFailure: afterFailureOf(decision),
  }),
};
