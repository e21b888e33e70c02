/** `core.flow.Loop`: an execution of its tasks for each value. Its own execution runs nothing but its `finally`. */
import { isJsonObject } from "../../base/json.ts";
import { LOOP } from "../../model/executions/loop_run.ts";
import { sequence } from "../branches.ts";
import type { Flowable } from "./flowable.ts";

/** Its `finally` begins when its end is decided, and may make it worse. */
export const loop: Flowable = {
  kind: LOOP,
  startsExecutions: true,
  hasOwnEnd: true,
  /** Only its own passes, not those of an execution that it is a copy of. */
  restarts(_task, { children, restarts }, executionId) {
    const numbers = children ?? restarts;
    return isJsonObject(numbers) && numbers.executionId === executionId ? numbers : undefined;
  },
  branches: (_place, { end }) => end === undefined ? undefined : sequence(undefined),
};
