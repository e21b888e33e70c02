/** Actions on one execution, on a complete server. */
import { assert, assertEquals, assertNotEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { AttemptOutcome } from "../../../../src/model/tasks/task_catalog.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import {
  EFFECT_TYPE,
  type ExecutionResponse,
  Harness,
  type HarnessOptions,
  statesOf,
} from "../../../support/harness.ts";
import { json, yaml } from "../../../support/flows/request_bodies.ts";

const NOBODY = "AVbbB83o000xXUY4wsF0c8";

/** A flow of namespace `demo` with these tasks, as YAML of the list. */
function flow(id: string, tasks: string, more = ""): string {
  return `id: ${id}\nnamespace: demo\n${more}tasks:\n${tasks}`;
}

function returns(id: string, format = id): string {
  return `  - id: ${id}\n    type: io.svc.plugin.core.debug.Return\n    format: "${format}"\n`;
}

function effect(id: string, more = ""): string {
  return `  - id: ${id}\n    type: ${EFFECT_TYPE}\n    name: ${id}\n${more}`;
}

const ASKING = `  - id: ask
    type: io.svc.plugin.core.flow.Pause
    onResume:
      - id: reason
        type: STRING
      - id: count
        type: INT
        required: false
      - id: data
        type: FILE
        required: false
`;
const PAUSE = "  - id: hold\n    type: io.svc.plugin.core.flow.Pause\n";
const SLEEP = "  - id: nap\n    type: io.svc.plugin.core.flow.Sleep\n    duration: PT1M\n";

/** Flows by name, for the tables below. */
const FLOWS: Readonly<Record<string, string>> = {
  good: flow("good", returns("a")),
  bad: flow("bad", returns("a") + effect("b") + returns("c")),
  asking: flow("asking", returns("a") + ASKING + returns("last", "{{ outputs.ask.onResume.reason }}")),
  paused: flow("paused", PAUSE + returns("a")),
  napping: flow("napping", SLEEP),
  stopped: flow("stopped", returns("a") + returns("b")),
  queued: flow("queued", PAUSE, "concurrency:\n  limit: 1\n"),
};

/** Fails the first `times` attempts. */
function failing(times: number): HarnessOptions {
  let calls = 0;
  const run = (): AttemptOutcome =>
    calls++ < times ? { state: "FAILED" } : { state: "SUCCESS", outputs: { calls } };
  return { effect: run };
}

interface Reply {
  readonly status: number;
  readonly body: ExecutionResponse & JsonObject;
}

async function post(server: Harness, path: string, init: RequestInit = {}, method = "POST"): Promise<Reply> {
  const response = await server.request(method, path, init);
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

function form(
  fields: Readonly<Record<string, string>>,
  file?: { readonly name: string; readonly text: string },
) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  if (file) body.append(file.name, new Blob([file.text]), "data.txt");
  return { body };
}

/** A started and settled execution of one of {@link FLOWS}. */
async function begin(server: Harness, name: string, query = ""): Promise<ExecutionResponse> {
  await server.save(FLOWS[name] ?? "");
  const { id } = await server.start(name, {}, query);
  await settle();
  return await server.execution(id);
}

function taskStates({ taskRunList }: ExecutionResponse): string {
  return taskRunList.map(({ taskId, state }) => `${taskId} ${state.current}`).join(", ");
}

interface Refusal {
  readonly flow: keyof typeof FLOWS;
  readonly query?: string;
  readonly action: string;
  readonly init?: RequestInit;
  /** Its id and `state` are the body. */
  readonly taskRun?: string;
  readonly state?: string;
  readonly status: number;
  readonly message: string;
}

