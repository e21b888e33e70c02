/** `core.flow.ForEach`: its tasks once for each value. */
import { eachValue } from "../branches.ts";
import type { Flowable } from "./flowable.ts";
import { limitDecision } from "./parallel.ts";
import { limitOf, readValues, valuesOf } from "./values.ts";

/** Values one after the other, or `concurrencyLimit` at a time. */
export const forEach: Flowable = {
  kind: "core.flow.ForEach",
  renders: ["values", "concurrencyLimit"],
  begin({ values, concurrencyLimit }) {
    const limit = limitDecision(limitOf(concurrencyLimit, 1));
    const { failure, decision } = readValues(values, "a ForEach");
    return { failure, decision: { ...decision, ...limit } };
  },
  branches: (place, decision) =>
    eachValue(valuesOf(decision), place.blocks.get("tasks"), Number(decision.limit ?? Infinity)),
};
