/** `core.flow.If`: one of two lists of tasks. */
import { sequence } from "../branches.ts";
import { isTruthyText } from "../../base/text/truthy_text.ts";
import type { Flowable } from "./flowable.ts";

/** Output: `evaluationResult`. */
export const ifTask: Flowable = {
  kind: "core.flow.If",
  renders: ["condition"],
  begin({ condition }) {
    const holds = isTruthyText(String(condition ?? ""));
    return { decision: { branch: holds ? "then" : "else" }, outputs: { evaluationResult: holds } };
  },
  branches: (place, { branch }) => sequence(place.blocks.get(String(branch))),
};
