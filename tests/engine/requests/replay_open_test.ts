/** Replays of executions that have not ended, from each of their task runs: each is refused, or runs to its end. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hasOpenAttempt } from "../../../src/engine/attempts.ts";
import { childIds, childNumbersOf } from "../../../src/engine/children/children.ts";
import type { Command, Event } from "../../../src/engine/events.ts";
import { FLOWABLES } from "../../../src/engine/flowable/registry.ts";
import { replayExecution } from "../../../src/engine/requests/replay.ts";
import { refuseUnlessAtRest } from "../../../src/engine/requests/requests.ts";
import { hasSettled } from "../../../src/engine/tree.ts";
import type { TaskRun } from "../../../src/model/executions/execution.ts";
import { currentState } from "../../../src/model/executions/state.ts";
import type { RetryPolicy, Task } from "../../../src/model/flows/flow.ts";
import { plan, returns, task } from "../../support/flows/flows.ts";
import { type Decisions, Driver } from "../driver.ts";

const FLOW = "io.svc.plugin.core.flow.";
const STARTED = { type: "started" } as const;
const HOLD = { type: "pause_asked" } as const;
const RETRY: RetryPolicy = {
  type: "constant",
  intervalMs: 60_000,
  delayFactor: 1,
  behavior: "RETRY_FAILED_TASK",
  warningOnRetry: false,
};
/** It fails at its first attempt. */
const RETRIED = { retry: RETRY };
/** Ends FAILED. */
const FAILING = "fails";

/** A task `c` with these lists of tasks. */
function container(kind: string, blocks: Readonly<Record<string, readonly Task[]>>, properties = {}): Task {
  return { ...task("c", FLOW + kind, properties), blocks: new Map(Object.entries(blocks)) };
}

/** An execution whose renders are answered at once; attempts, children, timers and people wait for the test. */
class Story extends Driver {
  /** The task whose condition is not answered. */
  withheld: string | undefined;
  readonly #asked: Command[] = [];
  readonly #failed = new Set<TaskRun>();

  override step(event: Event): Command[] {
    const commands = super.step(event);
    this.#asked.push(...commands.filter(({ type }) => type === "start_child"));
    return commands.filter((command) =>
      command.type !== "render_condition" || command.task.id !== this.withheld
    );
  }

  /** Starts, and goes on until the task is open. */
  startUntil(taskId: string): void {
    this.apply(STARTED);
    while (!this.execution.taskRuns.some((taskRun) => taskRun.taskId === taskId)) {
      const event = this.#next();
      if (!event) throw new Error(`"${taskId}" never begins: ${this.runs}`);
      this.apply(event);
    }
  }

  /** Starts the children that are asked for, and ends the attempts of tasks that run now. */
  endAttempts(): void {
    for (const command of this.#asked.splice(0)) this.apply(this.#startOf(command));
    for (const taskRun of this.#running()) this.apply(this.#endOf(taskRun));
  }

  /** Does all that comes by itself or is asked for by a person, until nothing is left. */
  runToEnd(): void {
    for (let turn = 0; turn < 100; turn++) {
      const event = this.#next();
      if (!event) return;
      this.apply(event);
    }
    throw new Error("It never ends");
  }

  /** Ends the children of a task run. */
  endChildren(taskId: string, state: "SUCCESS" | "FAILED"): void {
    for (let end = endOfChild(this.run(taskId), state); end; end = endOfChild(this.run(taskId), state)) {
      this.apply(end);
    }
  }

  #next(): Event | undefined {
    const command = this.#asked.shift();
    if (command) return this.#startOf(command);
    const [running] = this.#running();
    if (running) return this.#endOf(running);
    for (const timer of this.execution.timers.keys()) return { type: "timer_due", timer: timer as "start" };
    for (const taskRun of this.tree.open) {
      if (currentState(taskRun.history) === "PAUSED") return { type: "resumed", taskRun: taskRun.ordinal };
      const end = endOfChild(taskRun, "SUCCESS");
      if (end) return end;
    }
    return undefined;
  }

  #running(): TaskRun[] {
    return [...this.tree.open].filter((taskRun) => {
      const kind = this.tree.placeOf(taskRun)?.task.kind ?? "";
      return hasOpenAttempt(taskRun) && !FLOWABLES.get(kind)?.startsExecutions;
    });
  }

  #endOf(taskRun: TaskRun): Event {
    const isFirst = !this.#failed.has(taskRun) && this.tree.placeOf(taskRun)?.task.retry !== undefined;
    if (isFirst) this.#failed.add(taskRun);
    const state = isFirst || taskRun.taskId === FAILING ? "FAILED" : "SUCCESS";
    return { type: "attempt_ended", taskRun: taskRun.ordinal, outcome: { state } };
  }

  #startOf(command: Command): Event {
    if (command.type !== "start_child") throw new Error(command.type);
    const { taskRun, task: { kind }, from = 0 } = command;
    const attempt = this.execution.taskRuns.find(({ ordinal }) => ordinal === taskRun)?.attempts.length ?? 0;
    if (kind === "core.flow.Subflow") {
      return { type: "child_started", taskRun, attempt, executionId: "child", waits: true };
    }
    const passes = kind === "core.flow.Loop" ? { values: {}, limit: 9 } : undefined;
    const counts = { from, count: 2 - from, total: 2, madeAt: 1, waits: true, transmitsFailed: true };
    return { type: "children_started", taskRun, attempt, passes, ...counts };
  }
}

