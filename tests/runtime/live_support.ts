/** Executions in memory for direct tests of slices, attempts and commits: no store, no server, a renderer of plain values. */
import type { JsonObject } from "../../src/base/json.ts";
import { createExecution } from "../../src/engine/create.ts";
import { step } from "../../src/engine/step.ts";
import type { Flow, Task } from "../../src/model/flows/flow.ts";
import type { RunnableTaskType, TaskType, WaitingTaskType } from "../../src/model/tasks/task_catalog.ts";
import type { Renderer } from "../../src/rendering/renderer.ts";
import type { AttemptCommand } from "../../src/runtime/live/live_execution.ts";
import { LiveExecution } from "../../src/runtime/live/live_execution.ts";
import { newForm } from "../../src/store/records/executions/execution_form.ts";
import { FAKE_START } from "../support/fakes/fake_clock.ts";
import { plan } from "../support/flows/flows.ts";

/** The secret that {@link liveExecution} masks. */
export const SECRET = "hunter2";

/** Renders properties as declared. */
const RENDERER = {
  properties: ({ properties }: Task): JsonObject => properties,
  text: (text: string) => text,
  hostCalls: { mask: (text: string) => text.replaceAll(SECRET, "******"), forget: () => {} },
  hasEffect: () => false,
  noteChanges: () => {},
};

/** An execution id that ends with this name. */
export function idOf(name: string): string {
  return `A${name.padStart(21, "0")}`;
}

/** An execution of a flow with these members, in state CREATED. */
export function liveExecution(members: Partial<Flow> = {}, name = "x"): LiveExecution {
  const flowPlan = plan(members);
  const execution = createExecution(
    flowPlan.flow,
    { id: idOf(name), labels: [], kind: "NORMAL" },
    FAKE_START,
  );
  return new LiveExecution(execution, flowPlan, newForm(), RENDERER as unknown as Renderer);
}

/** Starts an execution; the command to run its first task. */
export function firstAttempt(live: LiveExecution): AttemptCommand {
  const { commands } = step(live.tree, { type: "started" }, FAKE_START);
  const command = commands.find(({ type }) => type === "run_attempt");
  if (command?.type === "run_attempt") return command;
  throw new Error("The flow does not begin with a task to run");
}

const DECLARATION = { type: "test", aliases: [], description: "", properties: {} };

/** A task type that runs `run`. */
export function runnable(run: RunnableTaskType["run"], pure = false): TaskType {
  return { ...DECLARATION, form: "runnable", pure, run };
}

/** A task type that waits. */
export function waiting(delayMs: WaitingTaskType["delayMs"]): TaskType {
  return { ...DECLARATION, form: "waiting", delayMs };
}
