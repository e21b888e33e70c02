/** `core.flow.Dag`: each of its tasks after those it depends on, the others at once. */
import { inOrderOfNeeds } from "../branches.ts";
import type { Flowable } from "./flowable.ts";
import { limitDecision } from "./parallel.ts";
import { limitOf } from "./values.ts";

/** A disabled task counts as done. */
export const dag: Flowable = {
  kind: "core.flow.Dag",
  renders: ["concurrent"],
  begin: ({ concurrent }) => ({ decision: limitDecision(limitOf(concurrent, 0)) }),
  branches: (place, { limit }) => inOrderOfNeeds(place.blocks.get("tasks"), Number(limit ?? Infinity)),
};
