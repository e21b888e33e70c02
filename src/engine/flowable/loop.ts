/** `core.flow.Loop`: an execution of its tasks for each value. Its own execution runs nothing but its `finally`. */
import { LOOP } from "../../model/executions/loop_run.ts";
import { sequence } from "../branches.ts";
import type { Flowable } from "./flowable.ts";
import { ownChildren } from "./restarts.ts";

/** Its `finally` begins when its end is decided, and may make it worse. */
export const loop: Flowable = {
  kind: LOOP,
  startsExecutions: true,
  hasOwnEnd: true,
  restarts: (_task, decision, executionId) => ownChildren(decision, executionId),
  branches: (_place, { end }) => end === undefined ? undefined : sequence(undefined),
};
