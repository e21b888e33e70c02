/** Passes of loops that are restarted, killed, held and replayed: what ended well stays, and each pass counts once. */
import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { type Effect, Harness } from "../../support/harness.ts";
import { linesOf, outputsOf, passesOf, run, untilQuiet } from "./loop_support.ts";

/** An effect that ends when it is interrupted. */
const waits: Effect = (_properties, { signal }) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve({ state: "KILLED" })));

Deno.test("Loop: a restart leaves passes that ended well, runs failed ones again, and goes on with the others", async () => {
  let calls = 0;
  await using app = await Harness.start({ effect: () => ({ state: calls++ === 1 ? "FAILED" : "SUCCESS" }) });
  const { id } = await run(
    app,
    "tasks: [{id: l, type: $.flow.Loop, values: [a, b, c], tasks: [{id: e, type: EFFECT}], finally: [{id: f, type: $.debug.Return, format: x}]}]",
  );
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app);
  assertEquals(linesOf(await app.execution(id)), "SUCCESS: l SUCCESS, f SUCCESS");
  const passes = await passesOf(app);
  assertEquals([calls, passes.map(linesOf)], [4, Array(3).fill("SUCCESS: e SUCCESS")]);
  assertEquals(passes.map(({ taskRunList }) => taskRunList[0]?.attempts?.length), [1, 2, 1]);
});

/** Effects that fail while their name is among `bad`; at most `most` were at work at once. */
function failing(bad: Set<string>) {
  const seen: string[] = [];
  const load = { now: 0, most: 0 };
  const effect: Effect = async ({ name }) => {
    load.most = Math.max(load.most, ++load.now);
    seen.push(String(name));
    await settle();
    load.now--;
    return { state: bad.has(String(name)) ? "FAILED" : "SUCCESS" };
  };
  return { seen, load, effect };
}

const VALUES = Array.from({ length: 120 }, (_, index) => `v${index}`);
const NAMES = (count: number) => new Set(VALUES.slice(0, count));

Deno.test("Loop: a restart keeps to the limit, and gathers the outputs of all passes", async () => {
  const bad = NAMES(110);
  const { seen, load, effect } = failing(bad);
  await using app = await Harness.start({ effect });
  const { id } = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: ${JSON.stringify(VALUES)}, concurrencyLimit: 7,
  outputs: [{id: o, value: "{{ item.value }}"}], tasks: [{id: e, type: EFFECT, name: "{{ item.value }}"}]}]`,
    200,
  );
  assertEquals((await app.execution(id)).state.current, "FAILED");
  const first = seen.length;
  bad.clear();
  load.most = 0;
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app, 400);
  const execution = await app.execution(id);
  assertEquals(linesOf(execution), "SUCCESS: l SUCCESS");
  assertEquals([load.most, seen.length], [7, first + VALUES.length]);
  const { outputs, terminatedIterations } = outputsOf(execution, "l");
  assertEquals([(outputs as JsonObject[]).length, terminatedIterations], [120, { SUCCESS: 120 }]);
});

Deno.test("Loop: of more failed passes than one commit runs again a restart forgets none, also over a crash", async () => {
  const bad = NAMES(110);
  const { seen, effect } = failing(bad);
  const first = await Harness.start({ effect });
  const { id } = await run(
    first,
    `tasks: [{id: l, type: $.flow.Loop, values: ${
      JSON.stringify(VALUES)
    }, concurrencyLimit: 120, tasks: [{id: e, type: EFFECT, name: "{{ item.value }}"}]}]`,
    300,
  );
  assertEquals([(await first.execution(id)).state.current, seen.length], ["FAILED", 120]);
  bad.delete("v0");
  await first.json("POST", `/executions/${id}/restart`);
  await settle();
  await using app = await first.crash();
  await untilQuiet(app, 400);
  const again = await app.execution(id);
  assertEquals(again.state.current, "FAILED");
  assertEquals(outputsOf(again, "l").runningIterations, 0);
  bad.clear();
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app, 400);
  assertEquals(linesOf(await app.execution(id)), "SUCCESS: l SUCCESS");
  const passes = await passesOf(app);
  assertEquals(new Set(passes.map(linesOf)), new Set(["SUCCESS: e SUCCESS"]));
  assertEquals(passes.length, 120);
  assertEquals(
    passes.slice(110).map(({ taskRunList }) => taskRunList[0]?.attempts?.length),
    Array(10).fill(1),
  );
});

Deno.test("Loop: a restart after a kill runs what was killed, and what had not begun", async () => {
  let isWaiting = true;
  const effect: Effect = async (properties, context) =>
    isWaiting && properties.name !== "a" ? await waits(properties, context) : { state: "SUCCESS" };
  await using app = await Harness.start({ effect });
  const { id } = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: [a, b, c], tasks: [{id: e, type: EFFECT, name: "{{ item.value }}"}]}]`,
  );
  await app.request("DELETE", `/executions/${id}/kill`);
  await untilQuiet(app);
  assertEquals((await passesOf(app)).map(({ state }) => state.current), ["SUCCESS", "KILLED"]);
  isWaiting = false;
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app);
  assertEquals(linesOf(await app.execution(id)), "SUCCESS: l SUCCESS");
  assertEquals((await passesOf(app)).map(linesOf), Array(3).fill("SUCCESS: e SUCCESS"));
});