const REFUSALS: readonly Refusal[] = [
  {
    flow: "napping",
    action: "restart",
    status: 409,
    message: "Illegal state: Execution must be terminated to be restarted. Cannot restart",
  },
  { flow: "good", action: "restart", status: 422, message: "No task found to restart execution from!" },
  { flow: "good", action: "restart?revision=7", status: 404, message: "Not Found" },
  { flow: "good", action: "replay?revision=7", status: 404, message: "Not Found" },
  { flow: "good", action: `replay?taskRunId=${NOBODY}`, status: 422, message: "No task found" },
  { flow: "good", action: "replay?revision=x", status: 400, message: "revision" },
  { flow: "good", action: "kill", status: 409, message: "it has already ended in state SUCCESS" },
  { flow: "good", action: "kill", status: 409, message: "Execution is already finished, can't kill it" },
  {
    flow: "good",
    action: "pause",
    status: 422,
    message: "Illegal argument: The execution is not running. Cannot pause",
  },
  { flow: "good", action: "resume", status: 409, message: "is not paused, can't resume it" },
  { flow: "napping", action: "resume", status: 409, message: "is not paused, can't resume it" },
  { flow: "good", action: "resume/validate", status: 409, message: "is not paused, can't resume it" },
  { flow: "asking", action: "resume", status: 422, message: "missing required input" },
  {
    flow: "asking",
    action: "resume",
    init: form({ reason: "x", count: "many" }),
    status: 422,
    message: "count",
  },
  { flow: "paused", action: "resume-from-breakpoint", status: 409, message: "must be BREAKPOINT" },
  { flow: "napping", action: "change-status?status=FAILED", status: 422, message: "must have ended" },
  {
    flow: "napping",
    action: "change-status?status=FAILED",
    status: 422,
    message: "You can only change the status of a terminated execution.",
  },
  {
    flow: "good",
    action: "change-status?status=PAUSED",
    status: 422,
    message: "You can only change the status of an execution to a terminal state",
  },
  { flow: "good", action: "change-status?status=RUNNING", status: 422, message: "must be one of SUCCESS" },
  { flow: "good", action: "change-status", status: 400, message: "status" },
  {
    flow: "napping",
    action: "labels",
    init: json([{ key: "a", value: "b" }]),
    status: 400,
    message: "Bad Request: The execution is not terminated. Cannot set labels",
  },
  {
    flow: "good",
    action: "labels",
    init: json([{ key: "system.a", value: "b" }]),
    status: 422,
    message: "system.",
  },
  {
    flow: "good",
    action: "labels",
    init: json([{ key: "a", value: "" }]),
    status: 422,
    message: "not be empty",
  },
  { flow: "good", action: "labels", init: json({ a: "b" }), status: 422, message: "list of objects" },
  { flow: "paused", action: "unqueue", status: 422, message: "must be QUEUED" },
  { flow: "paused", action: "unqueue", status: 422, message: "Only QUEUED execution can be unqueued." },
  { flow: "good", action: "force-run", status: 422, message: "it is SUCCESS" },
  {
    flow: "good",
    action: "force-run",
    status: 422,
    message: "Only non terminated executions can be forced run.",
  },
  { flow: "good", action: `eval/${NOBODY}`, init: { body: "{{ 1 }}" }, status: 404, message: "task run" },
  {
    flow: "good",
    action: "state",
    init: json({ taskRunId: NOBODY, state: "FAILED" }),
    status: 404,
    message: "task run",
  },
  { flow: "good", action: "state", init: json({ state: "FAILED" }), status: 422, message: "taskRunId" },
  {
    flow: "good",
    action: "state",
    init: json({ taskRunId: "x", state: "CREATED" }),
    status: 422,
    message: "one of",
  },
  {
    flow: "asking",
    action: "state",
    taskRun: "a",
    state: "RUNNING",
    status: 409,
    message: "does not wait for a resume",
  },
  {
    flow: "asking",
    action: "state",
    taskRun: "ask",
    state: "RUNNING",
    status: 422,
    message: "Invalid input for `reason`, missing required input",
  },
];
for (const { flow: name, action, init, taskRun, state, status, message } of REFUSALS) {
  Deno.test(`POST /executions/:id/${action} of flow "${name}" returns ${status}: ${message}`, async () => {
    await using server = await Harness.start();
    const before = await begin(server, name);
    const taskRunId = before.taskRunList.find(({ taskId }) => taskId === taskRun)?.id;
    const sent = taskRun === undefined ? init : json({ taskRunId, state });
    const reply = await post(server, `/executions/${before.id}/actions/${action}`, sent);
    assertEquals(reply.status, status);
    assertStringIncludes(String(reply.body.message), message);
    const { id } = before;
    assertEquals((await server.execution(id)).state.histories, before.state.histories);
  });
}

const NAMES = [
  "restart",
  "replay",
  "replay-with-inputs",
  "kill",
  "pause",
  "resume",
  "resume/validate",
  "force-run",
];
for (
  const name of [
    ...NAMES,
    "resume-from-breakpoint",
    "unqueue",
    "change-status?status=FAILED",
    `eval/${NOBODY}`,
  ]
) {
  for (const path of [`actions/${name}`, name]) {
    Deno.test(`POST /executions/:id/${path} of no execution returns 404`, async () => {
      await using server = await Harness.start();
      const { status, body } = await post(server, `/executions/${NOBODY}/${path}`);
      assertEquals(status, 404);
      assertStringIncludes(String(body.message), `execution "${NOBODY}" does not exist`);
    });
  }
}

