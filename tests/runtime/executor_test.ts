/** Executions from start to end, over the whole server: what is durable when, kills, timers, crashes. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { settle } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { type Effect, EFFECT_TYPE, Harness, statesOf } from "../support/harness.ts";
import { json } from "../support/flows/request_bodies.ts";
import { until } from "../support/processes/machine_processes.ts";

const LOG = "io.svc.plugin.core.log.Log";
const RETURN = "io.svc.plugin.core.debug.Return";

const HELLO = `
id: hello
namespace: demo
inputs:
  - id: name
    type: STRING
    defaults: World
tasks:
  - id: greet
    type: ${RETURN}
    format: Hello {{ inputs.name }}
  - id: tell
    type: ${LOG}
    message: "{{ outputs.greet.value }}!"
`;
const EFFECT = `
id: effect
namespace: demo
tasks:
  - id: before
    type: ${RETURN}
    format: one
  - id: act
    type: ${EFFECT_TYPE}
    name: "{{ outputs.before.value }}"
  - id: after
    type: ${RETURN}
    format: "{{ outputs.act.done }}"
`;
const SLEEP = `
id: sleep
namespace: demo
tasks:
  - id: wait
    type: io.svc.plugin.core.flow.Sleep
    duration: PT10M
  - id: after
    type: ${RETURN}
    format: up
`;

Deno.test("begin() of a pure flow: one commit from start to end, the response shows CREATED", async () => {
  await using app = await Harness.start();
  await app.save(HELLO);
  const before = app.assembly.committer.stats.groups;
  const started = await app.start("hello", { name: "Ada" });
  assertEquals(app.assembly.committer.stats.groups - before, 1);
  assertEquals((started.state as { current: string }).current, "CREATED");
  assertEquals(started.taskRunList, undefined);
  const execution = await app.execution(started.id);
  assertEquals(statesOf(execution), "CREATED RUNNING SUCCESS");
  assertEquals(execution.taskRunList.map(statesOf), ["CREATED RUNNING SUCCESS", "CREATED RUNNING SUCCESS"]);
  assertEquals(execution.taskRunList.map(({ outputs }) => outputs), [{ value: "Hello Ada" }, {}]);
  assertEquals(app.store.count(["~g"]), 0);
  const logs = await app.json("GET", `/logs/${execution.id}`) as { message: string; level: string }[];
  assertEquals(logs.map(({ level, message }) => `${level} ${message}`), [
    "DEBUG Hello Ada",
    "INFO Hello Ada!",
  ]);
});

Deno.test("begin() of a task with a side effect: RUNNING is durable before the effect begins", async () => {
  let seen: string | undefined;
  await using app: Harness = await Harness.start({
    effect: async (properties, context) => {
      const execution = await app.execution(context.executionId);
      seen = `${properties.name}: ${execution.taskRunList.map(statesOf).join(", ")}`;
      return { state: "SUCCESS", outputs: { done: "yes" } };
    },
  });
  const execution = await app.run(EFFECT);
  assertEquals(seen, "one: CREATED RUNNING SUCCESS, CREATED RUNNING");
  assertEquals(statesOf(execution), "CREATED RUNNING SUCCESS");
  assertEquals(execution.taskRunList[2]?.outputs, { value: "yes" });
  assertEquals(app.store.count(["~g"]), 0);
});

Deno.test("crash during a side effect: the attempt ends RESUBMITTED, another one follows, everything before is kept", async () => {
  const hang = () => new Promise<never>(() => {});
  const first = await Harness.start({ effect: hang });
  const { id } = await first.run(EFFECT);
  assertEquals(first.store.count(["~g"]), 1);
  await using second = await first.crash({
    effect: () => ({ state: "SUCCESS", outputs: { done: "again" } }),
  });
  await settle();
  const execution = await second.execution(id);
  assertEquals(statesOf(execution), "CREATED RUNNING SUCCESS");
  const attempts = execution.taskRunList[1]?.attempts?.map(({ state }) => state.current);
  assertEquals(attempts, ["RESUBMITTED", "SUCCESS"]);
  assertEquals(execution.taskRunList[2]?.outputs, { value: "again" });
  assertEquals(second.store.count(["~g"]), 0);
});

Deno.test("crash three times while an execution is live: it is given up and says so", async () => {
  const options = { effect: () => new Promise<never>(() => {}) };
  let app = await Harness.start(options);
  const { id } = await app.run(EFFECT);
  for (let crash = 0; crash < 2; crash++) {
    app = await app.crash();
    await settle();
    assertEquals((await app.execution(id)).state.current, "RUNNING");
  }
  await using last = await app.crash();
  await settle();
  assertEquals((await last.execution(id)).state.current, "FAILED");
  const logs = await last.json("GET", `/logs/${id}?minLevel=ERROR`) as { message: string }[];
  assert(logs[0]?.message.includes("stopped unexpectedly 3 times"));
});

Deno.test("four shutdowns and one crash while an execution is live: it continues", async () => {
  const options = { effect: () => new Promise<never>(() => {}) };
  let app = await Harness.start(options);
  const { id } = await app.run(EFFECT);
  for (let stop = 0; stop < 4; stop++) {
    app = await app.restart();
    await settle();
    const execution = await app.execution(id);
    assertEquals(execution.state.current, "RUNNING");
    assertEquals(execution.taskRunList[1]?.attempts?.length, stop + 2);
  }
  await using last = await app.crash();
  await settle();
  assertEquals((await last.execution(id)).state.current, "RUNNING");
});

Deno.test("Sleep: a stored timer, no live execution while it waits, also across restarts", async () => {
  const first = await Harness.start();
  const { id, state } = await first.run(SLEEP);
  assertEquals(state.current, "RUNNING");
  assertEquals(first.assembly.executor.liveCount, 0);
  assertEquals([first.store.count(["~g"]), first.store.count(["tm"])], [0, 1]);
  await first.advance(5 * 60_000);
  await using second = await first.crash();
  await second.advance(4 * 60_000);
  assertEquals((await second.execution(id)).state.current, "RUNNING");
  await second.advance(61_000);
  const execution = await second.execution(id);
  assertEquals(statesOf(execution), "CREATED RUNNING SUCCESS");
  assertEquals(second.store.count(["tm"]), 0);
  const [, running, success] = execution.taskRunList[0]?.state.histories ?? [];
  assertEquals(Date.parse(success?.date ?? "") - Date.parse(running?.date ?? ""), 600_000);
});

Deno.test("scheduleDate: CREATED until then, and a kill meanwhile ends it", async () => {
  await using app = await Harness.start();
  await app.save(HELLO);
  const at = new Date(app.clock.now() + 3_600_000).toISOString();
  const one = await app.start("hello", {}, `?scheduleDate=${encodeURIComponent(at)}`);
  const two = await app.start("hello", {}, `?scheduleDate=${encodeURIComponent(at)}`);
  await app.advance(1_800_000);
  assertEquals((await app.execution(one.id)).state.current, "CREATED");
  await app.json("DELETE", `/executions/${two.id}/kill`);
  assertEquals(statesOf(await app.execution(two.id)), "CREATED KILLING KILLED");
  await app.advance(1_800_001);
  const execution = await app.execution(one.id);
  assertEquals([statesOf(execution), execution.scheduleDate], ["CREATED RUNNING SUCCESS", at]);
  assertEquals(app.store.count(["tm"]), 0);
});

Deno.test("kill of a running side effect interrupts it; the execution ends KILLED", async () => {
  await using app = await Harness.start({
    effect: (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("interrupted")))),
  });
  const { id } = await app.run(EFFECT);
  await app.json("DELETE", `/executions/${id}/kill`);
  await settle();
  const execution = await app.execution(id);
  assertEquals(statesOf(execution), "CREATED RUNNING KILLING KILLED");
  assertEquals(execution.taskRunList.map(statesOf), [
    "CREATED RUNNING SUCCESS",
    "CREATED RUNNING KILLING KILLED",
  ]);
  assertEquals((await app.request("DELETE", `/executions/${id}/kill`)).status, 409);
});

Deno.test("kill of a sleeping execution ends it at once and removes its timer", async () => {
  await using app = await Harness.start();
  const { id } = await app.run(SLEEP);
  await app.json("DELETE", `/executions/${id}/kill`);
  assertEquals(statesOf(await app.execution(id)), "CREATED RUNNING KILLING KILLED");
  assertEquals(app.store.count(["tm"]), 0);
});

Deno.test("delete of a running execution stops it for good", async () => {
  const ended = Promise.withResolvers<void>();
  await using app = await Harness.start({
    effect: async () => {
      await ended.promise;
      return { state: "SUCCESS" };
    },
  });
  const { id } = await app.run(EFFECT);
  assertEquals((await app.request("DELETE", `/executions/${id}`)).status, 204);
  ended.resolve();
  await settle();
  assertEquals((await app.request("GET", `/executions/${id}`)).status, 404);
  assertEquals([app.store.count(["main", "x"]), app.store.count(["~g"])], [0, 0]);
});

Deno.test("an expression that fails ends its task run FAILED with the message in its log", async () => {
  await using app = await Harness.start();
  const execution = await app.run(HELLO.replace("inputs.name", "inputs.nobody"));
  assertEquals(statesOf(execution), "CREATED RUNNING FAILED");
  const logs = await app.json("GET", `/logs/${execution.id}`) as {
    level: string;
    message: string;
    taskId: string;
  }[];
  assertEquals(logs.map(({ level, taskId }) => [level, taskId]), [["ERROR", "greet"]]);
  assert(logs[0]?.message.includes("Unable to find `inputs.nobody`"), logs[0]?.message);
});

Deno.test("values above 64 KiB are stored as blobs and read back unchanged", async () => {
  await using app = await Harness.start();
  const name = "x".repeat(300_000);
  const execution = await app.run(HELLO, { name });
  assertEquals(statesOf(execution), "CREATED RUNNING SUCCESS");
  assertEquals(execution.taskRunList[0]?.outputs.value, `Hello ${name}`);
  assertEquals((execution.inputs as { name: string }).name, name);
  assert(app.store.count(["main", "b"]) > 5);
});

Deno.test("outputs above the cap fail the task run with the reason", async () => {
  await using app = await Harness.start({
    effect: () => ({ state: "SUCCESS", outputs: { big: "x".repeat(1_100_000) } }),
  });
  const execution = await app.run(EFFECT);
  assertEquals(execution.taskRunList[1]?.state.current, "FAILED");
  const logs = await app.json("GET", `/logs/${execution.id}?minLevel=ERROR`) as { message: string }[];
  assert(logs[0]?.message.includes("outputs are too large"));
});

Deno.test("a flow of 300 tasks is stored in pages, in several slices, and read back unchanged", async () => {
  await using app = await Harness.start();
  const tasks = Array.from(
    { length: 300 },
    (_, n) => `  - id: t${n}\n    type: ${RETURN}\n    format: v${n}`,
  );
  const execution = await app.run(`id: long\nnamespace: demo\ntasks:\n${tasks.join("\n")}`);
  assertEquals(statesOf(execution), "CREATED RUNNING SUCCESS");
  assertEquals(
    execution.taskRunList.map(({ outputs }) => outputs.value),
    Array.from({ length: 300 }, (_, n) => `v${n}`),
  );
  assertEquals(((await app.json("GET", `/logs/${execution.id}`)) as unknown[]).length, 300);
  assertEquals(app.store.count(["~g"]), 0);
});

/** A server on a disk that can become full; its effects wait for `act`. */
function startOn(disk: { readonly isFull: boolean }, act: Promise<void>): Promise<Harness> {
  return Harness.start({
    wrap: (memory) => new FaultyStore(memory, () => disk.isFull ? "full" : "none"),
    effect: async () => {
      await act;
      return { state: "SUCCESS", outputs: { done: "yes" } };
    },
  });
}

