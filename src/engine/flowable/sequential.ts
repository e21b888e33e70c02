/** `core.flow.Sequential`: its tasks one after the other. */
import { sequence } from "../branches.ts";
import type { Flowable } from "./flowable.ts";

/** Ends as its worst task. */
export const sequential: Flowable = {
  kind: "core.flow.Sequential",
  branches: (place) => sequence(place.blocks.get("tasks")),
};