Deno.test("POST /executions/:id/restart runs the failed task again under the same ids", async () => {
  await using server = await Harness.start(failing(1));
  const failed = await begin(server, "bad");
  assertEquals([statesOf(failed), taskStates(failed)], ["CREATED RUNNING FAILED", "a SUCCESS, b FAILED"]);
  const { status, body } = await post(server, `/executions/${failed.id}/restart`);
  assertEquals([status, statesOf(body)], [200, "CREATED RUNNING FAILED RESTARTED"]);
  assertEquals(taskStates(body), "a SUCCESS, b RESTARTED");
  await settle();
  const ended = await server.execution(failed.id);
  assertEquals(statesOf(ended), "CREATED RUNNING FAILED RESTARTED RUNNING SUCCESS");
  assertEquals(taskStates(ended), "a SUCCESS, b SUCCESS, c SUCCESS");
  assertEquals(ended.taskRunList[1]?.id, failed.taskRunList[1]?.id);
  assertEquals(ended.taskRunList[1]?.attempts?.length, 2);
  assertObjectMatch(ended, { id: failed.id, metadata: { attemptNumber: 2 } });
  const labels = ended.labels as { key: string; value: string }[];
  assert(labels.some(({ key, value }) => key === "system.restarted" && value === "true"));
});

Deno.test("POST /executions/:id/restart continues after a crash that follows the response", async () => {
  let isBetter = false;
  const effect = (): AttemptOutcome => ({ state: isBetter ? "SUCCESS" : "FAILED" });
  await using server = await Harness.start({ effect });
  const failed = await begin(server, "bad");
  isBetter = true;
  const { status } = await post(server, `/executions/${failed.id}/actions/restart`);
  assertEquals(status, 200);
  await using next = await server.crash();
  await settle();
  assertEquals((await next.execution(failed.id)).state.current, "SUCCESS");
});

Deno.test("POST /executions/:id/restart with another revision makes a new execution from the old one", async () => {
  await using server = await Harness.start(failing(1));
  const failed = await begin(server, "bad");
  await server.json("PUT", "/flows/demo/bad", yaml(flow("bad", returns("a") + effect("b") + returns("d"))));
  const { status, body } = await post(server, `/executions/${failed.id}/restart?revision=2`);
  assertEquals([status, body.state.current, taskStates(body)], [200, "RESTARTED", "a SUCCESS, b RESTARTED"]);
  assertNotEquals(body.id, failed.id);
  assertObjectMatch(body, { parentId: failed.id, originalId: failed.id, flowRevision: 2 });
  await settle();
  assertEquals(taskStates(await server.execution(body.id)), "a SUCCESS, b SUCCESS, d SUCCESS");
  assertEquals((await server.execution(failed.id)).state.current, "FAILED");
});

Deno.test("POST /executions/:id/restart with the same revision keeps the id", async () => {
  await using server = await Harness.start(failing(1));
  const failed = await begin(server, "bad");
  const { body } = await post(server, `/executions/${failed.id}/restart?revision=1`);
  assertEquals(body.id, failed.id);
});

Deno.test("POST /executions/:id/restart twice at once restarts once", async () => {
  await using server = await Harness.start(failing(1));
  const failed = await begin(server, "bad");
  const path = `/executions/${failed.id}/restart`;
  const replies = await Promise.all([post(server, path), post(server, path), post(server, path)]);
  assertEquals(replies.filter(({ status }) => status === 200).length, 1);
  await settle();
  assertObjectMatch(await server.execution(failed.id), { metadata: { attemptNumber: 2 } });
});

Deno.test("POST /executions/:id/replay begins a new execution with the same inputs", async () => {
  await using server = await Harness.start();
  const inputs = "inputs:\n  - id: name\n    type: STRING\nlabels:\n  team: blue\n";
  await server.save(flow("hello", returns("a", "{{ inputs.name }}"), inputs));
  const { id } = await server.start("hello", { name: "Ann" }, "?labels=x:y");
  await settle();
  const { status, body } = await post(server, `/executions/${id}/replay`);
  assertEquals([status, statesOf(body), taskStates(body)], [200, "CREATED", ""]);
  assertObjectMatch(body, {
    parentId: id,
    originalId: id,
    inputs: { name: "Ann" },
    metadata: { attemptNumber: 1 },
  });
  await settle();
  const ended = await server.execution(body.id);
  assertEquals(ended.taskRunList[0]?.outputs, { value: "Ann" });
  assertEquals(ended.labels, [
    { key: "team", value: "blue" },
    { key: "x", value: "y" },
    { key: "system.replay", value: "true" },
    { key: "system.correlationId", value: body.id },
  ]);
});

for (
  const [path, states, tasks] of [
    ["replay", "CREATED", ""],
    ["replay-with-inputs", "CREATED", ""],
    ["actions/replay", "CREATED RUNNING", "a SUCCESS, wait RUNNING"],
    ["actions/replay-with-inputs", "CREATED RUNNING", "a SUCCESS, wait RUNNING"],
  ] as const
) {
  Deno.test(`POST /executions/:id/${path} returns the new execution as ${states}`, async () => {
    await using server = await Harness.start();
    await server.save(
      flow("slow", returns("a") + "  - { id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT1M }\n"),
    );
    const { id } = await server.start("slow");
    const { body } = await post(server, `/executions/${id}/${path}`);
    assertEquals([statesOf(body), taskStates(body)], [states, tasks]);
    await settle();
    assertEquals(statesOf(await server.execution(body.id)), "CREATED RUNNING");
  });
}

