/** `core.flow.EachParallel`: an older ForEach, where every task of every value runs at once. */
import { eachValueAndTask } from "../branches.ts";
import type { Flowable } from "./flowable.ts";
import { limitDecision } from "./parallel.ts";
import { limitOf, readValues, valuesOf } from "./values.ts";

/** Deprecated, and kept for existing flows. */
export const eachParallel: Flowable = {
  kind: "core.flow.EachParallel",
  renders: ["value", "concurrent"],
  begin({ value, concurrent }) {
    const { failure, decision } = readValues(value, "an EachParallel");
    return { failure, decision: { ...decision, ...limitDecision(limitOf(concurrent, 0)) } };
  },
  branches: (place, decision) =>
    eachValueAndTask(valuesOf(decision), place.blocks.get("tasks"), Number(decision.limit ?? Infinity)),
};
