/** Executions that take part in one commit: children that run with their parent, a queue that moves on many at a time. */
import { assertEquals } from "@std/assert";
import { settle } from "../../support/fakes/fake_clock.ts";
import { type Fault, FaultyStore } from "../../support/fakes/faulty_store.ts";
import { randomText } from "../../support/random_text.ts";
import {
  EFFECT_TYPE,
  type ExecutionResponse,
  Harness,
  type HarnessOptions,
  statesOf,
} from "../../support/harness.ts";

const CORE = "io.kestra.plugin.core";
const RETURN = `{id: r, type: ${CORE}.debug.Return, format: done}`;

function flow(id: string, tasks: string, more = ""): string {
  return `id: ${id}\nnamespace: demo\n${more}\ntasks:\n  - ${tasks}\n`;
}

function subflow(flowId: string, more = ""): string {
  return `{id: s, type: ${CORE}.flow.Subflow, namespace: demo, flowId: ${flowId}${more}}`;
}

/** `link-n` waits for `link-(n-1)`. */
async function saveChain(app: Harness, last: string, length = 5): Promise<void> {
  await app.save(flow("link-0", last));
  for (let n = 1; n <= length; n++) await app.save(flow(`link-${n}`, subflow(`link-${n - 1}`)));
}

async function all(app: Harness): Promise<readonly ExecutionResponse[]> {
  return (await app.page<ExecutionResponse>("/executions/search?size=500")).results;
}

async function statesOfAll(app: Harness): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state: { current } } of await all(app)) counts[current] = (counts[current] ?? 0) + 1;
  return counts;
}

/** A harness whose database does what `fault` says at the moment. */
async function faulty(options: HarnessOptions = {}): Promise<{ app: Harness; disk: { fault: Fault } }> {
  const disk: { fault: Fault } = { fault: "none" };
  const wrap: HarnessOptions["wrap"] = (store) => new FaultyStore(store, () => disk.fault);
  return { app: await Harness.start({ ...options, wrap }), disk };
}

Deno.test("a chain of pure subflows is one commit from start to end", async () => {
  await using app = await Harness.start();
  await saveChain(app, RETURN);
  await app.start("link-5"); // The first one reads the flows.
  await settle();
  const before = app.assembly.committer.stats.groups;
  const { id } = await app.start("link-5");
  await settle();
  assertEquals(app.assembly.committer.stats.groups - before, 1);
  assertEquals(await statesOfAll(app), { SUCCESS: 12 });
  const execution = await app.execution(id);
  assertEquals(statesOf(execution), "CREATED RUNNING SUCCESS");
  assertEquals(execution.taskRunList[0]?.outputs.state, "SUCCESS");
});

Deno.test("a child with a side effect, and its ancestors, are durable before the effect starts", async () => {
  const seen: Record<string, number>[] = [];
  await using app = await Harness.start({
    effect: async () => {
      seen.push(await statesOfAll(app));
      return { state: "SUCCESS", outputs: {} };
    },
  });
  await saveChain(app, `{id: e, type: ${EFFECT_TYPE}}`);
  await app.start("link-5");
  await settle();
  assertEquals(seen, [{ RUNNING: 6 }]);
  assertEquals(await statesOfAll(app), { SUCCESS: 6 });
});

for (const fault of ["full", "fail_after", "delay"] as const) {
  Deno.test(`a chain started by a timer continues once the database accepts writes again (${fault})`, async () => {
    const { app, disk } = await faulty();
    await saveChain(app, RETURN);
    await app.save(flow("later", subflow("link-5", ", scheduleDate: '2031-01-01T00:00:00Z'")));
    await app.save(
      flow("wait", `{id: p, type: ${CORE}.flow.Sleep, duration: PT1S}\n  - ${subflow("link-5")}`),
    );
    await app.start("wait");
    await app.start("later");
    disk.fault = fault;
    await app.advance(3_000);
    disk.fault = "none";
    await app.advance(10_000);
    assertEquals(await statesOfAll(app), { SUCCESS: 7, CREATED: 1, RUNNING: 1 });
    await app[Symbol.asyncDispose]();
  });
}