Deno.test("POST /executions/:id/replay marks the execution that is repeated, and not those that repeat it", async () => {
  await using server = await Harness.start();
  await server.save(flow("hello", returns("a")));
  const { id } = await server.start("hello");
  await settle();
  for (let turn = 0; turn < 2; turn++) {
    const { body } = await post(server, `/executions/${id}/replay`);
    await settle();
    assertEquals((await server.execution(id)).labels, [
      { key: "system.correlationId", value: id },
      { key: "system.replayed", value: "true" },
    ]);
    assertEquals((await server.execution(body.id)).labels, [
      { key: "system.replay", value: "true" },
      { key: "system.correlationId", value: body.id },
    ]);
  }
});

Deno.test("POST /executions/:id/replay from a task keeps what came before it", async () => {
  await using server = await Harness.start();
  await server.save(flow("three", returns("a") + returns("b", "{{ outputs.a.value }}!") + returns("c")));
  const { id } = await server.start("three");
  await settle();
  const source = await server.execution(id);
  const { status, body } = await post(
    server,
    `/executions/${id}/replay?taskRunId=${source.taskRunList[1]?.id}`,
  );
  assertEquals([status, statesOf(body)], [200, "CREATED RUNNING SUCCESS RESTARTED"]);
  assertEquals(taskStates(body), "a SUCCESS, b RESTARTED");
  assertNotEquals(body.taskRunList[0]?.id, source.taskRunList[0]?.id);
  await settle();
  const ended = await server.execution(body.id);
  assertEquals([ended.state.current, taskStates(ended)], ["SUCCESS", "a SUCCESS, b SUCCESS, c SUCCESS"]);
  assertEquals(ended.taskRunList[1]?.outputs, { value: "a!" });
});

Deno.test("POST /executions/:id/replay from a task of an execution that runs returns 409", async () => {
  await using server = await Harness.start();
  const running = await begin(server, "napping");
  const { status } = await post(
    server,
    `/executions/${running.id}/replay?taskRunId=${running.taskRunList[0]?.id}`,
  );
  assertEquals(status, 409);
});

Deno.test("POST /executions/:id/replay of a disabled flow is refused", async () => {
  await using server = await Harness.start();
  const { id } = await begin(server, "good");
  await server.request("POST", "/flows/disable/by-ids", json([{ namespace: "demo", id: "good" }]));
  assertEquals((await post(server, `/executions/${id}/replay?revision=2`)).status, 409);
});

Deno.test("POST /executions/:id/replay of a deleted flow runs the revision that ran, and no other", async () => {
  await using server = await Harness.start();
  const { id } = await begin(server, "good");
  await server.request("DELETE", "/flows/demo/good");
  const taskRunId = (await server.execution(id)).taskRunList[0]?.id;
  for (const query of ["", "?revision=1", `?taskRunId=${taskRunId}`]) {
    const { status, body } = await post(server, `/executions/${id}/replay${query}`);
    assertEquals(status, 200, query);
    await settle();
    assertObjectMatch(await server.execution(body.id), { flowRevision: 1, state: { current: "SUCCESS" } });
  }
  assertEquals((await post(server, `/executions/${id}/replay?revision=2`)).status, 404);
  const latest = await post(server, "/executions/replay/by-ids?latestRevision=true", json([id]));
  assertEquals(latest.status, 400);
});

Deno.test("POST /executions/:id/replay-with-inputs takes the given inputs, checked as for a start", async () => {
  await using server = await Harness.start();
  const inputs = "inputs:\n  - id: count\n    type: INT\n  - id: data\n    type: FILE\n    required: false\n";
  await server.save(flow("counting", returns("a", "{{ inputs.count }}"), inputs));
  const { id } = await server.start("counting", { count: "1" });
  const path = `/executions/${id}/actions/replay-with-inputs`;
  const wrong = await post(server, path, form({ count: "x" }));
  assertEquals(wrong.status, 422);
  const { status, body } = await post(server, path, form({ count: "2" }, { name: "data", text: "hello" }));
  assertEquals(status, 200);
  assertObjectMatch(body, { parentId: id, inputs: { count: 2 } });
  assertStringIncludes(JSON.stringify(body.inputs), `/executions/${body.id}/inputs/data/data.txt`);
  await settle();
  assertEquals((await server.execution(body.id)).taskRunList[0]?.outputs, { value: "2" });
});

