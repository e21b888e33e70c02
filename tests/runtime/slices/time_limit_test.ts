/** `timeout` of tasks that arrange others: what is interrupted, what follows, what a crash and a restart do to it. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { settle } from "../../support/fakes/fake_clock.ts";
import { type Effect, EFFECT_TYPE, Harness } from "../../support/harness.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { CORE, logOf } from "../../tasks/core_flows.ts";

const EFFECT = `type: ${EFFECT_TYPE}`;
const RETURN = `type: ${CORE}debug.Return`;

/** A flow with a task `f` of that type that ends after ten seconds, and a last task. */
function flowWith(type: string, members: readonly string[]): string {
  return `id: flow
namespace: demo
tasks:
  - id: f
    type: ${CORE}flow.${type}
${members.map((member) => `    ${member}\n`).join("")}  - {id: last, ${RETURN}}
`;
}

/** Effects that last until they are told to stop, or for that time of the clock. */
function lasting(app: () => Harness, ms: Readonly<Record<string, number>> = {}) {
  const stopped: string[] = [];
  const effect: Effect = async ({ name }, { signal }) => {
    const over = Promise.withResolvers<void>();
    const wait = ms[String(name)];
    const cancel = wait === undefined ? undefined : app().clock.setTimer(wait, over.resolve);
    signal.addEventListener("abort", () => over.resolve());
    await over.promise;
    cancel?.();
    if (signal.aborted) stopped.push(String(name));
    return { state: signal.aborted ? "KILLED" : "SUCCESS" };
  };
  return { effect, stopped };
}

async function runsOf(app: Harness, id: unknown): Promise<string[]> {
  const { state, taskRunList } = await app.execution(String(id));
  return [state.current, ...taskRunList.map((run) => `${run.taskId} ${run.state.current}`)];
}

const TIMEOUT = "timeout: PT10S";
const TIMED_OUT = "ERROR Timeout after PT10S";
const INTERRUPTED = 'WARN Interrupted: the time of the task "f" is over';

interface Run {
  readonly name: string;
  readonly type: string;
  readonly members: readonly string[];
  readonly runs: readonly string[];
  readonly stopped: readonly string[];
}

/** What has become of them after eleven seconds. Effects called `short` take six. */
const RUNS: readonly Run[] = [
  {
    name: "the task at work is interrupted, those behind it do not begin, and the flow ends FAILED",
    type: "Sequential",
    members: [TIMEOUT, "tasks:", `  - {id: a, ${EFFECT}, name: a}`, `  - {id: b, ${EFFECT}, name: b}`],
    runs: ["FAILED", "f FAILED", "a CANCELLED"],
    stopped: ["a"],
  },
  {
    name: "it counts over all tasks, not for each",
    type: "Sequential",
    members: [TIMEOUT, "tasks:", `  - {id: a, ${EFFECT}, name: short}`, `  - {id: b, ${EFFECT}, name: b}`],
    runs: ["FAILED", "f FAILED", "a SUCCESS", "b CANCELLED"],
    stopped: ["b"],
  },
  {
    name: "errors and finally follow, and have no limit",
    type: "Sequential",
    members: [
      TIMEOUT,
      `tasks: [{id: a, ${EFFECT}, name: a}]`,
      `errors: [{id: e, ${RETURN}}]`,
      `finally: [{id: z, ${EFFECT}, name: z}]`,
    ],
    runs: ["RUNNING", "f RUNNING", "a CANCELLED", "e SUCCESS", "z RUNNING"],
    stopped: ["a"],
  },
  {
    name: "finally is not interrupted when its tasks have ended in time",
    type: "Sequential",
    members: [
      TIMEOUT,
      `tasks: [{id: a, ${EFFECT}, name: short}]`,
      `finally: [{id: z, ${EFFECT}, name: short}]`,
    ],
    runs: ["RUNNING", "f RUNNING", "a SUCCESS", "z RUNNING"],
    stopped: [],
  },
  {
    name: "an allowed failure is a warning",
    type: "Parallel",
    members: [
      TIMEOUT,
      "allowFailure: true",
      "tasks:",
      `  - {id: a, ${EFFECT}, name: a}`,
      `  - {id: b, ${EFFECT}, name: b}`,
    ],
    runs: ["WARNING", "f WARNING", "a CANCELLED", "b CANCELLED", "last SUCCESS"],
    stopped: ["b", "a"],
  },
  {
    name: "a ForEach begins no other value",
    type: "ForEach",
    members: [TIMEOUT, "values: [1, 2, 3]", `tasks: [{id: a, ${EFFECT}, name: short}]`],
    runs: ["FAILED", "f FAILED", "a SUCCESS", "a CANCELLED"],
    stopped: ["short"],
  },
  {
    name: "a Dag whose failures stop nothing begins nothing",
    type: "Dag",
    members: [
      TIMEOUT,
      "concurrent: 1",
      "onChildFailure: CONTINUE",
      "tasks:",
      `  - task: {id: a, ${EFFECT}, name: a}`,
      `  - task: {id: b, ${EFFECT}, name: b}`,
    ],
    runs: ["FAILED", "f FAILED", "a CANCELLED"],
    stopped: ["a"],
  },
  {
    name: "what lies deeper is interrupted, too",
    type: "If",
    members: [
      TIMEOUT,
      "condition: true",
      `then: [{id: s, type: ${CORE}flow.Sequential, timeout: PT1H, tasks: [{id: a, ${EFFECT}, name: a}]}]`,
    ],
    runs: ["FAILED", "f FAILED", "s CANCELLED", "a CANCELLED"],
    stopped: ["a"],
  },
  {
    name: "a pause within it ends",
    type: "Sequential",
    members: [TIMEOUT, `tasks: [{id: p, type: ${CORE}flow.Pause}]`],
    runs: ["FAILED", "f FAILED", "p CANCELLED"],
    stopped: [],
  },
  {
    name: "a loop that waits for its next pass ends",
    type: "LoopUntil",
    members: [
      TIMEOUT,
      'condition: "false"',
      "checkFrequency: {interval: PT1M}",
      `tasks: [{id: a, ${RETURN}}]`,
      `errors: [{id: e, ${RETURN}}]`,
    ],
    runs: ["FAILED", "f FAILED", "a SUCCESS", "e SUCCESS"],
    stopped: [],
  },
  {
    name: "it may be an expression",
    type: "Sequential",
    members: [`timeout: "PT{{ 5 + 5 }}S"`, `tasks: [{id: a, ${EFFECT}, name: a}]`],
    runs: ["FAILED", "f FAILED", "a CANCELLED"],
    stopped: ["a"],
  },
  {
    name: "nothing happens when it is not reached",
    type: "Sequential",
    members: ["timeout: PT12S", `tasks: [{id: a, ${EFFECT}, name: short}]`],
    runs: ["SUCCESS", "f SUCCESS", "a SUCCESS", "last SUCCESS"],
    stopped: [],
  },
  {
    name: "a time of its own stays what it is for a Pause",
    type: "Pause",
    members: ["pauseDuration: PT1S", "timeout: PT12S"],
    runs: ["SUCCESS", "f SUCCESS", "last SUCCESS"],
    stopped: [],
  },
];

