/** `core.flow.WorkingDirectory`: its tasks one after the other; they share a directory. */
import { isJsonObject } from "../../base/json.ts";
import { sequence } from "../branches.ts";
import type { Flowable } from "./flowable.ts";

/** Its task type prepares the directory and collects `outputFiles`. */
export const workingDirectory: Flowable = {
  kind: "core.flow.WorkingDirectory",
  branches: (place) => sequence(place.blocks.get("tasks")),
  repeat: {
    renders: ["outputFiles"],
    followsFailure: true,
    decide: ({ outputs }) => ({
      type: "end",
      outputs: isJsonObject(outputs) ? outputs : {},
      state: "SUCCESS",
    }),
  },
};