Deno.test("POST /executions/:id/pause pauses an execution once running task runs have ended, and resume continues it", async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await Harness.start({
    effect: () => gate.promise.then((): AttemptOutcome => ({ state: "SUCCESS", outputs: {} })),
  });
  const { id } = await begin(server, "bad");
  const paused = await post(server, `/executions/${id}/pause`);
  assertEquals([paused.status, paused.body.state.current], [200, "PAUSED"]);
  gate.resolve();
  await settle();
  const held = await server.execution(id);
  assertEquals([held.state.current, taskStates(held)], ["PAUSED", "a SUCCESS, b SUCCESS"]);
  assertObjectMatch(held, { waiting: { reason: "HELD" } });
  await using next = await server.crash();
  assertEquals((await next.execution(id)).state.current, "PAUSED");
  const resumed = await post(next, `/executions/${id}/resume`);
  assertEquals([resumed.status, resumed.body.state.current], [200, "RUNNING"]);
  await settle();
  const ended = await next.execution(id);
  assertEquals(statesOf(ended), "CREATED RUNNING PAUSED RESTARTED RUNNING SUCCESS");
  assertEquals(taskStates(ended), "a SUCCESS, b SUCCESS, c SUCCESS");
});

Deno.test("POST /executions/:id/resume stores what the pause asks for as its outputs", async () => {
  await using server = await Harness.start();
  const paused = await begin(server, "asking");
  assertEquals(taskStates(paused), "a SUCCESS, ask PAUSED");
  const init = form({ reason: "done", count: "3", other: "x" }, { name: "data", text: "hello" });
  const { status, body } = await post(server, `/executions/${paused.id}/resume`, init);
  assertEquals([status, body.state.current], [200, "RUNNING"]);
  await settle();
  const ended = await server.execution(paused.id);
  const [, ask, last] = ended.taskRunList;
  assertEquals(ended.state.current, "SUCCESS");
  assertObjectMatch(ask?.outputs ?? {}, {
    onResume: { reason: "done", count: 3 },
    resumed: { by: "anonymous", to: "RUNNING" },
  });
  assertEquals(last?.outputs, { value: "done" });
  assertEquals(statesOf({ state: ended.state }), "CREATED RUNNING PAUSED RESTARTED RUNNING SUCCESS");
});

Deno.test("POST /executions/:id/state RUNNING of a paused task run ends the pause", async () => {
  await using server = await Harness.start();
  const paused = await begin(server, "paused");
  const body = json({ taskRunId: paused.taskRunList[0]?.id, state: "RUNNING" });
  const reply = await post(server, `/executions/${paused.id}/state`, body);
  assertEquals([reply.status, statesOf(reply.body)], [200, "CREATED RUNNING PAUSED RESTARTED"]);
  assertEquals(taskStates(reply.body), "hold RUNNING");
  await settle();
  const ended = await server.execution(paused.id);
  assertEquals(statesOf(ended), "CREATED RUNNING PAUSED RESTARTED RUNNING SUCCESS");
});

Deno.test("POST /executions/:id/resume twice at once resumes once", async () => {
  await using server = await Harness.start();
  const { id } = await begin(server, "asking");
  const resume = (reason: string) => post(server, `/executions/${id}/resume`, form({ reason }));
  const replies = await Promise.all([resume("one"), resume("two")]);
  assertEquals(replies.map(({ status }) => status).sort(), [200, 409]);
});

Deno.test("POST /executions/:id/resume of a secret encrypts it; expressions see it, logs and responses do not", async () => {
  const seen: unknown[] = [];
  await using server = await Harness.start({
    effect: ({ name }, context) => {
      seen.push(name);
      context.log("INFO", `the pin is ${name}`);
      return { state: "SUCCESS", outputs: {} };
    },
  });
  const secret = "  - id: ask\n    type: io.svc.plugin.core.flow.Pause\n    onResume:\n" +
    "      - id: pin\n        type: SECRET\n";
  const use = effect("use").replace("name: use", 'name: "{{ outputs.ask.onResume.pin }}"');
  await server.save(flow("pins", secret + use));
  const { id } = await server.start("pins");
  await settle();
  const { status } = await post(server, `/executions/${id}/resume`, form({ pin: "0815-4711" }));
  assertEquals(status, 200);
  await settle();
  const text = JSON.stringify(await server.execution(id));
  assertEquals([text.includes("0815-4711"), text.includes("aes_encrypted")], [false, true]);
  const logs = JSON.stringify(await server.json("GET", `/logs/${id}`));
  assertEquals([seen, logs.includes("the pin is"), logs.includes("0815")], [["0815-4711"], true, false]);
  const { body } = await post(server, `/executions/${id}/eval`, { body: "{{ outputs.ask.onResume.pin }}" });
  assertEquals(String(body.result).includes("0815"), false);
});

Deno.test("POST /executions/:id/resume/validate reports every input and resumes nothing", async () => {
  await using server = await Harness.start();
  const { id } = await begin(server, "asking");
  const { status, body } = await post(
    server,
    `/executions/${id}/actions/resume/validate`,
    form({ count: "x" }),
  );
  assertEquals(status, 200);
  const inputs = body.inputs as { input: { id: string }; errors: unknown[] }[];
  assertEquals(inputs.map(({ input, errors }) => [input.id, errors.length]), [["reason", 1], ["count", 1], [
    "data",
    0,
  ]]);
  assertObjectMatch(body, { id: "asking", namespace: "demo", checks: [] });
  assertEquals((await server.execution(id)).state.current, "PAUSED");
});