for (const { name, type, members, runs, stopped } of RUNS) {
  Deno.test(`timeOut() ${type}: ${name}`, async () => {
    let app: Harness | undefined = undefined;
    const lasts = lasting(() => app as unknown as Harness, { short: 6_000 });
    await using server = app = await Harness.start({ effect: lasts.effect });
    await server.save(flowWith(type, members));
    const { id } = await server.start("flow");
    await server.advance(11_000);
    assertEquals(await runsOf(server, id), [...runs], (await logOf(server, String(id))).join("\n"));
    assertEquals(lasts.stopped, [...stopped]);
    const log = await logOf(server, String(id));
    const isTimedOut = runs.some((run) => run === "f FAILED" || run === "f WARNING" || run === "e SUCCESS");
    assertEquals(log.includes(TIMED_OUT), isTimedOut, log.join("\n"));
    assertEquals(log.filter((line) => line === INTERRUPTED).length, countOf(runs, "CANCELLED"));
  });
}

function countOf(runs: readonly string[], state: string): number {
  return runs.filter((run) => run.endsWith(state)).length;
}

const INVALID: readonly (readonly [timeout: string, message: string])[] = [
  [
    `"{{ 'soon' }}"`,
    'Invalid timeout "soon": it must be an ISO 8601 duration such as PT10S, or a number of seconds',
  ],
  [`"{{ missing }}"`, "Unable to find `missing` used in the expression `{{ missing }}` at line 1"],
];
for (const [timeout, message] of INVALID) {
  for (const type of ["Sequential", "WorkingDirectory"]) {
    Deno.test(`startLimit() ${type}: a timeout of ${timeout} fails it before its tasks begin`, async () => {
      await using app = await Harness.start();
      await app.save(flowWith(type, [`timeout: ${timeout}`, `tasks: [{id: a, ${EFFECT}}]`]));
      const { id } = await app.start("flow", {}, "?wait=true");
      assertEquals(await runsOf(app, id), ["FAILED", "f FAILED"]);
      assertEquals(await logOf(app, String(id)), [`ERROR ${message}`]);
    });
  }
}

