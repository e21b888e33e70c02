/** The port through which a task runs another task type. */
import type { Clock } from "../../base/time/clock.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import type { FoundTaskType, TaskTypePort } from "../../model/ports/task_types.ts";
import type { AttemptOutcome, TaskCatalog, WaitingTaskType } from "../../model/tasks/task_catalog.ts";

/** Creates the port. A waiting task waits within the attempt of the calling task: the wait does not survive a crash. */
export function createTaskTypePort(tasks: TaskCatalog, clock: Clock): TaskTypePort {
  return {
    async find(type) {
      await tasks.load(type);
      const found = tasks.find(canonicalType(type));
      return found?.form === "waiting" ? runnable(found, clock) : found;
    },
  };
}

function runnable(type: WaitingTaskType, clock: Clock): FoundTaskType {
  return {
    ...type,
    run: async (properties, { signal }): Promise<AttemptOutcome> => {
      const isOver = await elapsed(type.delayMs(properties), clock, signal);
      return isOver ? { state: "SUCCESS", outputs: {} } : { state: "KILLED" };
    },
  };
}

/** True after `ms`, false if it was aborted before. */
async function elapsed(ms: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancelTimer = clock.setTimer(ms, () => resolve(true));
  const stop = () => resolve(false);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    return await promise;
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", stop);
  }
}