Deno.test("POST /executions/:id/resume of two pauses at once ends the older one", async () => {
  await using server = await Harness.start();
  const pause = (id: string) => `      - id: ${id}\n        type: io.svc.plugin.core.flow.Pause\n`;
  await server.save(
    flow(
      "both",
      "  - id: par\n    type: io.svc.plugin.core.flow.Parallel\n    tasks:\n" + pause("p1") + pause("p2"),
    ),
  );
  const { id } = await server.start("both");
  await settle();
  await post(server, `/executions/${id}/resume`);
  await settle();
  assertEquals(taskStates(await server.execution(id)), "par RUNNING, p1 SUCCESS, p2 PAUSED");
  assertEquals((await server.execution(id)).state.current, "PAUSED");
  await post(server, `/executions/${id}/resume`);
  await settle();
  assertEquals((await server.execution(id)).state.current, "SUCCESS");
});

Deno.test("POST /executions/:namespace/:flowId?breakpoints= stops before those tasks, each passed by a resume", async () => {
  await using server = await Harness.start();
  const first = await begin(server, "stopped", "?breakpoints=a,b,in.y.z");
  assertEquals([statesOf(first), first.taskRunList], ["CREATED RUNNING BREAKPOINT", []]);
  const left = [{ id: "b" }, { id: "in", value: "y.z" }];
  assertObjectMatch(first, {
    waiting: { reason: "BREAKPOINT", taskIds: ["a"] },
    breakpoints: [{ id: "a" }, ...left],
  });
  const pass = async (app: Harness, query = "") => {
    const reply = await post(app, `/executions/${first.id}/actions/resume-from-breakpoint${query}`);
    await settle();
    return reply;
  };
  assertEquals((await pass(server)).status, 200);
  const second = await server.execution(first.id);
  assertEquals([second.state.current, taskStates(second)], ["BREAKPOINT", "a SUCCESS"]);
  assertObjectMatch(second, { breakpoints: left });
  await using next = await server.crash();
  await pass(next);
  const ended = await next.execution(first.id);
  assertEquals([ended.state.current, taskStates(ended)], ["SUCCESS", "a SUCCESS, b SUCCESS"]);
});

Deno.test("POST /executions/:id/resume-from-breakpoint takes other breakpoints", async () => {
  await using server = await Harness.start();
  const { id } = await begin(server, "stopped", "?breakpoints=a&breakpoints=b");
  await post(server, `/executions/${id}/resume-from-breakpoint?breakpoints=`);
  await settle();
  assertEquals((await server.execution(id)).state.current, "SUCCESS");
});

Deno.test("POST /executions/:id/replay takes breakpoints", async () => {
  await using server = await Harness.start();
  const { id } = await begin(server, "stopped");
  const { body } = await post(server, `/executions/${id}/replay?breakpoints=b`);
  await settle();
  const stopped = await server.execution(body.id);
  assertEquals([stopped.state.current, taskStates(stopped)], ["BREAKPOINT", "a SUCCESS"]);
});

Deno.test("POST /executions/:id/change-status sets another state of an ended execution", async () => {
  await using server = await Harness.start();
  const { id } = await begin(server, "good");
  const { status, body } = await post(server, `/executions/${id}/actions/change-status?status=warning`);
  assertEquals([status, statesOf(body)], [200, "CREATED RUNNING SUCCESS WARNING"]);
  const again = await post(server, `/executions/${id}/change-status?status=WARNING`);
  assertEquals([again.status, statesOf(again.body)], [200, "CREATED RUNNING SUCCESS WARNING"]);
  for (const state of ["RETRIED", "SKIPPED", "WARNING"]) {
    const set = await post(server, `/executions/${id}/change-status?status=${state}`);
    assertEquals([set.status, set.body.state.current], [200, state]);
  }
  // A kill goes to the successor of a RETRIED execution; this one has none.
  await post(server, `/executions/${id}/change-status?status=RETRIED`);
  await (await server.request("DELETE", `/executions/${id}/kill`)).body?.cancel();
  await settle();
  assertEquals([server.store.count(["ob"]), (await server.execution(id)).state.current], [0, "RETRIED"]);
  await post(server, `/executions/${id}/change-status?status=WARNING`);
  const found = await server.json("GET", "/executions/search?state=WARNING") as JsonObject;
  assertEquals(found.total, 1);
  await using next = await server.crash();
  assertEquals((await next.execution(id)).state.current, "WARNING");
});