Deno.test("Loop: a restart begins nothing behind the pass that has broken the loop off", async () => {
  const bad = new Set(["a"]);
  const { effect } = failing(bad);
  await using app = await Harness.start({ effect });
  const { id } = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: [a, b, c], concurrencyLimit: 2, breakWhen: "{{ item.value == 'b' }}",
  tasks: [{id: e, type: EFFECT, name: "{{ item.value }}"}]}]`,
  );
  assertEquals((await app.execution(id)).state.current, "FAILED");
  bad.clear();
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app);
  assertEquals(linesOf(await app.execution(id)), "SUCCESS: l SUCCESS");
  assertEquals((await passesOf(app)).map(linesOf), Array(2).fill("SUCCESS: e SUCCESS"));
});

Deno.test("Loop: where a pass is gone a restart runs all of them again", async () => {
  const bad = new Set(["b"]);
  const { seen, effect } = failing(bad);
  await using app = await Harness.start({ effect });
  const { id } = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: [a, b, c], tasks: [{id: e, type: EFFECT, name: "{{ item.value }}"}]}]`,
  );
  await app.request("DELETE", `/executions/${(await passesOf(app))[0]?.id}`);
  bad.clear();
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app);
  assertEquals(linesOf(await app.execution(id)), "SUCCESS: l SUCCESS");
  assertEquals(seen, ["a", "b", "a", "b", "c"]);
});

Deno.test("Loop: a pass that runs again, and is then repeated by a new execution, counts once", async () => {
  const bad = new Set(["first a", "then a"]);
  const { effect } = failing(bad);
  await using app = await Harness.start({ effect });
  const { id } = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: [a, b, c], concurrencyLimit: 0, tasks: [
      {id: e, type: EFFECT, name: "first {{ item.value }}"},
      {id: f, type: EFFECT, name: "then {{ item.value }}", retry: {type: constant, interval: PT1M, maxAttempts: 9, behavior: CREATE_NEW_EXECUTION}}]}]`,
  );
  const counts = async (): Promise<unknown[]> => {
    const execution = await app.execution(id);
    const { runningIterations, terminatedIterations } = outputsOf(execution, "l");
    return [linesOf(execution), runningIterations, terminatedIterations];
  };
  assertEquals(await counts(), ["FAILED: l FAILED", 0, { SUCCESS: 2, FAILED: 1 }]);
  bad.delete("first a");
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app);
  assertEquals(await counts(), ["RUNNING: l RUNNING", 1, { SUCCESS: 2 }]);
  const { total, started, ended } = (await app.execution(id)).waiting as JsonObject;
  assertEquals([total, started, ended], [3, 3, 2]);
  bad.clear();
  await app.advance(60_000);
  await untilQuiet(app);
  assertEquals(await counts(), ["SUCCESS: l SUCCESS", 0, { SUCCESS: 3 }]);
});

Deno.test("Loop: a restart goes on with values that are kept in a file", async () => {
  const bad = new Set(["1150"]);
  const { seen, effect } = failing(bad);
  await using app = await Harness.start({ effect });
  const { id } = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: "{{ range(1001, 1300) }}", concurrencyLimit: 9,
  tasks: [{id: e, type: EFFECT, name: "{{ item.value }}"}]}]`,
    900,
  );
  assertEquals(linesOf(await app.execution(id)), "FAILED: l FAILED");
  bad.clear();
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app, 900);
  const execution = await app.execution(id);
  assertEquals([linesOf(execution), outputsOf(execution, "l").terminatedIterations], [
    "SUCCESS: l SUCCESS",
    { SUCCESS: 300 },
  ]);
  assertEquals([seen.length, new Set(seen).size], [301, 300]);
});

