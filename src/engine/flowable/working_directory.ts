/** `core.flow.WorkingDirectory`: its tasks one after the other; they share a directory. */
import { sequence } from "../branches.ts";
import type { Flowable } from "./flowable.ts";

/** The directory is the business of the tasks. */
export const workingDirectory: Flowable = {
  kind: "core.flow.WorkingDirectory",
  branches: (place) => sequence(place.blocks.get("tasks")),
};