Deno.test("POST /executions/:id/state continues an execution as if the task had ended in that state", async () => {
  await using server = await Harness.start(failing(1));
  const failed = await begin(server, "bad");
  const body = json({ taskRunId: failed.taskRunList[1]?.id, state: "SUCCESS" });
  const reply = await post(server, `/executions/${failed.id}/state`, body);
  assertEquals([reply.status, reply.body.state.current], [200, "RESTARTED"]);
  await settle();
  const ended = await server.execution(failed.id);
  assertEquals([ended.state.current, taskStates(ended)], ["SUCCESS", "a SUCCESS, b SUCCESS, c SUCCESS"]);
  assertEquals(ended.taskRunList[1]?.attempts?.length, 1);
  const again = await post(server, `/executions/${failed.id}/state`, body);
  assertEquals([again.status, again.body.state], [200, ended.state]);
});

Deno.test("POST /executions/:id/labels merges labels; those of the system may be sent back", async () => {
  await using server = await Harness.start();
  const { id } = await begin(server, "good", "?labels=team:blue&labels=env:dev");
  const own = { key: "system.correlationId", value: id };
  const sent = [own, { key: "env", value: "prod" }, { key: "new", value: "1" }];
  const { status, body } = await post(server, `/executions/${id}/labels`, json(sent));
  assertEquals([status, body.labels], [200, [
    { key: "team", value: "blue" },
    { key: "env", value: "prod" },
    own,
    { key: "new", value: "1" },
  ]]);
  const found = await server.json("GET", "/executions/search?labels=env:prod") as JsonObject;
  assertEquals(found.total, 1);
});

Deno.test("POST /executions/:id/eval renders with the variables of the task run; a failure is returned too", async () => {
  await using server = await Harness.start({ secrets: new Map([["PIN", btoa("0815-4711")]]) });
  const { id, taskRunList } = await begin(server, "good");
  const evaluate = async (
    expression: string,
    path = `eval/${taskRunList[0]?.id}`,
  ) => (await post(server, `/executions/${id}/${path}`, {
    body: expression,
    headers: { "content-type": "text/plain" },
  }));
  const cases: readonly (readonly [string, string])[] = [
    ["{{ outputs.a.value }} {{ task.id }} {{ taskrun.id }}", `a a ${taskRunList[0]?.id}`],
    ["{{ execution.id }}", id],
    ["plain", "plain"],
    ["{{ taskrun.attemptsCount }}", "1"],
    ["{{ secret('PIN') }}", "******"],
    ["{{ render(\"{{ secret('PIN') }}\") }}", "******"],
    ["{{ secret('PIN') | base64encode | base64decode | split('') | first }}", "*"],
    ["{{ secret('PIN') | length }}", "6"],
  ];
  for (const [expression, result] of cases) {
    const { status, body } = await evaluate(expression);
    assertEquals([status, body], [200, { result } as unknown as Reply["body"]]);
  }
  const broken = await evaluate("{{ missing.name }}");
  assertEquals(broken.status, 200);
  assertEquals(Object.keys(broken.body), ["error", "stackTrace"]);
  const whole = await evaluate("{{ flow.id }}", "actions/eval");
  assertEquals(whole.body.result, "good");
});

/** The execution that waits behind another one of the flow "queued". */
async function queue(server: Harness): Promise<{ readonly first: string; readonly second: string }> {
  const first = await begin(server, "queued");
  const { id } = await server.start("queued");
  await settle();
  const second = await server.execution(id);
  assertEquals(second.state.current, "QUEUED");
  assertObjectMatch(second, { waiting: { reason: "QUEUED", ahead: 0, running: 1, limit: 1 } });
  return { first: first.id, second: second.id };
}

const UNQUEUES: readonly (readonly [string, string])[] = [
  ["unqueue", "CREATED QUEUED RUNNING PAUSED"],
  ["unqueue?state=RUNNING", "CREATED QUEUED RUNNING PAUSED"],
  ["unqueue?state=CANCELLED", "CREATED QUEUED CANCELLED"],
  ["unqueue?state=FAILED", "CREATED QUEUED FAILED"],
  ["force-run", "CREATED QUEUED RUNNING PAUSED"],
  ["kill", "CREATED QUEUED KILLED"],
];
for (const [action, histories] of UNQUEUES) {
  Deno.test(`POST /executions/:id/${action} of a queued execution returns ${histories}`, async () => {
    await using server = await Harness.start();
    const { first, second } = await queue(server);
    const { status } = await post(server, `/executions/${second}/${action}`);
    assertEquals(status, 200);
    await settle();
    assertEquals(statesOf(await server.execution(second)), histories);
    // The limit still holds: the next one gets its turn when all that run have ended.
    const { id: third } = await server.start("queued");
    await post(server, `/executions/${first}/kill`);
    await post(server, `/executions/${second}/kill`);
    await settle();
    assertEquals((await server.execution(third)).state.current, "PAUSED");
  });
}

Deno.test("POST /executions/:id/force-run does not change running executions", async () => {
  await using server = await Harness.start();
  const { id } = await begin(server, "napping");
  const { status, body } = await post(server, `/executions/${id}/force-run`);
  assertEquals([status, statesOf(body)], [200, "CREATED RUNNING"]);
  assertEquals(statesOf(await server.execution(id)), "CREATED RUNNING");
});

