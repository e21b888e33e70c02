/** What a crash run looks for is found: each kind of fault, planted once. */
import { assertEquals } from "@std/assert";
import { until } from "../../support/processes/machine_processes.ts";
import {
  effectProblem,
  executionProblems,
  interruptionProblems,
  replacementProblem,
  type SeenExecution,
  type SeenState,
} from "./execution_check.ts";
import { FINDING_KINDS, Findings } from "./findings.ts";
import type { FlowId } from "../flows/flows.ts";
import { type KnownExecution, Ledger } from "./ledger.ts";
import { markedProcesses, survivorsOf } from "./orphans.ts";
import { MARK_VARIABLE } from "../flows/script_flows.ts";
import { verifyRelations } from "./verify_relations.ts";
import { verifyTicks } from "./verify_ticks.ts";

const START = Date.UTC(2026, 0, 1);

/** An execution that has ended, and what is known of it. */
interface Planted {
  readonly flow: FlowId;
  readonly id?: string;
  readonly name?: string;
  readonly state?: SeenState["current"];
  readonly originalId?: string;
  /** Id of the one that has caused it. */
  readonly by?: string;
  /** Milliseconds after {@link START}. */
  readonly date?: number;
  readonly from?: number;
  readonly to?: number;
  readonly deletion?: KnownExecution["deletion"];
}

interface Row {
  readonly fault: string;
  readonly executions: readonly Planted[];
  /** Keys of calls, each with the id that was answered. */
  readonly calls?: Readonly<Record<string, string | undefined>>;
  /** Kinds of what is found. */
  readonly found: readonly string[];
}

const PARENT: Planted = { flow: "parent", id: "p" };
const ITEMS: readonly Planted[] = ["0", "1", "2"].map((name) => ({ flow: "item", by: "i", name }));
const AGAIN: Planted = { flow: "again", id: "a", state: "RETRIED" };
const UPSTREAM: Planted = { flow: "upstream", id: "u", state: "FAILED" };
const LISTENER: Planted = { flow: "listener", by: "u", name: "u" };
const HOOK: Planted = { flow: "hook", id: "h", name: "key" };

const RELATION_ROWS: readonly Row[] = [
  { fault: "none", executions: [PARENT, { flow: "child", by: "p" }], found: [] },
  { fault: "no child", executions: [PARENT], found: ["lost"] },
  { fault: "no child of one that failed", executions: [{ ...PARENT, state: "FAILED" }], found: [] },
  {
    fault: "two children",
    executions: [PARENT, { flow: "child", by: "p", name: "a" }, { flow: "child", by: "p", name: "b" }],
    found: ["doubled"],
  },
  { fault: "none of the items", executions: [{ flow: "items", id: "i" }, ...ITEMS], found: [] },
  { fault: "an item missing", executions: [{ flow: "items", id: "i" }, ...ITEMS.slice(1)], found: ["lost"] },
  {
    fault: "an item twice",
    executions: [{ flow: "items", id: "i", state: "KILLED" }, ...ITEMS.slice(0, 2), {
      ...ITEMS[0] as Planted,
    }],
    found: ["doubled"],
  },
  { fault: "none of the retry", executions: [AGAIN, { flow: "again", originalId: "a" }], found: [] },
  { fault: "no successor", executions: [AGAIN], found: ["lost"] },
  {
    fault: "two successors",
    executions: [AGAIN, { flow: "again", originalId: "a" }, { flow: "again", originalId: "a", name: "b" }],
    found: ["doubled"],
  },
  { fault: "none of the flow trigger", executions: [UPSTREAM, LISTENER], found: [] },
  { fault: "an end not told", executions: [UPSTREAM], found: ["lost"] },
  { fault: "an end of one deleted", executions: [{ ...UPSTREAM, deletion: "acknowledged" }], found: [] },
  { fault: "an end told twice", executions: [UPSTREAM, LISTENER, { ...LISTENER }], found: ["doubled"] },
  { fault: "none of the calls", executions: [HOOK], calls: { key: "h", other: undefined }, found: [] },
  { fault: "a call lost", executions: [], calls: { key: "h" }, found: ["lost"] },
  {
    fault: "a call twice",
    executions: [HOOK, { ...HOOK, id: "h2" }],
    calls: { key: "h" },
    found: ["doubled"],
  },
  { fault: "another answer", executions: [HOOK], calls: { key: "h2" }, found: ["lost"] },
  { fault: "a call of nobody", executions: [HOOK], found: ["illegal"] },
  {
    fault: "none of the limit",
    executions: [{ flow: "limited", from: 0, to: 9 }, { flow: "limited", from: 9, to: 12 }],
    found: [],
  },
  {
    fault: "two at once",
    executions: [{ flow: "limited", from: 0, to: 9 }, { flow: "limited", from: 8, to: 12 }],
    found: ["illegal"],
  },
];

