/** `core.flow.Dag`: each of its tasks after those it depends on, the others at once. */
import { inOrderOfNeeds } from "../branches.ts";
import type { Flowable } from "./flowable.ts";
import { afterFailureOf, parallel } from "./parallel.ts";

/** A disabled task counts as done. A task that needs a failed one never begins, whatever `onChildFailure` says. */
export const dag: Flowable = {
  ...parallel,
  kind: "core.flow.Dag",
  branches: (place, decision) => ({
    ...inOrderOfNeeds(place.blocks.get("tasks"), Number(decision.limit ?? Infinity)),
    afterFailure: afterFailureOf(decision),
  }),
};
