/** Random flows from a grammar: every flowable task, nested up to four deep, with everything that a task may have. */
import { type FlowPlan, planFlow } from "../../src/engine/plan.ts";
import type { Flow, RetryPolicy, Sla, Task } from "../../src/model/flows/flow.ts";
import { LOOP } from "../../src/model/executions/loop_run.ts";
import { plan, task } from "../support/flows/flows.ts";
import type { Choices } from "./choices.ts";

/** Kinds of tasks that do work: nothing is known of them but how their attempts end. */
export const WORK = "core.debug.Return";
/** The kind of a task that waits for a time. */
export const SLEEP = "core.flow.Sleep";

const MAX_DEPTH = 4;
const MAX_TASKS = 24;
const PREFIX = "io.svc.plugin.";

type Blocks = Map<string, readonly Task[]>;
/** Makes the lists of tasks of one flowable task, `depth` deep. */
type Nest = (grammar: Grammar, depth: number) => Blocks;

const NESTS: readonly (readonly [weight: number, kind: string, nest: Nest])[] = [
  [10, "core.flow.Sequential", inTasks],
  [10, "core.flow.Parallel", inTasks],
  [6, "core.flow.If", (grammar, depth) => inLists(grammar, depth, ["then", "else"])],
  [5, "core.flow.Switch", (grammar, depth) => inLists(grammar, depth, ["cases.a", "cases.b", "defaults"])],
  [10, "core.flow.ForEach", inTasks],
  [3, "core.flow.EachSequential", inTasks],
  [4, "core.flow.EachParallel", inTasks],
  [7, "core.flow.Dag", inGraph],
  [5, "core.flow.AllowFailure", inTasks],
  [7, "core.flow.LoopUntil", inTasks],
  [7, "core.flow.Pause", inPause],
  [2, "core.flow.WorkingDirectory", (grammar) => new Map([["tasks", grammar.list(MAX_DEPTH, 2)]])],
  [8, "core.flow.Subflow", () => new Map()],
  [5, "core.flow.ForEachItem", () => new Map()],
  [12, LOOP, inTasks],
];

/** Those that take no `errors` and `finally` of their own. */
const BARE_KINDS: ReadonlySet<string> = new Set([
  "core.flow.Subflow",
  "core.flow.WorkingDirectory",
  "core.flow.ForEachItem",
]);

/** A random flow, ready to run. */
export function randomPlan(choices: Choices): FlowPlan {
  const grammar = new Grammar(choices);
  const flow: Flow = {
    ...plan().flow,
    tasks: grammar.list(1, 3),
    errors: choices.happens(30) ? grammar.list(2, 2) : [],
    finally: choices.happens(25) ? grammar.list(2, 2) : [],
    afterExecution: choices.happens(25) ? grammar.afterExecution() : [],
    outputs: choices.happens(20) ? [{ id: "o", value: "{{ x }}", required: true }] : [],
    retry: choices.happens(6) ? grammar.retry() : undefined,
    sla: choices.happens(12) ? [grammar.sla()] : [],
  };
  return planFlow(flow);
}

class Grammar {
  readonly choices: Choices;
  #count = 0;

  constructor(choices: Choices) {
    this.choices = choices;
  }