Deno.test("a refused start leaves no children and takes no slot", async () => {
  const { app, disk } = await faulty();
  await app.save(flow("limited", RETURN, "concurrency: {limit: 1, behavior: FAIL}"));
  await app.save(flow("parent", subflow("limited")));
  disk.fault = "full";
  const response = await app.request("POST", "/executions/demo/parent");
  assertEquals(response.status, 507);
  await response.body?.cancel();
  disk.fault = "none";
  await app.advance(5_000);
  assertEquals(await statesOfAll(app), {});
  await app.start("parent");
  await settle();
  assertEquals(await statesOfAll(app), { SUCCESS: 2 });
  await app[Symbol.asyncDispose]();
});

Deno.test("sequential subflows share the slot of a flow with a limit of one", async () => {
  await using app = await Harness.start();
  await app.save(flow("limited", RETURN, "concurrency: {limit: 1, behavior: FAIL}"));
  const tasks = [1, 2, 3].map((n) =>
    `{id: s${n}, type: ${CORE}.flow.Subflow, namespace: demo, flowId: limited}`
  );
  const { state } = await app.run(flow("parent", tasks.join("\n  - ")));
  assertEquals(state.current, "SUCCESS");
});

/** A flow with one slot, held by a paused execution, for which others wait; gives the id of the paused one. */
async function queueUp(app: Harness, waiting: number): Promise<string> {
  const pause = `{id: p, type: ${CORE}.flow.Pause, runIf: "{{ inputs.hold }}"}`;
  const inputs = "inputs: [{id: hold, type: BOOL, defaults: false}]";
  await app.save(flow("limited", `${pause}\n  - ${RETURN}`, `${inputs}\nconcurrency: {limit: 1}`));
  const { id } = await app.start("limited", { hold: "true" });
  await settle();
  for (let n = 0; n < waiting; n++) {
    await app.start("limited");
    await app.advance(1);
  }
  return String(id);
}

Deno.test("a queue of pure executions runs many in one commit, in order", async () => {
  await using app = await Harness.start();
  const holder = await queueUp(app, 60);
  assertEquals(await statesOfAll(app), { PAUSED: 1, QUEUED: 60 });
  const before = app.assembly.committer.stats.groups;
  await app.json("POST", `/executions/${holder}/resume`);
  await settle();
  assertEquals(await statesOfAll(app), { SUCCESS: 61 });
  assertEquals(app.assembly.committer.stats.groups - before < 20, true);
  const waited = (await all(app)).filter(({ id }) => id !== holder);
  for (const each of waited) assertEquals(statesOf(each), "CREATED QUEUED RUNNING SUCCESS");
});

Deno.test("a queue continues after a crash, and once the database accepts writes again", async () => {
  const { app: first, disk } = await faulty();
  const holder = await queueUp(first, 40);
  disk.fault = "full";
  const refused = await first.request("POST", `/executions/${holder}/resume`);
  await refused.body?.cancel();
  assertEquals(refused.status, 507);
  await using app = await first.crash({});
  await settle();
  assertEquals(await statesOfAll(app), { PAUSED: 1, QUEUED: 40 });
  await app.json("POST", `/executions/${holder}/resume`);
  await settle();
  assertEquals(await statesOfAll(app), { SUCCESS: 41 });
});