Deno.test("POST /executions/:id/force-run starts what waits for its date, and ends a pause", async () => {
  await using server = await Harness.start();
  const scheduled = await begin(server, "good", "?scheduleDate=2030-01-01T00:00:00Z");
  assertObjectMatch(scheduled, { waiting: { reason: "SCHEDULED", until: "2030-01-01T00:00:00.000Z" } });
  const paused = await begin(server, "paused");
  for (const { id } of [scheduled, paused]) {
    assertEquals((await post(server, `/executions/${id}/force-run`)).status, 200);
    await settle();
    assertEquals((await server.execution(id)).state.current, "SUCCESS");
  }
});

Deno.test("POST /executions/:id/restart counts against the limit of the flow", async () => {
  let isBetter = false;
  await using server = await Harness.start({
    effect: () => ({ state: isBetter ? "SUCCESS" : "FAILED" }),
  });
  await server.save(flow("limited", effect("b") + PAUSE, "concurrency:\n  limit: 1\n"));
  const ids: string[] = [];
  for (let i = 0; i < 2; i++) {
    ids.push(String((await server.start("limited")).id));
    await settle();
  }
  isBetter = true;
  const [one = "", two = ""] = ids;
  const replies = [
    await post(server, `/executions/${one}/restart`),
    await post(server, `/executions/${two}/restart`),
  ];
  assertEquals(replies.map(({ body }) => body.state.current), ["RESTARTED", "RESTARTED"]);
  await settle();
  assertEquals((await server.execution(one)).state.current, "PAUSED");
  assertEquals(statesOf(await server.execution(two)), "CREATED RUNNING FAILED RESTARTED QUEUED");
  await using next = await server.crash();
  await post(next, `/executions/${one}/kill`);
  await settle();
  assertEquals(
    statesOf(await next.execution(two)),
    "CREATED RUNNING FAILED RESTARTED QUEUED RUNNING PAUSED",
  );
});

Deno.test("POST /executions/:id/replay counts against the limit of the flow", async () => {
  await using server = await Harness.start();
  const { first, second } = await queue(server);
  const { body } = await post(server, `/executions/${first}/replay`);
  await settle();
  assertEquals((await server.execution(body.id)).state.current, "QUEUED");
  await post(server, `/executions/${first}/kill`);
  await settle();
  assertEquals((await server.execution(second)).state.current, "PAUSED");
});

Deno.test("DELETE /executions/:id of one that runs gives its slot to the next", async () => {
  await using server = await Harness.start();
  const { first, second } = await queue(server);
  assertEquals((await post(server, `/executions/${first}`, {}, "DELETE")).status, 204);
  await settle();
  assertEquals((await server.execution(second)).state.current, "PAUSED");
  const { id: third } = await server.start("queued");
  await settle();
  assertEquals((await post(server, `/executions/${third}`, {}, "DELETE")).status, 204);
  await using next = await server.crash();
  await post(next, `/executions/${second}/kill`);
  const { id: fourth } = await next.start("queued");
  await settle();
  assertEquals((await next.execution(fourth)).state.current, "PAUSED");
});

for (const [query, state] of [["", "KILLED"], ["?isOnKillCascade=false", "PAUSED"]] as const) {
  Deno.test(`DELETE /executions/:id/kill${query} leaves the subflow ${state}`, async () => {
    await using server = await Harness.start();
    await server.save(FLOWS.paused ?? "");
    const child =
      "  - id: child\n    type: io.svc.plugin.core.flow.Subflow\n    namespace: demo\n    flowId: paused\n";
    await server.save(flow("parent", child));
    const { id } = await server.start("parent");
    await settle();
    const parent = await server.execution(id);
    const childId = parent.taskRunList[0]?.outputs.executionId;
    assertObjectMatch(parent, { waiting: { reason: "SUBFLOW", taskId: "child", executionId: childId } });
    assertEquals((await post(server, `/executions/${id}/kill${query}`, {}, "DELETE")).status, 200);
    await settle();
    assertEquals((await server.execution(id)).state.current, "KILLED");
    assertEquals((await server.execution(String(childId))).state.current, state);
  });
}

Deno.test("DELETE /executions/:id of a subflow that runs ends the task that waits for it", async () => {
  await using server = await Harness.start();
  await server.save(FLOWS.paused ?? "");
  const child =
    "  - id: child\n    type: io.svc.plugin.core.flow.Subflow\n    namespace: demo\n    flowId: paused\n";
  await server.save(flow("parent", child));
  const { id } = await server.start("parent");
  await settle();
  const childId = (await server.execution(id)).taskRunList[0]?.outputs.executionId;
  assertEquals((await post(server, `/executions/${childId}`, {}, "DELETE")).status, 204);
  await settle();
  assertEquals((await server.execution(id)).state.current, "KILLED");
});