Deno.test("verifyRelations() finds each planted fault, and nothing without one", () => {
  for (const row of RELATION_ROWS) {
    const { ledger, findings } = planted(row);
    verifyRelations({ ledger, findings });
    assertEquals(kindsOf(findings), row.found, `${row.fault}: ${findings.examples}`);
  }
});

/** The schedules were on for three dates. */
const TICKS: readonly Planted[] = (["tick1", "tick2", "tick3"] as const).flatMap((flow) =>
  [1_000, 2_000, 3_000].map((date) => ({ flow, date, from: date, to: date + 10 }))
);
const SAVED = { from: START, to: START + 20 };
const STOPPED = { from: START + 5_100, to: START + 5_200 };
const isAt = (flow: string, date: number) => (tick: Planted) => tick.flow === flow && tick.date === date;
const without = (flow: string, date: number) => TICKS.filter((tick) => !isAt(flow, date)(tick));

const TICK_ROWS: readonly Row[] = [
  { fault: "none", executions: TICKS, found: [] },
  { fault: "the first date", executions: without("tick2", 1_000), found: ["lost"] },
  { fault: "a date between", executions: without("tick3", 2_000), found: ["lost"] },
  { fault: "the last date", executions: without("tick2", 3_000), found: ["lost"] },
  { fault: "a date passed over for nothing", executions: without("tick1", 2_000), found: ["lost"] },
  {
    fault: "none: the one before was running",
    executions: without("tick1", 2_000).map((tick) =>
      isAt("tick1", 1_000)(tick) ? { ...tick, to: 2_100 } : tick
    ),
    found: [],
  },
  { fault: "a date twice", executions: [...TICKS, TICKS[4] as Planted], found: ["doubled"] },
  { fault: "no such date", executions: [...TICKS, { flow: "tick2", date: 2_500 }], found: ["illegal"] },
  { fault: "a date before", executions: [...TICKS, { flow: "tick2", date: -1_000 }], found: ["illegal"] },
];

Deno.test("verifyTicks() finds each planted fault, and nothing without one", () => {
  for (const row of TICK_ROWS) {
    const { ledger, findings } = planted(row);
    assertEquals(verifyTicks({ ledger, findings }, SAVED, STOPPED), TICKS.length, row.fault);
    assertEquals(kindsOf(findings), row.found, `${row.fault}: ${findings.examples}`);
  }
});

const ACTED = ["CREATED", "RUNNING", "SUCCESS"] as const;
const ATTEMPTED = acting([["RUNNING", "RESUBMITTED"], ["RUNNING", "SUCCESS"]]);

Deno.test("interruptionProblems() finds an attempt that was repeated without a crash", () => {
  const [from, to] = [START + 1, START + 2];
  assertEquals(interruptionProblems(ATTEMPTED, [{ from, to }]), []);
  assertEquals(interruptionProblems(ATTEMPTED, []).length, 1);
  assertEquals(interruptionProblems(ATTEMPTED, [{ from: START - 10, to: START - 5 }]).length, 1);
  assertEquals(interruptionProblems(ATTEMPTED, [{ from: START + 5_000, to: START + 5_001 }]).length, 1);
});

Deno.test("executionProblems() finds attempts that nothing explains", () => {
  const repeated = acting([["RUNNING", "SUCCESS"], ["RUNNING", "SUCCESS"]]);
  const states: readonly (readonly [SeenExecution, number, number])[] = [
    [ATTEMPTED, 1, 0],
    [ATTEMPTED, 0, 1],
    [repeated, 9, 1],
    [{ ...ATTEMPTED, state: stateOf(["CREATED", "SUCCESS"]) }, 1, 1],
    [{ ...ATTEMPTED, state: stateOf(["CREATED", "RUNNING"]) }, 1, 1],
    [{ ...ATTEMPTED, state: stateOf(["RUNNING", "SUCCESS"]) }, 1, 1],
  ];
  for (const [execution, crashes, count] of states) {
    const problems = executionProblems(execution, crashes);
    assertEquals(problems.length, count, String(problems));
  }
});

