/** How a simulation responds to the commands of the engine, at once or later. */
import type { Command, Event } from "../../src/engine/events.ts";
import * as answers from "./responses.ts";
import { taskRunOf } from "../../src/model/executions/execution.ts";
import { batchesStarted, passesAgain, startsBatches } from "./batches.ts";
import type { Simulation } from "./simulation.ts";

/** The event that follows from a command; `undefined` when nothing does, or it is not known yet: an attempt runs. */
export function answerTo(simulation: Simulation, command: Command): Event | undefined {
  const { choices } = simulation;
  switch (command.type) {
    case "render_condition":
      return answers.conditionOf(choices, command);
    case "render_decision":
      return answers.decisionOf(choices, command);
    case "render_assertions":
      return {
        type: "assertions_rendered",
        violated: choices.happens(3) ? ["0"] : [],
        isLast: command.isLast,
      };
    case "render_fixture": {
      const { taskRun, attempt, fixture: { state } } = command;
      return { type: "attempt_ended", taskRun, attempt, outcome: { state, outputs: {}, isFixture: true } };
    }
    case "render_outputs":
      return choices.happens(15)
        ? { type: "outputs_rendered", error: "no x" }
        : { type: "outputs_rendered", outputs: {} };
    case "run_attempt":
      return answers.isWaitingKind(command.task.kind)
        ? answers.waitOf(choices, command, simulation.now)
        : undefined;
    case "interrupt_attempt":
      return simulation.attempts.interrupt(command.taskRun) ? undefined : killed(simulation, command.taskRun);
    case "start_child":
      return childStart(simulation, command);
    case "restart_child":
      return void simulation.batches.restart(command.executionId);
    default:
      return turnOf(simulation, command);
  }
}

/** Commands that only ask for another turn. */
function turnOf(simulation: Simulation, command: Command): Event | undefined {
  switch (command.type) {
    case "continue":
      return { type: "continued", frame: command.frame };
    case "continue_stop":
      return { ...command, type: "stop_continued" };
    case "kill_children":
      return { ...command, type: "children_kill_asked" };
    case "kill_orphans":
      return { type: "orphans_kill_asked", at: command.at, from: command.from };
    case "ask_slot":
      return simulation.slotAnswer();
    case "collect_outputs":
      return answers.collectedOf(simulation.choices, command);
    default:
      return undefined;
  }
}

function childStart(simulation: Simulation, command: Extract<Command, { type: "start_child" }>): Event {
  const { choices, tree, now } = simulation;
  const taskRun = taskRunOf(simulation.execution, command.taskRun);
  const attempt = taskRun?.attempts.length;
  if (!startsBatches(command)) {
    return answers.childStartOf(choices, command, { executionId: simulation.nextId(), attempt });
  }
  const again = taskRun && passesAgain(taskRun, simulation.batches);
  if (again) return again;
  if (!choices.happens(5)) return batchesStarted(choices, tree, { command, now });
  return {
    type: "attempt_ended",
    taskRun: command.taskRun,
    attempt,
    outcome: { state: "FAILED" },
    message: "no such flow",
  };
}

function killed({ execution }: Simulation, taskRun: number): Event {
  const attempt = taskRunOf(execution, taskRun)?.attempts.length;
  return { type: "attempt_ended", taskRun, attempt, outcome: { state: "KILLED" } };
}
