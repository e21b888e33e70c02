/**
 * The server of the crash tests: the real composition with one more task type. `crash.Effect` leaves a line in the file
 * of {@link EFFECTS_VARIABLE}, outside of the data directory, so that every attempt that ever began can be counted.
 */
import { readCommand } from "../../src/config/mod.ts";
import type { RunContext } from "../../src/model/ports/run_context.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../src/model/tasks/task_catalog.ts";
import { runServer } from "../../src/machine/server_process/server_process.ts";
import { startServer } from "../../src/server/server.ts";

/** Environment variable with the path of the file of effects. */
export const EFFECTS_VARIABLE = "CRASH_EFFECTS";
const MIN_EFFECT_MS = 20;
const MAX_EFFECT_MS = 200;

/** `crash.Effect`: leaves a line, takes a moment, succeeds. Output: `attempt`. */
function effectTask(path: string): RunnableTaskType {
  return {
    form: "runnable",
    type: "crash.Effect",
    aliases: [],
    description: "Leaves a line in a file.",
    pure: false,
    properties: {},
    run: async (_properties, context): Promise<AttemptOutcome> => {
      const line = `${context.executionId} ${context.taskRunId} ${context.attemptNumber}\n`;
      Deno.writeTextFileSync(path, line, { append: true });
      await pause(MIN_EFFECT_MS + Math.random() * (MAX_EFFECT_MS - MIN_EFFECT_MS), context);
      return { state: "SUCCESS", outputs: { attempt: context.attemptNumber } };
    },
  };
}

function pause(ms: number, { signal }: RunContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new Error("The attempt was interrupted"));
    });
  });
}

if (import.meta.main) {
  const command = readCommand();
  if (command.type !== "serve") throw new Error("Cannot start: the arguments ask for no server");
  const task = effectTask(Deno.env.get(EFFECTS_VARIABLE) ?? "/dev/null");
  Deno.exit(await runServer(command.config, (config) => startServer(config, [task])));
}