Deno.test("effectProblem() and replacementProblem() find lines that are missing or too many", () => {
  const rows: readonly (readonly [attempts: number[], problem: string | undefined])[] = [
    [[2], undefined],
    [[1, 2], undefined],
    [[1], "lost"],
    [[2, 2], "doubled"],
    [[2, 3], "lost"],
  ];
  for (const [attempts, problem] of rows) {
    assertEquals(effectProblem(ATTEMPTED, new Map([["t", attempts]]))?.kind, problem, `${attempts}`);
  }
  const gone: readonly (readonly [FlowId, count: number, crashes: number, problem: string | undefined])[] = [
    ["effect", 0, 1, undefined],
    ["effect", 1, 1, "doubled"],
    ["until", 2, 0, undefined],
    ["until", 1, 0, "lost"],
    ["until", 3, 0, "doubled"],
    ["directory", 2, 1, undefined],
    ["directory", 1, 0, "doubled"],
  ];
  for (const [flowId, count, crashes, problem] of gone) {
    const ids = new Set(["t", ...Array.from({ length: count }, (_, n) => `gone${n}`)]);
    const execution = { ...ATTEMPTED, flowId };
    const found = replacementProblem(execution, new Map([[execution.id, ids]]), crashes);
    assertEquals(found?.kind, problem, `${flowId} ${count} ${crashes}`);
  }
});

Deno.test("survivorsOf() finds a process that is left, and none that has ended", async () => {
  const mark = crypto.randomUUID();
  const env = { [MARK_VARIABLE]: mark };
  const child = new Deno.Command("/bin/sh", { args: ["-c", "read x"], env, stdin: "piped", stdout: "null" })
    .spawn();
  // While a process becomes its program it seems to have no environment.
  let former = markedProcesses(mark);
  await until(() => (former = markedProcesses(mark)).size === 1);
  assertEquals([former.size, (await survivorsOf(former, mark, 0)).length], [1, 1]);
  assertEquals(await survivorsOf(former, crypto.randomUUID(), 0), []);
  await child.stdin.close();
  await child.status;
  assertEquals(await survivorsOf(former, mark, 0), []);
});

function planted({ executions, calls = {} }: Row): { ledger: Ledger; findings: Findings } {
  const ledger = new Ledger();
  for (const [index, each] of executions.entries()) {
    const id = each.id ?? `e${index}`;
    const { flow, deletion = "no" } = each;
    const ended = JSON.stringify(seen(id, each));
    ledger.executions.set(id, { id, flow, dueAt: 0, kill: "no", deletion, ended });
  }
  for (const [name, executionId] of Object.entries(calls)) {
    ledger.calls.push({ name, executionId, isUnderWay: false });
  }
  return { ledger, findings: new Findings() };
}

function seen(id: string, execution: Planted): SeenExecution {
  const { flow, name = "n", state = "SUCCESS", originalId = id, by, date, from = 0, to = 1 } = execution;
  const variables = { executionId: by, date: date === undefined ? undefined : dateOf(date) };
  return {
    id,
    flowId: flow,
    inputs: { name },
    originalId,
    trigger: { variables },
    state: {
      current: state,
      histories: [{ state: "CREATED", date: dateOf(from) }, { state: "RUNNING", date: dateOf(from) }],
      startDate: dateOf(from),
      endDate: dateOf(to),
    },
    taskRunList: [],
  };
}

/** An execution of one task run, the attempts of which went through these states, a millisecond each. */
function acting(attempts: readonly (readonly SeenState["current"][])[]): SeenExecution {
  const taskRun = { id: "t", taskId: "act", state: stateOf(ACTED) };
  const list = attempts.map((states) => ({ state: stateOf(["CREATED", ...states]) }));
  return {
    ...seen("e", { flow: "effect" }),
    state: stateOf(ACTED),
    taskRunList: [{ ...taskRun, attempts: list }],
  };
}

function stateOf(states: readonly SeenState["current"][]): SeenState {
  const histories = states.map((state, index) => ({ state, date: dateOf(index) }));
  const current = states.at(-1) ?? "CREATED";
  return { current, histories, startDate: dateOf(0), endDate: dateOf(states.length) };
}

function dateOf(afterMs: number): string {
  return new Date(START + afterMs).toISOString();
}

function kindsOf(findings: Findings): string[] {
  return FINDING_KINDS.flatMap((kind) => Array.from({ length: findings.count(kind) }, () => kind));
}
