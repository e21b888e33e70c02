/** The executions that ForEachItem and Loop tasks start, and which of them have told their end. */
import type { PassRules } from "../../src/engine/child_numbers.ts";
import { childId, childNumbersOf, roomFor } from "../../src/engine/children.ts";
import type { Command, Event } from "../../src/engine/events.ts";
import type { ExecutionTree } from "../../src/engine/tree.ts";
import { type TaskRun, taskRunOf } from "../../src/model/execution.ts";
import { currentState } from "../../src/model/state.ts";
import { ITEM_PARTS } from "../../src/model/for_each_item.ts";
import { LOOP } from "../../src/model/loop_run.ts";
import type { Choices } from "./choices.ts";

/** Created with one transition; less than in reality, so that more than one is needed. */
const STARTS_AT_ONCE = 2;

/** What a server would find in its messages: an end is told once. */
export class Batches {
  readonly #told: Set<string>;

  constructor(told: Iterable<string> = []) {
    this.#told = new Set(told);
  }

  /** As it is now, to go back to after a crash. */
  copy(): Batches {
    return new Batches(this.#told);
  }

  /** Ids of executions that may end now, with the task runs that wait for them. */
  waiting({ open }: ExecutionTree): { readonly taskRun: TaskRun; readonly executionId: string }[] {
    return [...open].flatMap((taskRun) => {
      const numbers = childNumbersOf(taskRun);
      if (!numbers?.waits || currentState(taskRun.history) !== "RUNNING") return [];
      const ids = Array.from(
        { length: numbers.started },
        (_, index) => childId(taskRun, numbers, index),
      );
      return ids.filter((id) => !this.#told.has(id)).map((executionId) => ({ taskRun, executionId }));
    });
  }

  /** Takes note of an end. */
  tell(executionId: string): void {
    this.#told.add(executionId);
  }
}

/** True for a command that starts executions of a ForEachItem or a Loop. */
export function startsBatches({ task }: Extract<Command, { type: "start_child" }>): boolean {
  return task.kind === ITEM_PARTS.items || task.kind === LOOP;
}

/** The passes of a Loop that may be under way at once, and whether their outputs are wanted. */
function passesOf(choices: Choices): PassRules {
  return { values: {}, limit: choices.pick([2, 1, 9]), collects: choices.happens(50) ? "FETCH" : undefined };
}

/** Some executions of a ForEachItem or a Loop were created. */
export function batchesStarted(
  choices: Choices,
  { execution }: ExecutionTree,
  { command, now }: { readonly command: Extract<Command, { type: "start_child" }>; readonly now: number },
): Event {
  const { taskRun: ordinal, from = 0 } = command;
  const taskRun = taskRunOf(execution, ordinal) as TaskRun;
  const known = childNumbersOf(taskRun);
  const total = known?.total ?? choices.pick([2, 1, 0, 5]);
  const passes = known?.passes ?? (command.task.kind === LOOP ? passesOf(choices) : undefined);
  const room = known ? roomFor(known) : Math.min(passes?.limit ?? total, total);
  return {
    type: "children_started",
    taskRun: ordinal,
    from,
    count: Math.min(STARTS_AT_ONCE, room),
    total,
    passes,
    madeAt: known?.madeAt ?? now,
    attempt: taskRun.attempts.length,
    waits: known?.waits ?? (passes !== undefined || !choices.happens(20)),
    transmitsFailed: known?.transmitsFailed ?? !choices.happens(20),
  };
}
