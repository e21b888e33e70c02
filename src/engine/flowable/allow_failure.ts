/** `core.flow.AllowFailure`: its tasks one after the other; a failure is a warning. */
import { sequence } from "../branches.ts";
import type { Flowable } from "./flowable.ts";

/** WARNING where a Sequential would end FAILED. */
export const allowFailure: Flowable = {
  kind: "core.flow.AllowFailure",
  branches: (place) => sequence(place.blocks.get("tasks")),
  outcome: (state) => state === "FAILED" ? "WARNING" : state,
};
