import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { type Effect, Harness } from "../../support/harness.ts";
import { randomText } from "../../support/random_text.ts";
import { flow, linesOf, NAMED, outputsOf, passesOf, run, untilQuiet } from "./loop_support.ts";

/** An effect that ends when it is interrupted. */
const waits: Effect = (_properties, { signal }) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve({ state: "KILLED" })));

Deno.test("Loop: a kill reaches every pass, also of loops within loops", async () => {
  await using app = await Harness.start({ effect: waits });
  const { id } = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: [1, 2], concurrencyLimit: 0, tasks:
      [{id: m, type: $.flow.Loop, values: "{{ range(1, 120) }}", concurrencyLimit: 0, tasks: [{id: e, type: EFFECT}]}],
      finally: [{id: f, type: EFFECT}]}]`,
    150,
  );
  await app.request("DELETE", `/executions/${id}/kill`);
  await untilQuiet(app, 200);
  assertEquals(linesOf(await app.execution(id)), "KILLED: l KILLED");
  const passes = await passesOf(app);
  assertEquals([passes.length, new Set(passes.map(({ state }) => state.current))], [
    242,
    new Set(["KILLED"]),
  ]);
});

Deno.test("Loop: no pass begins while the execution is held", async () => {
  await using app = await Harness.start();
  const { id } = await run(
    app,
    "tasks: [{id: l, type: $.flow.Loop, values: [1, 2], tasks: [{id: p, type: $.flow.Pause}]}]",
  );
  const counts = async (method: string, of: unknown): Promise<number> => {
    await app.json("POST", `/executions/${of}/${method}`);
    await untilQuiet(app);
    return (await passesOf(app)).length;
  };
  const [first] = await passesOf(app);
  assertEquals([await counts("pause", id), await counts("resume", first?.id)], [1, 1]);
  assertEquals(await counts("resume", id), 2);
  const [, second] = await passesOf(app);
  await counts("resume", second?.id);
  assertEquals(linesOf(await app.execution(id)), "SUCCESS: l SUCCESS");
});

Deno.test("Loop: what an execution tells of itself", async () => {
  await using app = await Harness.start({ effect: waits });
  const execution = await run(
    app,
    `labels: {team: a}
tasks: [{id: l, type: $.flow.Loop, values: {k: [1]}, tasks: [{id: m, type: $.flow.Loop, values: [x], tasks: [{id: e, type: EFFECT}]}]}]`,
  );
  const waiting = execution.waiting as JsonObject;
  assertEquals([waiting.reason, waiting.taskId, waiting.total, waiting.started, waiting.ended], [
    "SUBFLOW",
    "l",
    1,
    1,
    0,
  ]);
  // Both have the same time: their order is that of their ids.
  const passes = await passesOf(app);
  const passOf = (taskId: string) =>
    passes.find(({ loopRun }) => (loopRun as JsonObject | undefined)?.taskId === taskId);
  const [outer, inner] = [passOf("l"), passOf("m")];
  assert(outer && inner);
  const [owner] = outer.taskRunList;
  assertEquals(inner.kind, "LOOP");
  assertEquals(inner.loopRun, {
    taskId: "m",
    executionId: outer.id,
    taskRunId: owner?.id,
    index: 0,
    value: "x",
    parents: [{ index: 0, value: "[1]", key: "k" }],
  });
  const trigger = inner.trigger as { id: string; type: string; variables: JsonObject };
  assertEquals([trigger.id, trigger.variables.executionId], ["m", outer.id]);
  const labels = inner.labels as { key: string; value: string }[];
  assertEquals(labels.map(({ key, value }) => `${key}=${value}`).sort(), [
    `system.correlationId=${execution.id}`,
    "team=a",
  ]);
});

Deno.test("GET /executions leaves passes of loops out unless they are asked for", async () => {
  await using app = await Harness.start();
  const { id } = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: [1, 2], tasks: [{id: v, type: $.debug.Return, format: x}]}]`,
  );
  const { total } = await app.json("GET", "/executions/search") as { total: number };
  assertEquals([total, (await passesOf(app)).length], [1, 2]);
  assertEquals((await passesOf(app, `&filters[triggerExecutionId][EQUALS]=${id}`)).length, 2);
  const refused = await app.request("POST", "/executions/demo/l?kind=LOOP");
  assertEquals(refused.status, 400);
  await refused.body?.cancel();
});

