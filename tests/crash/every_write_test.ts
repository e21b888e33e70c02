/** The server dies, or its database fails, at every single commit of an execution: what comes of it is always the same. */
import { assert, assertEquals } from "@std/assert";
import type { RunContext } from "../../src/model/ports/run_context.ts";
import type { AttemptOutcome } from "../../src/model/tasks/task_catalog.ts";
import { EFFECT_TYPE } from "../support/harness.ts";
import { effectProblem, executionProblems, type SeenExecution } from "./verification/execution_check.ts";
import { type Cut, CUT_MODES } from "./mortal_store.ts";
import { type Ending, type Scenario, Story } from "./story.ts";

const RETURN = "io.svc.plugin.core.debug.Return";
const SLEEP = "io.svc.plugin.core.flow.Sleep";
const SET_VARIABLES = "io.svc.plugin.core.execution.SetVariables";
const INPUTS = "inputs:\n  - {id: name, type: STRING, defaults: Ada}\n";

const SCENARIOS: readonly Scenario[] = [
  {
    name: "pure",
    flow: flow([
      `{id: a, type: ${RETURN}, format: "Hello {{ inputs.name }}"}`,
      returns("b", "{{ outputs.a.value }}!"),
    ]),
  },
  {
    name: "effect in the middle",
    flow: flow([returns("a", "one"), effect("act"), returns("b", "{{ outputs.act.done }}")]),
  },
  { name: "two effects", flow: flow([effect("act"), effect("again")]) },
  { name: "sleep", flow: flow([`{id: wait, type: ${SLEEP}, duration: PT2S}`, returns("b", "up")]) },
  { name: "scheduled", flow: flow([returns("a", "on time")]), delayMs: 2_000 },
  {
    name: "300 tasks",
    flow: flow(Array.from({ length: 300 }, (_, n) => returns(`t${n}`, `${n} {{ inputs.name }}`))),
  },
  {
    name: "large outputs",
    form: { name: "x".repeat(70_000) },
    flow: flow([
      returns("a", "{{ inputs.name }}{{ inputs.name }}"),
      returns("b", "medium".repeat(500)),
      effect("act"),
      returns("c", "{{ outputs.a.value }}"),
      returns("d", "other".repeat(500)),
    ]),
  },
  {
    name: "large variables that are replaced",
    form: { name: "x".repeat(70_000) },
    flow: flow([
      variables("one", "{{ inputs.name }}1"),
      effect("act"),
      variables("two", "{{ inputs.name }}2"),
      effect("again"),
      variables("three", "medium".repeat(500)),
      effect("last"),
      variables("four", "small"),
    ]),
  },
  {
    name: "failing",
    flow: flow([effect("act"), "{id: stop, type: io.svc.plugin.core.execution.Fail}", returns("never", "x")]),
  },
  {
    name: "failing expression",
    flow: flow([effect("act"), returns("bad", "{{ outputs.nobody.value }}")]),
  },
  {
    name: "kill of a sleeping one",
    flow: flow([`{id: wait, type: ${SLEEP}, duration: PT1H}`, returns("b", "up")]),
    then: "kill",
  },
  {
    name: "kill of a scheduled one",
    flow: flow([returns("a", "never")]),
    delayMs: 3_600_000,
    then: "kill",
  },
  {
    name: "kill of a running effect",
    flow: flow([returns("a", "one"), effect("act")]),
    then: "kill",
    effect: untilAborted,
  },
  {
    name: "delete of a sleeping one",
    flow: flow([`{id: wait, type: ${SLEEP}, duration: PT1H}`]),
    then: "delete",
  },
  {
    name: "delete of a running effect",
    flow: flow([effect("act")]),
    then: "delete",
    effect: untilAborted,
  },
  {
    name: "delete of replaced large variables",
    form: { name: "x".repeat(70_000) },
    flow: flow([
      variables("one", "{{ inputs.name }}1"),
      effect("act"),
      variables("two", "medium".repeat(500)),
      `{id: wait, type: ${SLEEP}, duration: PT1H}`,
    ]),
    then: "delete",
  },
  {
    name: "delete of large outputs",
    form: { name: "x".repeat(70_000) },
    flow: flow([returns("a", "{{ inputs.name }}"), returns("b", "medium".repeat(500))]),
    then: "delete",
  },
];

/** Waits until it is interrupted. */
function untilAborted(_properties: unknown, { signal }: RunContext): Promise<AttemptOutcome> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ state: "KILLED" })));
}

/** A life after a crash has more commits: its boot, its recovery. */
const RECOVERY_COMMITS = 4;

for (const scenario of SCENARIOS) {
  Deno.test(`every write of "${scenario.name}": a crash or a failure there changes nothing in the end`, async () => {
    const story = new Story(scenario);
    const uncut = await story.play();
    check(uncut, uncut, "uncut");
    const [commits = 0] = uncut.commits;
    assert(commits > 0);
    for (const mode of CUT_MODES) {
      for (let at = 1; at <= commits + 1; at++) check(await story.play([{ at, mode }]), uncut, at, mode);
    }
  });

  Deno.test(`every write of the recovery of "${scenario.name}": a second crash there changes nothing in the end`, async () => {
    const story = new Story(scenario);
    const uncut = await story.play();
    const [commits = 0] = uncut.commits;
    for (let first = 1; first <= Math.min(commits, RECOVERY_COMMITS); first++) {
      for (let second = 1; second <= RECOVERY_COMMITS; second++) {
        for (const mode of ["die_before", "die_after"] as const) {
          const cuts: Cut[] = [{ at: first, mode: "die_after" }, { at: second, mode }];
          check(await story.play(cuts), uncut, first, second, mode);
        }
      }
    }
  });
}

/** Compares with what came of it without any cut. */
function check(ending: Ending, uncut: Ending, ...where: readonly (string | number)[]): void {
  const message = where.join(" ");
  assertEquals(ending.summary, uncut.summary, message);
  assertEquals(ending.total, uncut.total, message);
  assertEquals(keptRows(ending), keptRows(uncut), message);
  if (!ending.execution) return;
  const execution = ending.execution as unknown as SeenExecution;
  assertEquals(executionProblems({ ...execution, state: execution.state }, ending.crashes), [], message);
  assertEquals(effectProblem(execution, ending.effects), undefined, message);
}

/** Log lines are stored a chunk a slice, and a crash moves the slices. */
function keptRows({ rows: { logs: _logs, pages, chunks, ...rows }, execution }: Ending): object {
  return execution ? { ...rows, pages, chunks } : rows;
}

function flow(tasks: readonly string[]): string {
  return `id: story\nnamespace: demo\n${INPUTS}tasks:\n${tasks.map((task) => `  - ${task}\n`).join("")}`;
}

function returns(id: string, format: string): string {
  return `{id: ${id}, type: ${RETURN}, format: "${format}"}`;
}

function variables(id: string, text: string): string {
  return `{id: ${id}, type: ${SET_VARIABLES}, variables: {text: "${text}"}}`;
}

function effect(id: string): string {
  return `{id: ${id}, type: ${EFFECT_TYPE}}`;
}