Deno.test("timeOut() of a WorkingDirectory: errors and finally run in it, and it goes when the last attempt has ended", async () => {
  const paths: string[] = [];
  const release = Promise.withResolvers<void>();
  const effect: Effect = async (_properties, { workingDirectory = "", signal }) => {
    paths.push(workingDirectory);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await release.promise;
    await Deno.writeTextFile(`${workingDirectory}/late.txt`, "late");
    return { state: "KILLED" };
  };
  await using app = await Harness.start({ effect });
  await app.save(flowWith("WorkingDirectory", [
    TIMEOUT,
    "inputFiles: {x.txt: hello}",
    `tasks: [{id: a, ${EFFECT}}]`,
    `errors: [{id: e, type: ${CORE}storage.LocalFiles, outputs: [x.txt]}]`,
    `finally: [{id: z, type: ${CORE}storage.LocalFiles, outputs: [x.txt]}]`,
  ]));
  const { id } = await app.start("flow");
  await until(() => paths.length === 1);
  await app.advance(10_000);
  await until(async () => (await app.execution(id)).state.current !== "RUNNING");
  assertEquals(await runsOf(app, id), ["FAILED", "f FAILED", "a CANCELLED", "e SUCCESS", "z SUCCESS"]);
  assertEquals(await logOf(app, String(id)), [TIMED_OUT, INTERRUPTED]);
  const [path = ""] = paths;
  assert(await exists(path), "an attempt is at work in it");
  release.resolve();
  await until(async () => !await exists(path));
  assert(!await exists(path));
});

Deno.test("startLimit() counts from the start, also over a crash; what shares a directory begins with it once more", async () => {
  for (const type of ["Sequential", "WorkingDirectory"]) {
    const stopped: number[] = [];
    let begun = 0;
    const effect: Effect = async (_properties, { signal }) => {
      const number = ++begun;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      stopped.push(number);
      return { state: "KILLED" };
    };
    const app = await Harness.start({ effect });
    await app.save(flowWith(type, [TIMEOUT, `tasks: [{id: a, ${EFFECT}}]`, `errors: [{id: e, ${RETURN}}]`]));
    const { id } = await app.start("flow");
    await until(() => begun === 1);
    await app.advance(6_000);
    await using later = await app.crash();
    await until(() => begun === 2);
    await later.advance(3_999);
    assertEquals((await later.execution(id)).state.current, "RUNNING");
    await later.advance(1);
    await until(async () => (await later.execution(id)).state.current !== "RUNNING");
    assertEquals(await runsOf(later, id), ["FAILED", "f FAILED", "a CANCELLED", "e SUCCESS"]);
    assertEquals(stopped, [2]);
  }
});

Deno.test("startLimit() of a WorkingDirectory whose time has passed while the server was down begins no task", async () => {
  let begun = 0;
  const effect: Effect = async (_properties, { signal }) => {
    begun++;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { state: "KILLED" };
  };
  const app = await Harness.start({ effect });
  await app.save(
    flowWith("WorkingDirectory", [TIMEOUT, `tasks: [{id: a, ${EFFECT}}]`, `finally: [{id: z, ${RETURN}}]`]),
  );
  const { id } = await app.start("flow");
  await until(() => begun === 1);
  app.clock.jump(60_000);
  await using later = await app.crash();
  await until(async () => (await later.execution(id)).state.current !== "RUNNING");
  assertEquals(await runsOf(later, id), ["FAILED", "f FAILED", "z SUCCESS"]);
  assertEquals(begun, 1);
  assertStringIncludes((await logOf(later, String(id))).join("\n"), TIMED_OUT);
});

Deno.test("restartLimit() gives a task that is restarted its whole time again", async () => {
  let app: Harness | undefined = undefined;
  const { effect } = lasting(() => app as unknown as Harness, { short: 6_000 });
  await using server = app = await Harness.start({ effect });
  await server.save(flowWith("Sequential", [
    TIMEOUT,
    "tasks:",
    `  - {id: a, ${EFFECT}, name: short}`,
    `  - {id: b, ${EFFECT}, name: short}`,
  ]));
  const { id } = await server.start("flow");
  await server.advance(20_000);
  assertEquals(await runsOf(server, id), ["FAILED", "f FAILED", "a SUCCESS", "b CANCELLED"]);
  await server.json("POST", `/executions/${id}/restart`);
  await server.advance(7_000);
  assertEquals(await runsOf(server, id), ["SUCCESS", "f SUCCESS", "a SUCCESS", "b SUCCESS", "last SUCCESS"]);
});

Deno.test("timeOut() of an execution that is held waits with what follows until it goes on", async () => {
  let app: Harness | undefined = undefined;
  const { effect } = lasting(() => app as unknown as Harness);
  await using server = app = await Harness.start({ effect });
  await server.save(flowWith("ForEach", [
    TIMEOUT,
    "values: [1, 2]",
    `tasks: [{id: a, ${EFFECT}, name: a}]`,
    `errors: [{id: e, ${RETURN}}]`,
  ]));
  const { id } = await server.start("flow");
  await settle();
  await server.json("POST", `/executions/${id}/pause`);
  await server.advance(11_000);
  assertEquals(await runsOf(server, id), ["PAUSED", "f RUNNING", "a CANCELLED"]);
  await server.json("POST", `/executions/${id}/resume`);
  await settle();
  assertEquals(await runsOf(server, id), ["FAILED", "f FAILED", "a CANCELLED", "e SUCCESS"]);
});

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
