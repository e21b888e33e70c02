/** The server dies, or its database fails, at every single commit of flows that together use every construct. */
import { assert, assertEquals } from "@std/assert";
import { canMove, TERMINAL_STATES } from "../../src/model/executions/state.ts";
import { EFFECT_TYPE } from "../support/harness.ts";
import type { SeenExecution, SeenState } from "./verification/execution_check.ts";
import { CUT_MODES } from "./mortal_store.ts";
import { type Ending, type Scenario, Story } from "./story.ts";

const CORE = "io.kestra.plugin.core";

function flow(body: string, id = "story"): string {
  const indented = body.trim().replaceAll("$", CORE).replaceAll("EFFECT", EFFECT_TYPE);
  return `id: ${id}\nnamespace: demo\n${indented}\n`;
}

const CHILD = flow(
  `
inputs: [{id: x, type: STRING, defaults: none}]
outputs: [{id: y, type: STRING, value: "{{ outputs.r.value }}"}]
tasks:
  - {id: act, type: EFFECT}
  - {id: r, type: $.debug.Return, format: "got {{ inputs.x }}"}`,
  "child",
);
const FAILING_CHILD = flow(`tasks: [{id: f, type: $.execution.Fail}]`, "failing");

const SCENARIOS: readonly Scenario[] = [
  scenario(
    "nested sequences",
    `
tasks:
  - id: s
    type: $.flow.Sequential
    tasks:
      - {id: a, type: EFFECT}
      - {id: t, type: $.flow.Sequential, tasks: [{id: b, type: EFFECT}, {id: c, type: $.debug.Return, format: "{{ outputs.b.done }}"}]}
  - {id: d, type: $.debug.Return, format: end}`,
  ),
  scenario(
    "parallel",
    `
tasks:
  - id: p
    type: $.flow.Parallel
    tasks: [{id: a, type: EFFECT}, {id: b, type: EFFECT}, {id: c, type: $.debug.Return, format: c}]
  - {id: d, type: $.debug.Return, format: "{{ outputs.a.done }}{{ outputs.b.done }}"}`,
  ),
  scenario(
    "parallel, two at a time",
    `
tasks:
  - id: p
    type: $.flow.Parallel
    concurrent: 2
    tasks: [{id: a, type: EFFECT}, {id: b, type: EFFECT}, {id: c, type: EFFECT}]`,
  ),
  {
    ...scenario(
      "parallel, where a failure interrupts the others",
      `
tasks:
  - id: p
    type: $.flow.Parallel
    onChildFailure: CANCELLED
    tasks:
      - {id: s, type: $.flow.Subflow, namespace: demo, flowId: waiting}
      - {id: w, type: $.flow.Sequential, tasks: [{id: n, type: $.flow.Sleep, duration: PT1H}]}
      - {id: q, type: $.flow.Sequential, tasks: [{id: t, type: $.flow.Sleep, duration: PT1S}, {id: f, type: $.execution.Fail}]}
    errors: [{id: e, type: EFFECT}]`,
    ),
    others: [flow(`tasks: [{id: w, type: $.flow.Pause}]`, "waiting")],
  },
  scenario(
    "parallel, where the others go on after a failure",
    `
tasks:
  - id: p
    type: $.flow.Parallel
    onChildFailure: CONTINUE
    concurrent: 1
    tasks: [{id: f, type: $.execution.Fail}, {id: a, type: EFFECT}, {id: b, type: EFFECT}]
    finally: [{id: e, type: EFFECT}]`,
  ),
  scenario(
    "dag, where a failure interrupts the others",
    `
tasks:
  - id: g
    type: $.flow.Dag
    onChildFailure: CANCELLED
    tasks:
      - {task: {id: n, type: $.flow.Sleep, duration: PT1H}}
      - {task: {id: a, type: EFFECT}}
      - {task: {id: f, type: $.execution.Fail}, dependsOn: [a]}`,
  ),
  scenario(
    "if",
    `
tasks:
  - {id: i, type: $.flow.If, condition: "{{ 1 == 1 }}", then: [{id: a, type: EFFECT}], else: [{id: b, type: EFFECT}]}
  - {id: j, type: $.flow.If, condition: "0", then: [{id: c, type: EFFECT}]}`,
  ),
  scenario(
    "switch",
    `
tasks:
  - {id: s, type: $.flow.Switch, value: two, cases: {one: [{id: a, type: EFFECT}], two: [{id: b, type: EFFECT}]}}
  - {id: t, type: $.flow.Switch, value: nine, cases: {one: [{id: c, type: EFFECT}]}, defaults: [{id: d, type: EFFECT}]}`,
  ),
  scenario(
    "for each",
    `
tasks:
  - id: e
    type: $.flow.ForEach
    values: [x, y, z]
    tasks: [{id: a, type: EFFECT}, {id: b, type: $.debug.Return, format: "{{ taskrun.value }}"}]
  - {id: last, type: $.debug.Return, format: "{{ outputs.b | keys }}"}`,
  ),
  scenario(
    "for each, all at once",
    `
tasks:
  - {id: e, type: $.flow.ForEach, values: [x, y, z], concurrencyLimit: 0, tasks: [{id: a, type: EFFECT}]}`,
  ),
  scenario(
    "for each of many",
    `
tasks:
  - {id: e, type: $.flow.ForEach, values: "{{ range(1, 150) }}", concurrencyLimit: 0, tasks: [{id: a, type: $.debug.Return, format: "{{ taskrun.value }}"}]}`,
  ),
  scenario(
    "nested for each",
    `
tasks:
  - id: e
    type: $.flow.ForEach
    values: [x, y]
    tasks:
      - {id: i, type: $.flow.ForEach, values: [1, 2], tasks: [{id: a, type: EFFECT}, {id: b, type: $.debug.Return, format: "{{ parent.taskrun.value }}{{ taskrun.value }}"}]}
  - {id: last, type: $.debug.Return, format: "{{ outputs.b.x['1'].value }}{{ outputs.b.y['2'].value }}"}`,
  ),
  scenario(
    "each sequential",
    `
tasks:
  - {id: e, type: $.flow.EachSequential, value: '["x", "y"]', tasks: [{id: a, type: EFFECT}]}`,
  ),
  scenario(
    "each parallel",
    `
tasks:
  - {id: e, type: $.flow.EachParallel, value: '["x", "y"]', tasks: [{id: a, type: EFFECT}, {id: b, type: EFFECT}]}`,
  ),
  scenario(
    "dag",
    `
tasks:
  - id: g
    type: $.flow.Dag
    tasks:
      - {task: {id: a, type: EFFECT}, dependsOn: [b, c]}
      - {task: {id: b, type: EFFECT}}
      - {task: {id: c, type: EFFECT}, dependsOn: [b]}`,
  ),
  scenario(
    "allow failure",
    `
tasks:
  - {id: s, type: $.flow.AllowFailure, tasks: [{id: f, type: $.execution.Fail}, {id: n, type: EFFECT}], errors: [{id: e, type: EFFECT}]}
  - {id: d, type: EFFECT}`,
  ),
  scenario(
    "errors, finally and after the end",
    `
tasks:
  - id: s
    type: $.flow.Sequential
    tasks: [{id: a, type: EFFECT}, {id: f, type: $.execution.Fail}]
    errors: [{id: le, type: EFFECT}]
    finally: [{id: lf, type: EFFECT}]
errors: [{id: e, type: EFFECT}]
finally: [{id: fin, type: EFFECT}]
afterExecution: [{id: after, type: EFFECT}, {id: state, type: $.debug.Return, format: "{{ execution.state }}"}]`,
  ),
  scenario(
    "listeners with conditions",
    `
tasks: [{id: f, type: $.execution.Fail}]
listeners:
  - {conditions: [{type: $.condition.ExecutionStatus, in: [FAILED]}], tasks: [{id: a, type: EFFECT}]}
  - {conditions: [{type: $.condition.ExecutionStatus, in: [SUCCESS]}], tasks: [{id: b, type: EFFECT}]}`,
  ),
  scenario(
    "a failure that is allowed, and conditions",
    `
tasks:
  - {id: f, type: $.execution.Fail, allowFailure: true}
  - {id: no, type: EFFECT, runIf: "{{ 1 == 2 }}"}
  - {id: yes, type: EFFECT, runIf: "{{ 1 == 1 }}"}
  - {id: off, type: EFFECT, disabled: true}`,
  ),
  scenario(
    "retry at once",
    `
tasks:
  - {id: f, type: $.execution.Fail, retry: {type: constant, interval: PT0S, maxAttempt: 3}}
errors: [{id: e, type: EFFECT}]`,
  ),
  scenario(
    "retry after a while",
    `
tasks:
  - {id: f, type: $.execution.Fail, retry: {type: exponential, interval: PT1S, maxInterval: PT5S, maxAttempt: 3}}`,
  ),
  scenario(
    "retry of what a flowable task holds",
    `
tasks:
  - {id: s, type: $.flow.Sequential, retry: {type: random, minInterval: PT1S, maxInterval: PT2S, maxAttempt: 2}, tasks: [{id: a, type: EFFECT}, {id: f, type: $.execution.Fail}]}`,
  ),
  scenario(
    "retry by a new execution",
    `
retry: {type: constant, interval: PT1S, maxAttempt: 2, behavior: CREATE_NEW_EXECUTION}
tasks: [{id: a, type: EFFECT}, {id: f, type: $.execution.Fail}]`,
  ),
  scenario(
    "pause for a while",
    `
tasks: [{id: p, type: $.flow.Pause, pauseDuration: PT2S}, {id: a, type: EFFECT}]`,
  ),
  scenario(
    "pause that fails",
    `
tasks: [{id: p, type: $.flow.Pause, pauseDuration: PT2S, behavior: FAIL}, {id: a, type: EFFECT}]
errors: [{id: e, type: EFFECT}]`,
  ),
  scenario(
    "pause that cancels",
    `
tasks: [{id: p, type: $.flow.Pause, pauseDuration: PT2S, behavior: CANCEL}, {id: a, type: EFFECT}]`,
  ),
  {
    ...scenario(
      "pause until somebody resumes it",
      `
tasks: [{id: p, type: $.flow.Pause}, {id: a, type: EFFECT}]`,
    ),
    then: "resume",
  },
  scenario(
    // Longer than the time until a crash is made good: a pause that is over before it was told of is none.
    "pause that tells somebody",
    `
tasks:
  - {id: p, type: $.flow.Pause, pauseDuration: PT6S, onPause: {id: o, type: EFFECT}, tasks: [{id: t, type: EFFECT}]}
  - {id: q, type: $.flow.Pause, pauseDuration: PT6S, behavior: WARN, onPause: {id: n, type: $.flow.Sleep, duration: PT1H}}
  - {id: a, type: EFFECT}`,
  ),
  {
    ...scenario(
      "pause that tells somebody in vain, until somebody resumes it",
      `
tasks:
  - {id: p, type: $.flow.Pause, onPause: {id: o, type: $.flow.Sequential, tasks: [{id: b, type: EFFECT}, {id: f, type: $.execution.Fail}]}}
  - {id: a, type: EFFECT}`,
    ),
    then: "resume",
  },
  {
    ...scenario(
      "kill of a paused one",
      `
tasks: [{id: p, type: $.flow.Pause}, {id: a, type: EFFECT}]
afterExecution: [{id: after, type: EFFECT}]`,
    ),
    then: "kill",
  },
  {
    ...scenario(
      "kill of a parallel one that waits",
      `
tasks:
  - {id: p, type: $.flow.Parallel, tasks: [{id: a, type: $.flow.Sleep, duration: PT1H}, {id: b, type: $.flow.Pause}, {id: c, type: EFFECT}]}`,
    ),
    then: "kill",
  },
  scenario(
    "loop until",
    `
tasks:
  - id: l
    type: $.flow.LoopUntil
    condition: "{{ outputs.r.value == '3' }}"
    checkFrequency: {interval: PT1S}
    tasks: [{id: a, type: EFFECT}, {id: r, type: $.debug.Return, format: "{{ outputs.l.iterationCount }}"}]`,
  ),
  scenario(
    "loop that fails at its limit",
    `
tasks:
  - id: l
    type: $.flow.LoopUntil
    condition: "false"
    failOnMaxReached: true
    checkFrequency: {interval: PT0S, maxIterations: 3}
    tasks: [{id: a, type: $.debug.Return, format: x}]`,
  ),
  {
    ...scenario(
      "subflow",
      `
tasks:
  - {id: s, type: $.flow.Subflow, namespace: demo, flowId: child, inputs: {x: Ada}}
  - {id: d, type: $.debug.Return, format: "{{ outputs.s.outputs.y }}"}`,
    ),
    others: [CHILD],
  },
  {
    ...scenario(
      "subflow that nobody waits for",
      `
tasks: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: child, wait: false}, {id: d, type: EFFECT}]`,
    ),
    others: [CHILD],
  },
  {
    ...scenario(
      "subflow that fails, and subflows at once",
      `
tasks:
  - {id: e, type: $.flow.ForEach, values: [1, 2], concurrencyLimit: 0, tasks: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: child}]}
  - {id: f, type: $.flow.Subflow, namespace: demo, flowId: failing}
errors: [{id: h, type: EFFECT}]`,
    ),
    others: [CHILD, FAILING_CHILD],
  },
  {
    ...scenario(
      "kill of one that waits for a subflow",
      `
tasks: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: waiting}]`,
    ),
    others: [flow(`tasks: [{id: w, type: $.flow.Pause}]`, "waiting")],
    then: "kill",
  },
  {
    ...scenario(
      "restart of one whose subflow has failed",
      `
tasks: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: once}, {id: d, type: EFFECT}]`,
    ),
    others: [flow(
      `
concurrency: {limit: 1}
tasks:
  - {id: a, type: EFFECT}
  - {id: f, type: $.debug.Return, format: "{{ labels.system.restarted }}"}
  - {id: b, type: EFFECT}`,
      "once",
    )],
    then: "restart",
  },
  {
    ...scenario(
      "restart of one whose subflow has failed, with another one",
      `
tasks: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: first, restartBehavior: NEW_EXECUTION, inputs: {x: "{{ labels.system.restarted ?? 'no' }}"}}]`,
    ),
    others: [flow(
      `
inputs: [{id: x, type: STRING}]
tasks: [{id: f, type: $.execution.Fail, runIf: "{{ inputs.x == 'no' }}"}, {id: b, type: EFFECT}]`,
      "first",
    )],
    then: "restart",
  },
  {
    ...scenario(
      "kill of one that waits for a subflow that was tried again",
      `
tasks: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: again}]`,
    ),
    others: [flow(
      `
retry: {type: constant, interval: PT0S, maxAttempt: 3, behavior: CREATE_NEW_EXECUTION}
tasks:
  - id: i
    type: $.flow.If
    condition: "{{ execution.id == execution.originalId }}"
    then: [{id: a, type: EFFECT}, {id: f, type: $.execution.Fail}]
    else: [{id: w, type: $.flow.Pause}]`,
      "again",
    )],
    then: "kill",
  },
  {
    ...scenario(
      "concurrency limit",
      `
tasks:
  - {id: e, type: $.flow.ForEach, values: [1, 2, 3], concurrencyLimit: 0, tasks: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: limited}]}`,
    ),
    others: [
      flow(`concurrency: {limit: 1}\ntasks: [{id: w, type: $.flow.Sleep, duration: PT1S}]`, "limited"),
    ],
  },
  scenario(
    "loop whose passes are executions",
    `
tasks:
  - {id: early, type: $.debug.Return, format: e}
  - id: l
    type: $.flow.Loop
    values: [x, y, z]
    concurrencyLimit: 2
    outputs: [{id: o, type: STRING, value: "{{ outputs.early.value }}{{ outputs.r.value }}"}]
    tasks: [{id: a, type: EFFECT}, {id: r, type: $.debug.Return, format: "{{ item.value }}"}]
    finally: [{id: f, type: EFFECT}]
  - {id: d, type: $.debug.Return, format: "{{ loopOutputs(outputs.l.outputs, 'o') }}"}`,
  ),
  scenario(
    "loop that is broken off, with a file of outputs",
    `
tasks:
  - {id: l, type: $.flow.Loop, values: "{{ range(1, 400) }}", breakWhen: "{{ item.index == 1 }}", fetchType: STORE, outputs: [{id: o, value: "{{ item.value }}"}], tasks: [{id: r, type: $.debug.Return, format: x}]}
  - {id: d, type: $.debug.Return, format: "{{ read(outputs.l.outputs) }}"}`,
  ),
  scenario(
    "loops within loops, and a pass that fails",
    `
tasks:
  - {id: l, type: $.flow.Loop, values: [x, y], concurrencyLimit: 0, tasks: [{id: m, type: $.flow.Loop, values: [1], transmitFailed: false, tasks: [{id: a, type: EFFECT}, {id: b, type: $.execution.Fail}], errors: [{id: e, type: EFFECT}]}]}`,
  ),
  {
    ...scenario(
      "kill of a loop",
      `
tasks: [{id: l, type: $.flow.Loop, values: [x, y, z], concurrencyLimit: 2, tasks: [{id: p, type: $.flow.Pause}]}]`,
    ),
    then: "kill",
  },
  scenario(
    "broken promise",
    `
sla: [{id: x, type: MAX_DURATION, duration: PT2S, behavior: CANCEL, labels: {late: "yes"}}]
tasks: [{id: w, type: $.flow.Sleep, duration: PT10S}, {id: a, type: EFFECT}]`,
  ),
  scenario(
    "promise that the last task breaks",
    `
sla: [{id: x, type: EXECUTION_ASSERTION, assert: "{{ outputs.a.done != 'yes' }}", behavior: FAIL, labels: {broken: "yes"}}]
tasks: [{id: r, type: $.debug.Return, format: r}, {id: a, type: EFFECT}]
afterExecution: [{id: z, type: EFFECT}]`,
  ),
  scenario(
    "pause that fails, with its errors and its finally",
    `
tasks:
  - id: p
    type: $.flow.Pause
    timeout: PT6S
    onPause: {id: o, type: $.flow.Sleep, duration: PT1H}
    tasks: [{id: t, type: EFFECT}]
    errors: [{id: e, type: EFFECT}]
    finally: [{id: l, type: EFFECT}]`,
  ),
  {
    ...scenario(
      "time-outs of tasks that arrange others",
      `
tasks:
  - id: s
    type: $.flow.Sequential
    timeout: PT7S
    tasks:
      - {id: i, type: $.flow.Sequential, timeout: PT2S, allowFailure: true, tasks: [{id: v, type: $.flow.Sleep, duration: PT1H}]}
      - id: p
        type: $.flow.Parallel
        tasks:
          - {id: c, type: $.flow.Subflow, namespace: demo, flowId: waiting}
          - {id: l, type: $.flow.Loop, values: [x, y], tasks: [{id: w, type: $.flow.Pause}]}
          - {id: u, type: $.flow.LoopUntil, condition: "false", checkFrequency: {interval: PT30M}, tasks: [{id: b, type: EFFECT}]}
    errors: [{id: e, type: EFFECT}]
    finally: [{id: f, type: EFFECT}]`,
    ),
    others: [flow(`tasks: [{id: w, type: $.flow.Pause}]`, "waiting")],
  },
  {
    ...scenario(
      "restart of a loop, one of whose passes is then tried again by another execution",
      `
tasks:
  - id: l
    type: $.flow.Loop
    values: [x, y, z]
    outputs: [{id: o, type: STRING, value: "{{ outputs.r.value }}"}]
    tasks:
      - {id: a, type: EFFECT}
      - {id: r, type: $.debug.Return, format: "{{ item.value == 'y' ? labels.system.restarted : item.value }}"}
      - id: g
        type: $.debug.Return
        format: "{{ item.value == 'y' and execution.id == execution.originalId ? nothing : item.value }}"
        retry: {type: constant, interval: PT0S, maxAttempt: 5, behavior: CREATE_NEW_EXECUTION}
  - {id: d, type: $.debug.Return, format: "{{ loopOutputs(outputs.l.outputs, 'o') }}"}`,
    ),
    then: "restart",
  },
  {
    ...scenario(
      "restart of one whose ForEachItem has failed executions",
      `
tasks:
  - {id: w, type: $.storage.Write, content: "x\\ny\\nz\\n"}
  - {id: m, type: $.flow.ForEachItem, items: "{{ outputs.w.uri }}", namespace: demo, flowId: batch, inputs: {n: "{{ taskrun.iteration }}"}}
  - {id: d, type: EFFECT}`,
    ),
    others: [flow(
      `
inputs: [{id: n, type: INT}]
tasks:
  - {id: a, type: EFFECT}
  - {id: f, type: $.debug.Return, format: "{{ inputs.n == 1 ? 'x' : labels.system.restarted }}"}`,
      "batch",
    )],
    then: "restart",
  },
  scenario(
    "time-out of a wait",
    `
tasks: [{id: w, type: $.flow.Sleep, duration: PT10S, timeout: PT1S, allowFailure: true}, {id: a, type: EFFECT}]`,
  ),
];