Deno.test("Loop: a kill while passes run again ends them, and the next restart goes on once more", async () => {
  let calls = 0;
  const effect: Effect = async (properties, context) => {
    if (++calls <= 3) return { state: properties.name === "a" ? "SUCCESS" : "FAILED" };
    return calls <= 5 ? await waits(properties, context) : { state: "SUCCESS" };
  };
  await using app = await Harness.start({ effect });
  const { id } = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: [a, b, c], concurrencyLimit: 3, tasks: [{id: e, type: EFFECT, name: "{{ item.value }}"}]}]`,
  );
  assertEquals(linesOf(await app.execution(id)), "FAILED: l FAILED");
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app);
  await app.request("DELETE", `/executions/${id}/kill`);
  await untilQuiet(app);
  assertEquals(linesOf(await app.execution(id)), "KILLED: l KILLED");
  assertEquals((await passesOf(app)).map(({ state }) => state.current), ["SUCCESS", "KILLED", "KILLED"]);
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app);
  assertEquals(linesOf(await app.execution(id)), "SUCCESS: l SUCCESS");
  assertEquals((await passesOf(app)).map(({ taskRunList }) => taskRunList[0]?.attempts?.length), [1, 3, 3]);
});

Deno.test("Loop: a pass that runs again waits for a person, who ends a hold of the whole before", async () => {
  const bad = new Set(["b"]);
  const { effect } = failing(bad);
  await using app = await Harness.start({ effect });
  const { id } = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: [a, b, c], tasks: [{id: e, type: EFFECT, name: "{{ item.value }}"},
  {id: p, type: $.flow.Pause, runIf: "{{ item.value == 'b' }}"}]}]`,
  );
  bad.clear();
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app);
  await app.json("POST", `/executions/${id}/pause`);
  const [, second] = await passesOf(app);
  assertEquals(second?.state.current, "PAUSED");
  await app.json("POST", `/executions/${second?.id}/resume`);
  await untilQuiet(app);
  assertEquals([linesOf(await app.execution(id)), (await passesOf(app)).length], ["PAUSED: l RUNNING", 2]);
  await app.json("POST", `/executions/${id}/resume`);
  await untilQuiet(app);
  assertEquals([linesOf(await app.execution(id)), (await passesOf(app)).length], ["SUCCESS: l SUCCESS", 3]);
});

for (const outputs of ["", 'outputs: [{id: o, value: "{{ item.value }}"}],']) {
  Deno.test(`POST /executions/{id}/replay from the finally of a Loop runs it alone ${outputs}`, async () => {
    await using app = await Harness.start();
    const execution = await run(
      app,
      `tasks: [{id: l, type: $.flow.Loop, values: [a, b], ${outputs} tasks: [{id: v, type: $.debug.Return, format: x}], finally: [{id: f, type: $.debug.Return, format: y}]}]`,
    );
    const from = execution.taskRunList[1]?.id;
    const replayed = await app.json(
      "POST",
      `/executions/${execution.id}/replay?taskRunId=${from}`,
    ) as JsonObject;
    await untilQuiet(app);
    assertEquals(linesOf(await app.execution(replayed.id)), "SUCCESS: l SUCCESS, f SUCCESS");
    assertEquals((await passesOf(app)).length, 2);
  });
}