/** The end of a child that a task run waits for. */
function endOfChild(taskRun: TaskRun, state: "SUCCESS" | "FAILED"): Event | undefined {
  const { ordinal, decision } = taskRun;
  if (!hasOpenAttempt(taskRun)) return undefined;
  const numbers = childNumbersOf(taskRun);
  const ended = Object.values(numbers?.ended ?? {}).reduce((sum, count) => sum + count, 0);
  const executionId = numbers ? childIds(taskRun, numbers)[ended] : decision?.executionId;
  if (typeof executionId !== "string") return undefined;
  return { type: "child_ended", taskRun: ordinal, executionId, state };
}

interface Row {
  readonly name: string;
  /** A task `c`, which runs beside a task `x` and before a task `z`. */
  readonly task: Task;
  readonly decisions?: Decisions;
  readonly breakpoints?: readonly string[];
  /** Leads to the execution that is replayed. */
  readonly story: (story: Story) => void;
  /** Why the replay is refused; absent: it runs to the end. */
  readonly refusal?: string;
}

type Container = readonly [
  name: string,
  make: (tasks: readonly Task[]) => Task,
  decision?: Decisions[string],
];

const CONTAINERS: readonly Container[] = [
  ["Sequential", (tasks) => container("Sequential", { tasks })],
  ["Sequential with a condition", (tasks) => container("Sequential", { tasks }, { runIf: "{{ x }}" })],
  ["Parallel", (tasks) => container("Parallel", { tasks }), { concurrent: 1 }],
  ["Dag", (tasks) => container("Dag", { tasks: inSeries(tasks) })],
  ["ForEach", (tasks) => container("ForEach", { tasks }), { values: ["v", "w"], concurrencyLimit: 1 }],
  ["ForEach at once", (tasks) => container("ForEach", { tasks }), {
    values: ["v", "w"],
    concurrencyLimit: 0,
  }],
  ["EachSequential", (tasks) => container("EachSequential", { tasks }), { value: ["v", "w"] }],
  ["EachParallel", (tasks) => container("EachParallel", { tasks }), { value: ["v", "w"], concurrent: 1 }],
  ["LoopUntil", (tasks) => container("LoopUntil", { tasks }), { condition: "true" }],
  ["If", (then) => container("If", { then }), { condition: "true" }],
  ["Switch", (tasks) => container("Switch", { "cases.yes": tasks }), { value: "yes" }],
  ["AllowFailure", (tasks) => container("AllowFailure", { tasks })],
  ["WorkingDirectory", (tasks) => container("WorkingDirectory", { tasks })],
  ["onPause", (onPause) => container("Pause", { onPause })],
  ["tasks of a Pause", (tasks) => container("Pause", { tasks }), { pauseDuration: "PT0S" }],
  ["errors", (errors) => container("AllowFailure", { tasks: [returns(FAILING)], errors })],
  ["finally", (last) => container("Sequential", { tasks: [returns("s")], finally: last })],
];

function inSeries(tasks: readonly Task[]): Task[] {
  return tasks.map((each, index) => ({ ...each, dependsOn: tasks.slice(0, index).map(({ id }) => id) }));
}

/** Where an execution stops in two tasks of a container. */
const STOPS: readonly (Omit<Row, "task" | "decisions"> & { readonly tasks: readonly Task[] })[] = [
  {
    name: "held between its tasks",
    tasks: [returns("a"), returns("b")],
    story: (story) => {
      story.startUntil("a");
      story.apply(HOLD);
      story.endAttempts();
    },
  },
  {
    name: "paused by a task of it",
    tasks: [returns("a"), task("p", `${FLOW}Pause`), returns("b")],
    story: (story) => {
      story.startUntil("p");
      story.endAttempts();
    },
  },
  {
    name: "held before the retry of a task of it",
    tasks: [{ ...returns("a"), ...RETRIED }, returns("b")],
    story: (story) => {
      story.startUntil("a");
      story.apply(HOLD);
      story.endAttempts();
    },
  },
  {
    name: "held while the condition of a task of it is rendered",
    tasks: [returns("a", "a", { runIf: "{{ x }}" }), returns("b")],
    story: (story) => {
      story.withheld = "a";
      story.startUntil("a");
      story.apply(HOLD);
      story.endAttempts();
    },
  },
  {
    name: "held while a task of it runs",
    tasks: [returns("a"), returns("b")],
    story: (story) => {
      story.startUntil("a");
      story.apply(HOLD);
    },
    refusal: "a task is still running; it must have ended or be paused",
  },
  {
    name: "running",
    tasks: [returns("a"), returns("b")],
    story: (story) => story.startUntil("a"),
    refusal: "it is RUNNING; it must have ended or be paused",
  },
];