Deno.test("a successor whose slot is not durable is queued again when the former holder is deleted", async () => {
  const { app, disk } = await faulty();
  const holder = await queueUp(app, 3);
  disk.fault = "full";
  for (const path of [`/executions/${holder}/resume`, `/executions/${holder}`]) {
    const method = path.endsWith("resume") ? "POST" : "DELETE";
    const response = await app.request(method, path);
    await response.body?.cancel();
    assertEquals(response.status, 507);
  }
  disk.fault = "none";
  await app.advance(5_000);
  assertEquals(await statesOfAll(app), { PAUSED: 1, QUEUED: 3 });
  await app.json("DELETE", `/executions/${holder}`);
  await settle();
  assertEquals(await statesOfAll(app), { SUCCESS: 3 });
  await app[Symbol.asyncDispose]();
});

Deno.test("a successor whose slot is not durable can be killed when the former holder is deleted", async () => {
  const { app, disk } = await faulty();
  const holder = await queueUp(app, 3);
  const ids = (await all(app)).filter(({ state }) => state.current === "QUEUED").map(({ id }) => id).sort();
  disk.fault = "full";
  const [method, path] = ["DELETE", `/executions/${ids[0]}/kill`];
  for (
    const request of [["POST", `/executions/${holder}/resume`], [method, path], [
      "DELETE",
      `/executions/${holder}`,
    ]]
  ) {
    const response = await app.request(request[0] ?? "", request[1] ?? "");
    await response.body?.cancel();
    assertEquals(response.status, 507);
  }
  disk.fault = "none";
  await app.advance(5_000);
  assertEquals(await statesOfAll(app), { PAUSED: 1, QUEUED: 3 });
  await app.json(method, path);
  await app.json("DELETE", `/executions/${holder}`);
  await settle();
  assertEquals(await statesOfAll(app), { KILLED: 1, SUCCESS: 2 });
  await app[Symbol.asyncDispose]();
});

Deno.test("a queue of executions with large inputs stays within the commit size", async () => {
  await using app = await Harness.start();
  const inputs =
    "inputs: [{id: hold, type: BOOL, defaults: false}, {id: text, type: STRING, defaults: none}]";
  const pause = `{id: p, type: ${CORE}.flow.Pause, runIf: "{{ inputs.hold }}"}`;
  await app.save(flow("limited", `${pause}\n  - ${RETURN}`, `${inputs}\nconcurrency: {limit: 1}`));
  const { id } = await app.start("limited", { hold: "true" });
  await settle();
  for (let n = 0; n < 300; n++) await app.start("limited", { text: "x".repeat(7_400) });
  await app.json("POST", `/executions/${id}/resume`);
  await app.advance(5_000);
  assertEquals(await statesOfAll(app), { SUCCESS: 301 });
});

Deno.test("a deep chain with large inputs stays within the commit size", async () => {
  await using app = await Harness.start();
  const inputs = "inputs: [{id: left, type: INT, defaults: 0}, {id: text, type: STRING, defaults: none}]";
  const given =
    `inputs: {left: "{{ inputs.left - 1 }}", text: "{{ inputs.text }}"}, runIf: "{{ inputs.left > 0 }}"`;
  for (const [id, other] of [["ping", "pong"], ["pong", "ping"]] as const) {
    await app.save(flow(id, subflow(other, `, ${given}`), inputs));
  }
  await app.start("ping", { left: "2" }); // The first one reads the flows.
  await settle();
  await app.start("ping", { left: "150", text: "x".repeat(7_400) });
  await app.advance(5_000);
  assertEquals(await statesOfAll(app), { SUCCESS: 154 });
});

Deno.test("subflows of a parallel loop with large inputs stay within the commit size", async () => {
  await using app = await Harness.start();
  await app.save(flow("child", RETURN, "inputs: [{id: text, type: STRING}]"));
  await app.save(flow(
    "many",
    `{id: all, type: ${CORE}.flow.ForEach, concurrencyLimit: 0, values: "{{ range(1, 60) }}", tasks: [${
      subflow("child", `, inputs: {text: "${randomText(20_000)}"}`)
    }]}`,
  ));
  await app.start("many");
  await app.advance(5_000);
  assertEquals(await statesOfAll(app), { SUCCESS: 61 });
});