Deno.test("Loop: breakWhen sees the outputs of the execution that replaced a RETRIED pass", async () => {
  let calls = 0;
  const effect: Effect = () => ({ state: ++calls === 1 ? "FAILED" : "SUCCESS", outputs: { call: calls } });
  await using app = await Harness.start({ effect });
  const { id } = await run(
    app,
    `tasks: [{id: l, type: $.flow.Loop, values: [a, b], breakWhen: "{{ outputs.e.call == 2 }}", tasks: [
  {id: e, type: EFFECT, retry: {type: constant, interval: PT1S, maxAttempt: 2, behavior: CREATE_NEW_EXECUTION}}]}]`,
  );
  await app.advance(2_000);
  await untilQuiet(app);
  const execution = await app.execution(id);
  assertEquals([linesOf(execution), calls], ["SUCCESS: l SUCCESS", 2]);
});

Deno.test("Loop: a restart kills the passes of a loop in afterExecution", async () => {
  await using app = await Harness.start({ effect: waits });
  const { id } = await run(
    app,
    `tasks: [{id: f, type: $.execution.Fail}]
afterExecution: [{id: l, type: $.flow.Loop, values: [a], tasks: [{id: e, type: EFFECT}]}]`,
  );
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app);
  assertEquals((await passesOf(app)).map(({ state }) => state.current).sort(), ["KILLED", "RUNNING"]);
});

const WITH_VARIABLES = `variables: {city: Oslo}
tasks:
  - {id: set, type: $.execution.SetVariables, variables: {city: Bergen}}
  - {id: l, type: $.flow.Loop, values: [a], tasks: [
      {id: own, type: $.execution.SetVariables, variables: {own: 1}, overwrite: false},
      {id: e, type: EFFECT, name: "{{ vars.city }}", retry: {type: constant, interval: PT1S, maxAttempt: 2, behavior: CREATE_NEW_EXECUTION}}]}`;

Deno.test("Loop: a pass that is retried or replayed begins with the variables of the execution of its loop", async () => {
  const cities: unknown[] = [];
  const effect: Effect = ({ name }) => ({ state: cities.push(name) === 1 ? "FAILED" : "SUCCESS" });
  await using app = await Harness.start({ effect });
  const { id } = await run(app, WITH_VARIABLES);
  await app.advance(2_000);
  await untilQuiet(app);
  assertEquals(linesOf(await app.execution(id)), "SUCCESS: set SUCCESS, l SUCCESS");
  const [, pass] = await passesOf(app);
  const replayed = await app.json("POST", `/executions/${pass?.id}/replay`) as JsonObject;
  await untilQuiet(app);
  const again = await app.execution(replayed.id);
  assertEquals(linesOf(again), "SUCCESS: own SUCCESS, e SUCCESS");
  assertEquals(again.variables, { city: "Bergen", own: 1 });
  assertEquals(cities, ["Bergen", "Bergen", "Bergen"]);
});

Deno.test("Loop: a pass that is replayed from a task keeps its variables", async () => {
  const cities: unknown[] = [];
  const effect: Effect = ({ name }) => ({ state: cities.push(name) > 0 ? "SUCCESS" : "FAILED" });
  await using app = await Harness.start({ effect });
  await run(app, WITH_VARIABLES);
  const [pass] = await passesOf(app);
  const taskRunId = pass?.taskRunList.at(-1)?.id;
  const replayed = await app.json(
    "POST",
    `/executions/${pass?.id}/replay?taskRunId=${taskRunId}`,
  ) as JsonObject;
  await untilQuiet(app);
  assertEquals((await app.execution(replayed.id)).variables, { city: "Bergen", own: 1 });
  assertEquals(cities, ["Bergen", "Bergen"]);
});