  /** One task or more, at most `more` beside the first. */
  list(depth: number, more: number): Task[] {
    const tasks = [this.#task(depth)];
    for (let n = this.choices.below(more + 1); n > 0 && this.#count < MAX_TASKS; n--) {
      tasks.push(this.#task(depth));
    }
    return tasks;
  }

  /** Some tasks, then those of listeners. */
  afterExecution(): Task[] {
    const listeners = [0, 1, 2].filter(() => this.choices.happens(20)).flatMap((listener) => {
      const conditions = this.choices.happens(60) ? [{ x: true }] : undefined;
      const [first, ...rest] = this.list(3, 1);
      return first
        ? [{ ...first, listener, conditions }, ...rest.map((each) => ({ ...each, listener }))]
        : [];
    });
    return [...this.list(3, 2), ...listeners];
  }

  retry(): RetryPolicy {
    const { choices } = this;
    return {
      type: choices.pick(["constant", "exponential", "random"]),
      intervalMs: choices.pick([0, 1_000, 60_000]),
      maxIntervalMs: choices.happens(30) ? 90_000 : undefined,
      maxAttempts: 1 + choices.below(3),
      maxDurationMs: choices.happens(10) ? 5_000 : undefined,
      delayFactor: 2,
      warningOnRetry: choices.happens(20),
      behavior: choices.happens(10) ? "CREATE_NEW_EXECUTION" : "RETRY_FAILED_TASK",
    };
  }

  sla(): Sla {
    const { choices } = this;
    const isDuration = !choices.happens(50);
    return {
      id: "promise",
      type: isDuration ? "MAX_DURATION" : "EXECUTION_ASSERTION",
      behavior: choices.pick(["NONE", "FAIL", "CANCEL"]),
      labels: [{ key: "late", value: "yes" }],
      durationMs: isDuration ? choices.pick([3_600_000, 10_000]) : undefined,
      assertion: isDuration ? undefined : "{{ x }}",
    };
  }

  #task(depth: number): Task {
    const { choices } = this;
    const id = `t${this.#count++}`;
    const isNested = depth < MAX_DEPTH && this.#count < MAX_TASKS && choices.happens(45);
    const kind = isNested ? this.#nested(depth) : { kind: choices.weighted([[9, WORK], [1, SLEEP]]) };
    const blocks: Blocks = "blocks" in kind ? kind.blocks : new Map();
    if (isNested) this.#addHandlers(kind.kind, blocks, depth);
    const timeout = isNested && choices.happens(20) ? "{{ x }}" : undefined;
    return { ...task(id, PREFIX + kind.kind, this.#common()), ...this.#retryOf(), timeout, blocks };
  }

  #nested(depth: number): { readonly kind: string; readonly blocks: Blocks } {
    const [kind, nest] = this.choices.weighted(NESTS.map(([weight, ...rest]) => [weight, rest] as const));
    return { kind, blocks: nest(this, depth + 1) };
  }

  #addHandlers(kind: string, blocks: Blocks, depth: number): void {
    if (BARE_KINDS.has(kind)) return;
    if (this.choices.happens(20)) blocks.set("errors", this.list(depth + 1, 1));
    if (this.choices.happens(15)) blocks.set("finally", this.list(depth + 1, 1));
  }

  #common(): { [name: string]: boolean | string } {
    const { choices } = this;
    const properties: { [name: string]: boolean | string } = {};
    if (choices.happens(12)) properties.runIf = "{{ x }}";
    if (choices.happens(6)) properties.disabled = true;
    if (choices.happens(10)) properties.allowFailure = true;
    if (choices.happens(8)) properties.allowWarning = true;
    if (choices.happens(10)) properties.transmitFailed = false;
    return properties;
  }

  #retryOf(): Partial<Task> {
    return this.choices.happens(14) ? { retry: this.retry() } : {};
  }
}

function inTasks(grammar: Grammar, depth: number): Blocks {
  return new Map([["tasks", grammar.list(depth, 2)]]);
}

function inLists(grammar: Grammar, depth: number, names: readonly string[]): Blocks {
  const blocks: Blocks = new Map();
  for (const name of names) if (!grammar.choices.happens(25)) blocks.set(name, grammar.list(depth, 1));
  return blocks;
}

/** Each depends on some of those before it; they are then put in another order. */
function inGraph(grammar: Grammar, depth: number): Blocks {
  const { choices } = grammar;
  const tasks = grammar.list(depth, 3).map((member, index, all) => ({
    ...member,
    dependsOn: all.slice(0, index).filter(() => choices.happens(40)).map(({ id }) => id),
  }));
  return new Map([["tasks", choices.happens(30) ? tasks.reverse() : tasks]]);
}

function inPause(grammar: Grammar, depth: number): Blocks {
  const blocks: Blocks = grammar.choices.happens(25) ? inTasks(grammar, depth) : new Map();
  if (grammar.choices.happens(35)) blocks.set("onPause", grammar.list(depth, 0));
  return blocks;
}