Deno.test("a full disk refuses starts with 507; live executions continue when space returns", async () => {
  const disk = { isFull: false };
  const act = Promise.withResolvers<void>();
  await using app = await startOn(disk, act.promise);
  const { id } = await app.run(EFFECT);
  disk.isFull = true;
  const refused = await app.request("POST", "/executions/demo/effect");
  assertEquals(refused.status, 507);
  await refused.body?.cancel();
  act.resolve();
  await app.advance(3_000);
  assertEquals((await app.execution(id)).state.current, "RUNNING");
  disk.isFull = false;
  await app.advance(3_000);
  const execution = await app.execution(id);
  assertEquals(statesOf(execution), "CREATED RUNNING SUCCESS");
  assertEquals(execution.taskRunList[2]?.outputs, { value: "yes" });
  assertEquals(((await app.json("GET", `/logs/${id}`)) as unknown[]).length, 2);
});

Deno.test("stop() leaves a running side effect durable for the next start", async () => {
  const first = await Harness.start({
    effect: (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
  });
  const { id } = await first.run(EFFECT);
  await using second = await first.restart();
  await settle();
  assertEquals((await second.execution(id)).state.current, "RUNNING");
});

Deno.test("secret() and kv() are fetched while rendering; secrets are masked in logs", async () => {
  await using app = await Harness.start({ secrets: new Map([["API_KEY", btoa("s3cret-value")]]) });
  await app.json("PUT", "/namespaces/demo/kv/color", json('"blue"'));
  const execution = await app.run(`
id: values
namespace: demo
tasks:
  - id: both
    type: ${RETURN}
    format: "{{ kv('color') }} {{ kv('none') ?? 'nothing' }}"
  - id: tell
    type: ${LOG}
    message: "key={{ secret('API_KEY') }}"
  - id: missing
    type: ${LOG}
    message: "{{ secret('NOPE') }}"
`);
  assertEquals(execution.taskRunList[0]?.outputs.value, "blue nothing");
  assertEquals(execution.state.current, "FAILED");
  const logs = await app.json("GET", `/logs/${execution.id}`) as { message: string }[];
  assertEquals(logs[1]?.message, "key=**masked****");
  assert(logs[2]?.message.includes("Cannot find secret for key 'NOPE'"));
});

Deno.test("a refused start stays refused when its pending value arrives", async () => {
  let isFull = false;
  await using app = await Harness.start({
    wrap: (memory) => new FaultyStore(memory, () => isFull ? "full" : "none"),
  });
  await app.save(`
id: waits
namespace: demo
tasks:
  - id: color
    type: ${RETURN}
    format: "{{ kv('color') ?? 'none' }}"
`);
  isFull = true;
  const refused = await app.request("POST", "/executions/demo/waits");
  await refused.body?.cancel();
  assertEquals(refused.status, 507);
  isFull = false;
  await app.advance(5_000);
  assertEquals([app.store.count(["main", "x"]), app.assembly.executor.liveCount], [0, 0]);
});

Deno.test("a delete that the database refuses leaves the execution running", async () => {
  let isFull = false;
  await using app = await Harness.start({
    wrap: (memory) => new FaultyStore(memory, () => isFull ? "full" : "none"),
    effect: (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
  });
  const { id } = await app.run(EFFECT);
  isFull = true;
  const refused = await app.request("DELETE", `/executions/${id}`);
  await refused.body?.cancel();
  assertEquals(refused.status, 507);
  isFull = false;
  await app.advance(5_000);
  assertEquals((await app.execution(id)).state.current, "RUNNING");
  assertEquals((await app.request("DELETE", `/executions/${id}`)).status, 204);
  assertEquals([app.store.count(["main", "x"]), app.store.count(["~g"])], [0, 0]);
});

Deno.test("an unreadable live execution does not prevent the server from starting", async () => {
  const first = await Harness.start({ effect: () => new Promise<never>(() => {}) });
  const one = await first.run(EFFECT);
  const two = await first.start("effect");
  await settle();
  const key = ["main", "x", one.id];
  await first.store.commit({
    checks: [],
    mutations: [{ type: "set", key, value: new Uint8Array([99]) }],
    messages: [],
  });
  await using second = await first.crash({ effect: () => ({ state: "SUCCESS", outputs: { done: "yes" } }) });
  await settle();
  assertEquals((await second.execution(two.id)).state.current, "SUCCESS");
});

Deno.test("a full disk does not end an execution of more task runs than one commit can write", async () => {
  const disk = { isFull: false };
  const act = Promise.withResolvers<void>();
  await using app = await startOn(disk, act.promise);
  const each = `{id: each, type: io.svc.plugin.core.flow.ForEach, values: "{{ range(1, 16000) }}", ` +
    `concurrencyLimit: 50, tasks: [{id: a, type: ${RETURN}, format: a}]}`;
  await app.save(`id: many\nnamespace: demo\ntasks: [${each}, {id: act, type: ${EFFECT_TYPE}}]\n`);
  const { id } = await app.start("many");
  await until(async () => (await app.execution(id)).taskRunList.length === 16_002);
  disk.isFull = true;
  act.resolve();
  await app.advance(3_000);
  disk.isFull = false;
  await app.advance(5_000);
  await until(async () => (await app.execution(id)).state.current !== "RUNNING");
  assertEquals((await app.execution(id)).state.current, "SUCCESS");
});

interface LongLog {
  readonly name: string;
  readonly character: string;
  readonly chars: number;
  readonly messages: number;
  readonly tasks: number;
  readonly lines: number;
  readonly last: RegExp;
}

const LONG_LOGS: readonly LongLog[] = [
  {
    name: "control characters",
    character: "\u0001",
    chars: 16_000,
    messages: 1,
    tasks: 1,
    lines: 2,
    last: /cut, 16000/,
  },
  {
    name: "many short lines of them",
    character: "\u0001",
    chars: 100,
    messages: 200,
    tasks: 3,
    lines: 600,
    last: /^.{100}$/s,
  },
  {
    name: "lines of three bytes a character",
    character: "漢",
    chars: 16_300,
    messages: 3,
    tasks: 20,
    lines: 120,
    last: /^漢+$/,
  },
  {
    name: "a task with more than fits",
    character: "x",
    chars: 16_300,
    messages: 60,
    tasks: 1,
    lines: 33,
    last: /left out/,
  },
  {
    name: "the longest messages",
    character: "x",
    chars: 65_536,
    messages: 4,
    tasks: 20,
    lines: 560,
    last: /^x+$/,
  },
];

for (const { name, character, chars, messages, tasks, lines, last } of LONG_LOGS) {
  Deno.test(`a log fits the commits of its execution: ${name}`, async () => {
    await using app = await Harness.start();
    const list = Array.from({ length: messages }, () => '"{{ inputs.text[0] }}"').join(", ");
    const log = (n: number) => `  - {id: t${n}, type: ${LOG}, message: [${list}]}\n`;
    const all = Array.from({ length: tasks }, (_, n) => log(n)).join("");
    await app.save(`id: long\nnamespace: demo\ninputs: [{id: text, type: JSON}]\ntasks:\n${all}`);
    const { id } = await app.start("long", { text: JSON.stringify([character.repeat(chars)]) });
    await app.advance(1_000);
    assertEquals((await app.execution(id)).state.current, "SUCCESS");
    const found = await app.json("GET", `/logs/${id}`) as { message: string }[];
    assertEquals(found.length, lines);
    assertMatch(found.at(-1)?.message ?? "", last);
  });
}

Deno.test("a log fits the commits of its execution: long messages of 100 attempts at once", async () => {
  const begin = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  let left = 100;
  const effect: Effect = async (_properties, context) => {
    await begin.promise;
    context.log("INFO", "x".repeat(65_000));
    if (--left === 0) end.resolve();
    await end.promise;
    return { state: "SUCCESS" };
  };
  await using app = await Harness.start({ effect });
  const tasks = Array.from({ length: left }, (_, n) => `{id: t${n}, type: ${EFFECT_TYPE}}`);
  await app.save(
    `id: long\nnamespace: demo\ntasks: [{id: p, type: io.svc.plugin.core.flow.Parallel, tasks: [${tasks}]}]\n`,
  );
  const { id } = await app.start("long");
  await settle();
  begin.resolve();
  await end.promise;
  for (let turn = 0; turn < 100; turn++) await settle();
  assertEquals((await app.execution(id)).state.current, "SUCCESS");
  const lines = await app.json("GET", `/logs/${id}`) as { taskRunId: string }[];
  assertEquals(new Set(lines.map(({ taskRunId }) => taskRunId)).size, 100);
});

Deno.test("an assertion that does not end the execution is logged once, though it stays violated", async () => {
  await using app = await Harness.start();
  const execution = await app.run(`
id: kept
namespace: demo
sla: [{id: x, type: EXECUTION_ASSERTION, assert: "{{ false }}", behavior: NONE, labels: {broken: "yes"}}]
tasks: [{id: a, type: ${RETURN}, format: a}, {id: b, type: ${RETURN}, format: b}]
`);
  const lines = await app.json("GET", `/logs/${execution.id}?minLevel=WARN`) as { message: string }[];
  assertEquals(lines.map(({ message }) => message), ["SLA 'x' violated: assertion is false: {{ false }}."]);
  assertEquals(execution.state.current, "SUCCESS");
});

const UNRENDERED =
  "SLA 'x' cannot be evaluated: Unable to find `nothing` used in the expression `{{ nothing.here }}` at line 1";
const ASSERTIONS = [
  ["that can never be rendered is logged once, and is no violation", "{{ nothing.here }}", [UNRENDERED]],
  ["that can be rendered at the end is not logged", "{{ outputs.b.value == 'b' }}", []],
] as const;
for (const [rule, assertion, expected] of ASSERTIONS) {
  Deno.test(`an assertion ${rule}`, async () => {
    await using app = await Harness.start();
    const { id, state } = await app.run(`
id: kept
namespace: demo
sla: [{id: x, type: EXECUTION_ASSERTION, assert: "${assertion}", behavior: FAIL}]
tasks: [{id: a, type: ${RETURN}, format: a}, {id: b, type: ${RETURN}, format: b}]
`);
    const lines = await app.json("GET", `/logs/${id}?minLevel=WARN`) as { message: string }[];
    assertEquals([state.current, lines.map(({ message }) => message)], ["SUCCESS", [...expected]]);
  });
}
