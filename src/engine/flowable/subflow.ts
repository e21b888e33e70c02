/** `core.flow.Subflow`: an execution of another flow. */
import type { Flowable } from "./flowable.ts";
import { startsNew } from "./restarts.ts";

/** Outputs: `executionId`, and at the end `state` and `outputs`. */
export const subflow: Flowable = {
  kind: "core.flow.Subflow",
  startsExecutions: true,
  restarts(task, { executionId, restarts }) {
    if (startsNew(task)) return undefined;
    const known = executionId ?? restarts;
    return typeof known === "string" ? known : undefined;
  },
};
