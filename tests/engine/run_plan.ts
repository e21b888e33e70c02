/** Runs executions through the engine alone: every render and attempt responds at once, as a script says. */
import { createExecution } from "../../src/engine/create.ts";
import type { Command, Event } from "../../src/engine/events.ts";
import type { FlowPlan } from "../../src/engine/plan.ts";
import { step } from "../../src/engine/step.ts";
import { ExecutionTree } from "../../src/engine/tree.ts";
import { type Execution, taskRunOf } from "../../src/model/executions/execution.ts";
import type { Task } from "../../src/model/flows/flow.ts";
import type { AttemptOutcome } from "../../src/model/tasks/task_catalog.ts";
import { task } from "../support/flows/flows.ts";

/** Id of the executions. */
export const RUN_ID = "AVbbB83o000xXUY4wsF0c8";

/** Ends of attempts by task id, or by `id.value` within a loop; SUCCESS unless said. `open` never end. */
export interface Script {
  readonly ends?: Readonly<Record<string, AttemptOutcome["state"]>>;
  readonly open?: readonly string[];
}

/** A flowable task with these children. */
export function flowable(id: string, kind: string, tasks: readonly Task[], properties = {}): Task {
  const outer = task(id, `io.svc.plugin.core.flow.${kind}`, properties);
  return { ...outer, blocks: new Map([["tasks", tasks]]) };
}

/** A new execution, run until nothing more happens by itself. */
export function runNew(plan: FlowPlan, script: Script = {}): Execution {
  const execution = createExecution(plan.flow, { id: RUN_ID, labels: [], kind: "NORMAL" }, 1_000);
  runOn(plan, execution, { type: "started" }, script);
  return execution;
}

/** Continues an execution after an event, one millisecond a step; returns the commands in order. */
export function runOn(plan: FlowPlan, execution: Execution, first: Event, script: Script = {}): Command[] {
  const tree = new ExecutionTree(plan, execution);
  const events: Event[] = [first];
  const asked: Command[] = [];
  for (let now = 2_000; events.length > 0; now++) {
    for (const command of step(tree, events.shift() as Event, now).commands) {
      asked.push(command);
      const event = answerOf(execution, command, script);
      if (event) events.push(event);
    }
  }
  return asked;
}

function answerOf(
  execution: Execution,
  command: Command,
  { ends = {}, open = [] }: Script,
): Event | undefined {
  switch (command.type) {
    case "run_attempt": {
      const { taskRun, task: { id } } = command;
      if (open.includes(id)) return undefined;
      const value = taskRunOf(execution, taskRun)?.value;
      const state = ends[`${id}.${value}`] ?? ends[id] ?? "SUCCESS";
      return { type: "attempt_ended", taskRun, outcome: { state } };
    }
    case "render_condition":
      return { type: "condition_rendered", taskRun: command.taskRun, holds: true };
    case "render_decision":
      return { type: "decision_rendered", taskRun: command.taskRun, properties: command.task.properties };
    case "ask_slot":
      return { type: "started" };
    case "continue":
      return { type: "continued", frame: command.frame };
    default:
      return undefined;
  }
}

/** `id[value]: STATES`, a line for each task run. */
export function historiesOf({ taskRuns }: Execution): string[] {
  return taskRuns.map(({ taskId, value, history }) =>
    `${taskId}${value === undefined ? "" : `[${value}]`}: ${history.map(({ state }) => state).join(" ")}`
  );
}

/** States of the execution. */
export function statesOf({ history }: Execution): string {
  return history.map(({ state }) => state).join(" ");
}