Deno.test("Loop: no Flow trigger hears of a pass", async () => {
  await using app = await Harness.start();
  await app.save(flow(
    `
tasks: [{id: r, type: $.debug.Return, format: heard}]
triggers: [{id: t, type: $.trigger.Flow, preconditions: {id: p, flows: [{namespace: demo, flowId: l}]}}]`,
    "listener",
  ));
  await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: [1, 2, 3], tasks: [{id: v, type: $.debug.Return, format: x}]}]`,
  );
  const { total } = await app.json("GET", "/executions/search?filters[flowId][EQUALS]=listener") as {
    total: number;
  };
  assertEquals(total, 1);
});

Deno.test("Loop: a crash repeats at most the passes under way", async () => {
  let calls = 0;
  const hangs: Effect = (_properties, { signal }) => {
    if (++calls !== 3) return { state: "SUCCESS" };
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ state: "KILLED" })));
  };
  const body = `tasks:
  - {id: before, type: $.debug.Return, format: early}
  - {id: l, type: $.flow.Loop, values: [a, b, c, d], outputs: [{id: o, value: "{{ outputs.before.value }}{{ item.value }}"}], tasks: [{id: e, type: EFFECT}]}
  - {id: after, type: $.debug.Return, format: "{{ loopOutputs(outputs.l.outputs, 'o') }}"}`;
  const first = await Harness.start({ effect: hangs });
  const { id } = await run(first, body);
  await using app = await first.crash({ effect: hangs });
  await untilQuiet(app);
  const execution = await app.execution(id);
  assertEquals(linesOf(execution), "SUCCESS: before SUCCESS, l SUCCESS, after SUCCESS");
  assertEquals(outputsOf(execution, "after").value, '["earlya","earlyb","earlyc","earlyd"]');
  assertEquals([calls, (await passesOf(app)).length], [5, 4]);
});

Deno.test("Loop: a large value is stored with its pass once, and found after a crash", async () => {
  const first = await Harness.start({ effect: waits });
  const long = "x".repeat(70_000);
  await run(
    first,
    `tasks: [{id: l, type: $.flow.Loop, values: ["${long}"], tasks: [{id: e, type: EFFECT}, {id: v, type: $.debug.Return, format: "{{ item.value | length }}"}]}]`,
  );
  await using app = await first.crash({ effect: NAMED });
  await untilQuiet(app);
  const [pass] = await passesOf(app);
  assert(pass);
  assertEquals([pass.state.current, outputsOf(pass, "v").value], ["SUCCESS", "70000"]);
  assertEquals((pass.loopRun as JsonObject).value, long);
});

/** Text that does not compress below half of it. */
function incompressible(chars: number): string {
  return Array.from(
    crypto.getRandomValues(new Uint8Array(chars / 2)),
    (byte) => byte.toString(16).padStart(2, "0"),
  )
    .join("");
}

async function storedBytes(app: Harness): Promise<number> {
  let bytes = 0;
  for await (const { value } of app.store.list({ prefix: [] })) bytes += value.length;
  return bytes;
}

const SHARING = `inputs: [{id: big, type: STRING}]
tasks:
  - {id: l, type: $.flow.Loop, values: [1, 2], concurrencyLimit: 0, tasks: [
      {id: m, type: $.flow.Loop, values: "{{ range(1, 30) }}", concurrencyLimit: 7, tasks: [
        {id: e, type: EFFECT}, {id: v, type: $.debug.Return, format: "{{ inputs.big | length }}"}]}]}`;

Deno.test("Loop: passes share the stored inputs of the execution, also after a crash", async () => {
  let isOver = false;
  const effect: Effect = async (properties, context) =>
    isOver ? { state: "SUCCESS" } : await waits(properties, context);
  const first = await Harness.start({ effect });
  await first.save(flow(SHARING));
  const big = incompressible(40_000);
  const before = await storedBytes(first);
  const { id } = await first.start("l", { big });
  await untilQuiet(first);
  isOver = true;
  await using app = await first.crash({ effect });
  await untilQuiet(app, 400);
  assertEquals(linesOf(await app.execution(id)), "SUCCESS: l SUCCESS");
  const passes = await passesOf(app);
  assertEquals(passes.map((pass) => outputsOf(pass, "v").value ?? "none").sort(), [
    ...Array(60).fill("40000"),
    "none",
    "none",
  ]);
  for (const pass of passes) assertEquals(pass.inputs, { big });
  // The inputs, and a kilobyte for each pass.
  assertLess(await storedBytes(app) - before, 60_000 + passes.length * 1_000);
  await app.json("DELETE", `/executions/${id}`);
  const left = await passesOf(app);
  assertEquals([left.length, new Set(left.map(({ inputs }) => inputs))], [62, new Set([undefined])]);
});

Deno.test("Loop: a pass can be replayed alone, with what it saw", async () => {
  await using app = await Harness.start();
  await run(
    app,
    `tasks:
  - {id: before, type: $.debug.Return, format: early}
  - {id: l, type: $.flow.Loop, values: [a], tasks: [{id: v, type: $.debug.Return, format: "{{ outputs.before.value }} {{ item.value }}"}]}`,
  );
  const [pass] = await passesOf(app);
  const replayed = await app.json("POST", `/executions/${pass?.id}/replay`) as JsonObject;
  await untilQuiet(app);
  const again = await app.execution(replayed.id);
  assertEquals([again.kind, outputsOf(again, "v").value], ["LOOP", "early a"]);
});

Deno.test("Loop: a pass that a new execution repeats sees the same, and counts once", async () => {
  let calls = 0;
  await using app = await Harness.start({ effect: () => ({ state: calls++ === 0 ? "FAILED" : "SUCCESS" }) });
  const { id } = await run(
    app,
    `retry: {type: constant, interval: PT1S, maxAttempts: 3, behavior: CREATE_NEW_EXECUTION}