function scenario(name: string, body: string): Scenario {
  return { name, flow: flow(body) };
}

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
}

/** Compares with what came of it without any cut: nothing is lost, nothing runs twice but the effect under way. */
function check(ending: Ending, uncut: Ending, ...where: readonly (string | number)[]): void {
  const message = where.join(" ");
  assertEquals(sorted(ending.summary), sorted(uncut.summary), message);
  assertEquals(ending.total, uncut.total, message);
  const { manifests, timers, messages, slots, queued, intents } = ending.rows;
  assertEquals({ manifests, timers, messages, slots, queued, intents }, EMPTY, message);
  const execution = ending.execution as unknown as SeenExecution;
  assert(TERMINAL_STATES.has(execution.state.current), `${message}: ${execution.state.current}`);
  checkHistory("execution", execution.state, message);
  for (const { state } of execution.taskRunList) checkHistory("task_run", state, message);
}

const EMPTY = { manifests: 0, timers: 0, messages: 0, slots: 0, queued: 0, intents: 0 };

function checkHistory(owner: "execution" | "task_run", { histories }: SeenState, message: string): void {
  for (let i = 1; i < histories.length; i++) {
    const [from, to] = [histories[i - 1], histories[i]];
    assert(from && to && canMove(owner, from.state, to.state) && from.date <= to.date, message);
  }
}

/** What an SLA says of the execution, whose duration has a crash in it. */
const DURATION = /(?<=violated: execution duration of )\S+/;

/** What runs at once may begin in another order after a crash. */
function sorted(summary: unknown): unknown {
  const { taskRuns, logs, ...rest } = summary as { taskRuns: object[]; logs: string[] };
  const texts = taskRuns.map((taskRun) => withoutIds(JSON.stringify(taskRun)));
  return {
    ...rest,
    taskRuns: texts.sort(),
    logs: logs.map((line) => withoutIds(line).replace(DURATION, "PT2S")).sort(),
  };
}

/** Ids and times of executions differ from life to life. */
function withoutIds(text: string): string {
  return text.replaceAll(/\b[A-Z][0-9A-Za-z]{21}\b/g, "<id>").replaceAll(
    /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
    "<time>",
  );
}
