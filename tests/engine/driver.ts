/** Drives `step` by hand: events in, histories out. Renders respond as the script says. */
import { createExecution } from "../../src/engine/create.ts";
import type { Command, Event } from "../../src/engine/events.ts";
import type { FlowPlan } from "../../src/engine/plan.ts";
import { step } from "../../src/engine/step.ts";
import { ExecutionTree } from "../../src/engine/tree.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { Execution, TaskRun } from "../../src/model/executions/execution.ts";
import { currentState } from "../../src/model/executions/state.ts";
import type { AttemptOutcome } from "../../src/model/tasks/task_catalog.ts";

/** Rendered properties of flowable tasks, by task id. */
export type Decisions = Readonly<Record<string, JsonObject>>;

/** One execution under test. Renders respond at once, attempts when the test ends them. */
export class Driver {
  tree: ExecutionTree;
  now = 1_000;
  readonly #decisions: Decisions;

  constructor(plan: FlowPlan, decisions: Decisions = {}, execution?: Execution) {
    this.#decisions = decisions;
    const created = createExecution(plan.flow, { id: "e", labels: [], kind: "NORMAL" }, this.now);
    this.tree = new ExecutionTree(plan, execution ?? created);
  }

  /** The execution. */
  get execution(): Execution {
    return this.tree.execution;
  }

  /** History of the execution, in a line. */
  get states(): string {
    return this.execution.history.map(({ state }) => state).join(" ");
  }

  /** Task runs and their states, `id STATE`. */
  get runs(): string[] {
    return this.execution.taskRuns.map(({ taskId, history }) => `${taskId} ${currentState(history)}`);
  }

  /** Applies events one after the other, each with what is rendered for it; all commands. */
  apply(...events: readonly Event[]): Command[] {
    return events.flatMap((event) => this.#applyOne(event));
  }

  /** Applies one event without responses. */
  step(event: Event): Command[] {
    if (event.type === "timer_due") this.execution.timers.delete(event.timer);
    const { commands } = step(this.tree, event, ++this.now);
    for (const command of commands) this.#keepTimer(command);
    return commands;
  }

  /** Ends the attempt of the task run that was created last for a task. */
  end(taskId: string, outcome: AttemptOutcome = { state: "SUCCESS" }): Command[] {
    return this.apply({ type: "attempt_ended", taskRun: this.run(taskId).ordinal, outcome });
  }

  /** The task run that was created last for a task. */
  run(taskId: string): TaskRun {
    const found = this.execution.taskRuns.findLast((taskRun) => taskRun.taskId === taskId);
    if (!found) throw new Error(`There is no task run of "${taskId}"`);
    return found;
  }

  /** Derives the tree again, as after a crash. */
  reload(): void {
    this.tree = new ExecutionTree(this.tree.plan, this.execution);
  }

  #applyOne(event: Event): Command[] {
    const commands = this.step(event);
    const answers = commands.flatMap((command) => this.#answer(command) ?? []);
    return [...commands, ...answers.flatMap((answer) => this.#applyOne(answer))];
  }

  #answer(command: Command): Event | undefined {
    switch (command.type) {
      case "render_condition":
        return { type: "condition_rendered", taskRun: command.taskRun, holds: true };
      case "render_decision": {
        const properties = this.#decisions[command.task.id] ?? {};
        return { type: "decision_rendered", taskRun: command.taskRun, properties };
      }
      case "continue":
        return { type: "continued", frame: command.frame };
      case "kill_children":
        return { ...command, type: "children_kill_asked" };
      case "ask_slot":
        return { type: "started" };
      default:
        return undefined;
    }
  }

  #keepTimer(command: Command): void {
    const { timers } = this.execution;
    if (command.type === "set_timer") timers.set(command.timer, command.dueAt);
    if (command.type === "cancel_timer") timers.delete(command.timer);
  }
}