tasks:
  - {id: before, type: $.debug.Return, format: early}
  - {id: l, type: $.flow.Loop, values: [a, b], outputs: [{id: o, value: "{{ outputs.before.value }} {{ item.value }}"}], tasks: [{id: e, type: EFFECT}]}
  - {id: after, type: $.debug.Return, format: "{{ loopOutputs(outputs.l.outputs, 'o') }}"}`,
  );
  await app.advance(2_000);
  await untilQuiet(app);
  const execution = await app.execution(id);
  assertEquals(linesOf(execution), "SUCCESS: before SUCCESS, l SUCCESS, after SUCCESS");
  assertEquals(outputsOf(execution, "after").value, '["early a","early b"]');
  assertEquals((await passesOf(app)).map(({ state }) => state.current).sort(), [
    "RETRIED",
    "SUCCESS",
    "SUCCESS",
  ]);
});

/** Values that a loop refuses, and what its log says. */
const REFUSED: readonly (readonly [values: string, message: string])[] = [
  ["5", "Cannot loop over the values: they must be a list, a map, or the storage URI of a file"],
  ["['a', null]", "Found a null value inside the iteration values"],
];

for (const [values, message] of REFUSED) {
  Deno.test(`Loop: the log of a failed loop says why it refuses ${values}`, async () => {
    await using app = await Harness.start();
    const { id } = await run(
      app,
      `tasks: [{id: l, type: $.flow.Loop, values: "{{ ${values} }}", tasks: [{id: v, type: EFFECT}]}]`,
    );
    assertStringIncludes(JSON.stringify(await app.json("GET", `/logs/${id}`)), message);
  });
}

Deno.test("Loop: passes with large inputs begin in commits of bounded size", async () => {
  await using app = await Harness.start({ effect: NAMED });
  await app.save(flow(`
inputs: [{id: doc, type: STRING}]
tasks: [{id: l, type: $.flow.Loop, concurrencyLimit: 0, values: "{{ range(1, 60) }}", tasks: [{id: e, type: EFFECT}]}]`));
  const body = new FormData();
  body.set("doc", randomText(20_000));
  const { id } = await app.json("POST", "/executions/demo/l", { body }) as JsonObject;
  await untilQuiet(app, 300);
  assertEquals(linesOf(await app.execution(id)), "SUCCESS: l SUCCESS");
  assertEquals((await passesOf(app)).length, 60);
});
