/** The executions that ForEachItem and Loop tasks start, and the ends they have reported. */
import { isJsonObject } from "../../src/base/json.ts";
import type { ChildNumbers, PassRules } from "../../src/engine/children/child_numbers.ts";
import { childIds, childNumbersOf, roomFor } from "../../src/engine/children/children.ts";
import type { Command, Event } from "../../src/engine/events.ts";
import type { ExecutionTree } from "../../src/engine/tree.ts";
import { type TaskRun, taskRunOf } from "../../src/model/executions/execution.ts";
import { currentState, type State } from "../../src/model/executions/state.ts";
import { ITEM_PARTS } from "../../src/model/executions/for_each_item.ts";
import { LOOP } from "../../src/model/executions/loop_run.ts";
import { RESTARTED } from "../../src/runtime/children/child_restart.ts";
import type { Choices } from "./choices.ts";

/** Created with one transition; less than in reality, so that more than one is needed. */
const STARTS_AT_ONCE = 2;

/** The messages of these executions: each reports its end once, and again after each restart. */
export class Batches {
  readonly #ends: Map<string, State>;
  /** Former ends of those that run again. */
  readonly #former: Map<string, State>;

  constructor(ends: Iterable<[string, State]> = [], former: Iterable<[string, State]> = []) {
    this.#ends = new Map(ends);
    this.#former = new Map(former);
  }

  /** As it is now, to go back to after a crash. */
  copy(): Batches {
    return new Batches(this.#ends, this.#former);
  }

  /** Ids of executions that may end now, with the task runs that wait for them. */
  waiting({ open }: ExecutionTree): { readonly taskRun: TaskRun; readonly executionId: string }[] {
    return [...open].flatMap((taskRun) => {
      const numbers = childNumbersOf(taskRun);
      if (!numbers?.waits || currentState(taskRun.history) !== "RUNNING") return [];
      const ids = childIds(taskRun, numbers).filter((id) => !this.#ends.has(id));
      return ids.map((executionId) => ({ taskRun, executionId }));
    });
  }

  /** The reported end of one that does not run. */
  endOf(executionId: string): State | undefined {
    return this.#ends.get(executionId);
  }

  /** The former end of one that runs again. */
  formerEndOf(executionId: string): State | undefined {
    return this.#former.get(executionId);
  }

  /** Takes note of an end; the one that it replaces. RETRIED: the execution in its place is under way. */
  tell(executionId: string, end: State): State | undefined {
    const former = this.#former.get(executionId);
    this.#former.delete(executionId);
    if (end !== "RETRIED") this.#ends.set(executionId, end);
    return former;
  }

  /** One that has ended runs again. */
  restart(executionId: string): void {
    const end = this.#ends.get(executionId);
    if (end === undefined) return;
    this.#ends.delete(executionId);
    this.#former.set(executionId, end);
  }

  /** A task run that counts more or fewer of its executions than are under way. */
  problem(tree: ExecutionTree): string | undefined {
    const waiting = Map.groupBy(this.waiting(tree), ({ taskRun }) => taskRun);
    for (const taskRun of tree.open) {
      const numbers = childNumbersOf(taskRun);
      const isCounting = numbers?.waits && currentState(taskRun.history) === "RUNNING" &&
        taskRun.decision?.end === undefined;
      const underWay = waiting.get(taskRun)?.length ?? 0;
      if (!isCounting || underWayOf(numbers) === underWay) continue;
      return `${taskRun.ordinal} counts ${underWayOf(numbers)} executions under way, there are ${underWay}`;
    }
    return undefined;
  }
}

function underWayOf({ started, ended, again }: ChildNumbers): number {
  const ends = Object.values(ended).reduce((sum, count) => sum + count, 0);
  return started - ends + (again?.running ?? 0);
}

/** Some executions of a Loop or ForEachItem that was restarted run again; `undefined` where none of them does. */
export function passesAgain(taskRun: TaskRun, batches: Batches): Event | undefined {
  const known = childNumbersOf(taskRun);
  const begins = known ? undefined : beginAgain(taskRun, batches);
  const numbers = known ?? begins;
  if (!numbers?.again || known?.again?.left === 0) return undefined;
  const { next: from, left } = numbers.again;
  const max = Math.min(left, STARTS_AT_ONCE, roomFor(numbers));
  const failed = failedPasses(taskRun, numbers, batches).filter(({ index }) => index >= from).slice(0, max);
  return {
    type: "children_restarted",
    taskRun: taskRun.ordinal,
    attempt: taskRun.attempts.length,
    begins,
    from,
    next: (failed.at(-1)?.index ?? from - 1) + 1,
    left: left - failed.length,
    executions: failed.map(({ executionId, former }) => ({ executionId, startedId: executionId, former })),
  };
}

function beginAgain(taskRun: TaskRun, batches: Batches): ChildNumbers | undefined {
  const kept = taskRun.decision?.restarts;
  if (!isJsonObject(kept)) return undefined;
  const { isOver: _, isBroken: _isBroken, again: _again, ...former } = kept as unknown as ChildNumbers;
  const ended: Record<string, number> = {};
  for (const id of childIds(taskRun, former)) {
    const end = batches.endOf(id);
    if (!end) return undefined;
    ended[end] = (ended[end] ?? 0) + 1;
  }
  const total = former.breaks ? former.started : former.total;
  const left = failedPasses(taskRun, former, batches).length;
  return { ...former, total, ended, again: { next: 0, left, running: 0 } };
}

function failedPasses(taskRun: TaskRun, numbers: ChildNumbers, batches: Batches) {
  return childIds(taskRun, numbers).flatMap((executionId, index) => {
    const former = batches.endOf(executionId);
    return former && RESTARTED.has(former) ? [{ executionId, index, former }] : [];
  });
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
    attempt: known?.attempt ?? taskRun.attempts.length,
    waits: known?.waits ?? (passes !== undefined || !choices.happens(20)),
    transmitsFailed: known?.transmitsFailed ?? !choices.happens(20),
  };
}
