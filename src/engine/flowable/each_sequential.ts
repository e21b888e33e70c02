/** `core.flow.EachSequential`: an older ForEach, one value after the other. */
import { eachValue } from "../branches.ts";
import type { Flowable } from "./flowable.ts";
import { readValues, valuesOf } from "./values.ts";

/** Deprecated, and kept for existing flows. */
export const eachSequential: Flowable = {
  kind: "core.flow.EachSequential",
  renders: ["value"],
  begin: ({ value }) => readValues(value, "an EachSequential"),
  branches: (place, decision) => eachValue(valuesOf(decision), place.blocks.get("tasks"), 1),
};