const OTHERS: readonly Row[] = [
  {
    name: "a Subflow that waits for its execution, held",
    task: task("c", `${FLOW}Subflow`),
    story: (story) => {
      story.apply(STARTED);
      story.endAttempts();
      story.apply(HOLD);
    },
    refusal: "a task is still running",
  },
  {
    name: "a Subflow held before its retry",
    task: { ...task("c", `${FLOW}Subflow`), ...RETRIED },
    story: (story) => {
      story.apply(STARTED);
      story.endAttempts();
      story.apply(HOLD);
      story.endChildren("c", "FAILED");
    },
  },
  {
    name: "a ForEachItem held between its parts",
    task: task("c", `${FLOW}ForEachItem`),
    story: (story) => {
      story.apply(STARTED, HOLD);
      story.endAttempts();
    },
  },
  {
    name: "a ForEachItem held before the retry of its executions",
    task: { ...task("c", `${FLOW}ForEachItem`), ...RETRIED },
    story: (story) => {
      story.startUntil("c_items");
      story.endAttempts();
      story.apply(HOLD);
      story.endChildren("c_items", "FAILED");
    },
  },
  {
    name: "a Loop held in its finally",
    task: container("Loop", { tasks: [returns("a")], finally: [returns("f1"), returns("f2")] }),
    story: (story) => {
      story.apply(STARTED);
      story.endAttempts();
      story.endChildren("c", "SUCCESS");
      story.apply(HOLD);
      story.endAttempts();
    },
  },
  {
    name: "a LoopUntil held before its next pass",
    task: container("LoopUntil", { tasks: [returns("a")] }),
    decisions: { c: { checkFrequency: { interval: "PT1M", maxIterations: 2 }, condition: "false" } },
    story: (story) => {
      story.startUntil("a");
      story.endAttempts();
      story.apply(HOLD);
    },
  },
  {
    name: "an execution whose afterExecution runs",
    task: returns("c"),
    story: (story) => story.startUntil("e"),
  },
  {
    name: "an execution at a breakpoint",
    task: returns("c"),
    breakpoints: ["z"],
    story: (story) => {
      story.startUntil("c");
      story.endAttempts();
    },
    refusal: "it is BREAKPOINT",
  },
  {
    name: "an execution that waits for a retry",
    task: { ...returns("c"), ...RETRIED },
    story: (story) => {
      story.startUntil("c");
      story.endAttempts();
    },
    refusal: "it is RETRYING",
  },
  {
    name: "an execution that is being killed",
    task: returns("c"),
    story: (story) => void story.apply(STARTED, { type: "kill_asked" }),
    refusal: "it is KILLING",
  },
  {
    name: "an execution that waits for a slot after a restart",
    task: returns(FAILING),
    story: (story) => {
      story.apply(STARTED);
      story.endAttempts();
      story.endAttempts();
      story.endAttempts();
      story.step({ type: "restarted" });
    },
    refusal: "it is RESTARTED",
  },
];

const ROWS: readonly Row[] = [
  ...CONTAINERS.flatMap(([kind, make, decision]) =>
    STOPS.map(({ tasks, ...stop }): Row => ({
      ...stop,
      name: `${kind}, ${stop.name}`,
      task: make(tasks),
      decisions: decision && { c: decision },
    }))
  ),
  ...OTHERS,
];

for (const { name, task, decisions, breakpoints, story, refusal } of ROWS) {
  Deno.test(`replayExecution() ${refusal ? "is refused" : "from each task run comes to an end"}: ${name}`, () => {
    const parallel = { ...container("Parallel", { tasks: [task, returns("x")] }), id: "par" };
    const flowPlan = plan({
      tasks: [parallel, returns("z")],
      finally: [returns("f")],
      afterExecution: [returns("e")],
    });
    const source = new Story(flowPlan, decisions);
    source.execution.breakpoints = breakpoints;
    story(source);
    const refused = refuseUnlessAtRest("replay a task of", source.execution);
    if (refusal) assertStringIncludes(refused?.message ?? "", refusal);
    else assertEquals(refused, undefined);
    const whole = new Story(flowPlan, decisions);
    whole.apply(STARTED);
    whole.runToEnd();
    // A replay from the start is never refused.
    for (const from of refusal ? [undefined] : [undefined, ...source.execution.taskRuns]) {
      const request = { id: "copy", now: 5_000, taskRun: from?.ordinal };
      const copy = new Story(flowPlan, decisions, replayExecution(flowPlan, source.execution, request));
      copy.apply(STARTED);
      copy.runToEnd();
      const start = from ? `from ${from.taskId} ${currentState(from.history)}` : "from the start";
      assert(hasSettled(copy.tree), `${start}: ${copy.runs}`);
      assertEquals([start, endOf(copy)], [start, endOf(whole)]);
    }
  });
}

function endOf({ execution: { history, taskRuns } }: Story): readonly string[] {
  const names = taskRuns.map(({ taskId, value, history }) => `${taskId} ${value} ${currentState(history)}`);
  return [currentState(history), ...names.sort()];
}
