/** `core.flow.Subflow`: an execution of another flow. */
import type { Flowable } from "./flowable.ts";

/** Outputs: `executionId`, and at the end `state` and `outputs`. */
export const subflow: Flowable = {
  kind: "core.flow.Subflow",
  startsExecutions: true,
  restarts({ properties }, { executionId, restarts }) {
    if (String(properties.restartBehavior ?? "RETRY_FAILED") === "NEW_EXECUTION") return undefined;
    const known = executionId ?? restarts;
    return typeof known === "string" ? known : undefined;
  },
};
