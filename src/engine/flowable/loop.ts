/** `core.flow.Loop`: an execution of its tasks for each value. Its own execution runs nothing but its `finally`. */
import { isJsonObject } from "../../base/json.ts";
import { LOOP } from "../../model/executions/loop_run.ts";
import { sequence } from "../branches.ts";
import type { Flowable } from "./flowable.ts";

/** Its children begin when it has its end, which their ends may make worse. */
export const loop: Flowable = {
  kind: LOOP,
  startsExecutions: true,
  hasOwnEnd: true,
  /** The passes of an execution that this one is a copy of stay its own. */
  restarts(_task, { children, restarts }, executionId) {
    const numbers = children ?? restarts;
    return isJsonObject(numbers) && numbers.executionId === executionId ? numbers : undefined;
  },
  branches: (_place, { end }) => end === undefined ? undefined : sequence(undefined),
};
