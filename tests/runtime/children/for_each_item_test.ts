import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { type Effect, type ExecutionResponse, Harness } from "../../support/harness.ts";
import { randomText } from "../../support/random_text.ts";
import { yaml } from "../../support/flows/request_bodies.ts";

/** A flow that each batch starts: it calls the effect, and gives what it was started with. */
const CHILD = `id: child
namespace: demo
inputs:
  - {id: items, type: STRING}
  - {id: order, type: INT}
tasks:
  - {id: e, type: io.svc.plugin.harness.Effect, name: "{{ inputs.order }}"}
outputs:
  - {id: got, type: STRING, value: "{{ inputs.order }}:{{ read(inputs.items) | trim }}"}
`;

function parent(
  members = "batch: {rows: 2}",
  content = "1\\n2\\n3\\n4\\n5\\n",
  after = "",
): string {
  return `id: parent
namespace: demo
labels: {team: a}
tasks:
  - {id: w, type: io.kestra.plugin.core.storage.Write, content: "${content}", extension: .txt}
  - id: each
    type: io.kestra.plugin.core.flow.ForEachItem
    items: "{{ outputs.w.uri }}"
    namespace: demo
    flowId: child
    inputs: {items: "{{ taskrun.items }}", order: "{{ taskrun.iteration }}"}
    ${members.replaceAll("\n", "\n    ")}
${after}`;
}

const MERGED =
  `  - {id: v, type: io.kestra.plugin.core.debug.Return, format: "{{ read(outputs.each_merge.subflowOutputs) }}"}
`;

/** Lets everything happen that needs no time. */
async function untilQuiet(app: Harness, turns = 60): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await settle();
  await app.advance(0);
}

async function run(app: Harness, source: string): Promise<ExecutionResponse> {
  await app.save(CHILD);
  await app.save(source);
  const { id } = await app.start("parent");
  await untilQuiet(app);
  return await app.execution(id);
}

async function childrenOf(app: Harness): Promise<ExecutionResponse[]> {
  const { results } = await app.json(
    "GET",
    "/executions?namespace=demo&flowId=child&size=1000",
  ) as unknown as {
    results: { id: string }[];
  };
  return await Promise.all(results.map(({ id }) => app.execution(id)));
}

function outputsOf({ taskRunList }: ExecutionResponse, taskId: string): JsonObject {
  return (taskRunList.find((each) => each.taskId === taskId)?.outputs ?? {}) as JsonObject;
}

function linesOf({ taskRunList, state }: ExecutionResponse): string {
  return `${state.current}: ${
    taskRunList.map(({ taskId, state }) => `${taskId} ${state.current}`).join(", ")
  }`;
}

/** What a ForEachItem makes of its batches. */
const RUNS: readonly {
  readonly name: string;
  readonly members: string;
  readonly content?: string;
  readonly effect?: Effect;
  readonly line: string;
  readonly items: JsonObject;
}[] = [
  {
    name: "an execution for each batch of rows",
    members: "batch: {rows: 2}",
    line: "SUCCESS: w SUCCESS, each SUCCESS, each_split SUCCESS, each_items SUCCESS, each_merge SUCCESS",
    items: { numberOfBatches: 3, iterations: { CREATED: 0, RUNNING: 0, SUCCESS: 3 } },
  },
  {
    name: "one row each without a batch",
    members: "",
    line: "SUCCESS: w SUCCESS, each SUCCESS, each_split SUCCESS, each_items SUCCESS, each_merge SUCCESS",
    items: { numberOfBatches: 5, iterations: { CREATED: 0, RUNNING: 0, SUCCESS: 5 } },
  },
  {
    name: "batches by partitions",
    members: "batch: {partitions: 2}",
    line: "SUCCESS: w SUCCESS, each SUCCESS, each_split SUCCESS, each_items SUCCESS, each_merge SUCCESS",
    items: { numberOfBatches: 2, iterations: { CREATED: 0, RUNNING: 0, SUCCESS: 2 } },
  },
  {
    name: "an empty file has no batch",
    members: "",
    content: "",
    line: "SUCCESS: w SUCCESS, each SUCCESS, each_split SUCCESS, each_items SUCCESS, each_merge SUCCESS",
    items: {},
  },
  {
    name: "a failure is transmitted, and errors run",
    members: "batch: {rows: 2}\nerrors: [{id: oops, type: io.kestra.plugin.core.debug.Return, format: oops}]",
    effect: ({ name }) => ({ state: name === "1" ? "FAILED" : "SUCCESS" }),
    line: "FAILED: w SUCCESS, each FAILED, each_split SUCCESS, each_items FAILED, oops SUCCESS",
    items: { numberOfBatches: 3, iterations: { CREATED: 0, RUNNING: 0, SUCCESS: 2, FAILED: 1 } },
  },
  {
    name: "a failure is not transmitted",
    members: "batch: {rows: 2}\ntransmitFailed: false",
    effect: ({ name }) => ({ state: name === "1" ? "FAILED" : "SUCCESS" }),
    line: "SUCCESS: w SUCCESS, each SUCCESS, each_split SUCCESS, each_items SUCCESS, each_merge SUCCESS",
    items: { numberOfBatches: 3, iterations: { CREATED: 0, RUNNING: 0, SUCCESS: 2, FAILED: 1 } },
  },
  {
    name: "a warning is transmitted",
    members: "batch: {rows: 2}",
    effect: ({ name }) => ({ state: name === "1" ? "WARNING" : "SUCCESS" }),
    line: "WARNING: w SUCCESS, each WARNING, each_split SUCCESS, each_items WARNING, each_merge SUCCESS",
    items: { numberOfBatches: 3, iterations: { CREATED: 0, RUNNING: 0, SUCCESS: 2, WARNING: 1 } },
  },
  {
    name: "nobody waits",
    members: "batch: {rows: 2}\nwait: false",
    effect: () => ({ state: "FAILED" }),
    line: "SUCCESS: w SUCCESS, each SUCCESS, each_split SUCCESS, each_items SUCCESS, each_merge SUCCESS",
    items: { numberOfBatches: 3, iterations: { RUNNING: 0, SUCCESS: 3 } },
  },
  {
    name: "a flow that does not exist",
    members: "batch: {rows: 2}\nrevision: 7",
    line: "FAILED: w SUCCESS, each FAILED, each_split SUCCESS, each_items FAILED",
    items: {},
  },
  {
    name: "a retry has executions of its own",
    members: "batch: {rows: 5}\nretry: {type: constant, interval: PT0.001S, maxAttempts: 2}",
    effect: failsOnce(),
    line: "SUCCESS: w SUCCESS, each SUCCESS, each_split SUCCESS, each_items SUCCESS, each_merge SUCCESS",
    items: { numberOfBatches: 1, iterations: { CREATED: 0, RUNNING: 0, SUCCESS: 1 } },
  },
];

function failsOnce(): Effect {
  let calls = 0;
  return () => ({ state: calls++ === 0 ? "FAILED" : "SUCCESS" });
}

for (const { name, members, content, effect, line, items } of RUNS) {
  Deno.test(`ForEachItem: ${name}`, async () => {
    await using app = await Harness.start({ effect });
    const first = await run(app, parent(members, content));
    await app.advance(1_000);
    const execution = await app.execution(first.id);
    assertEquals(linesOf(execution), line);
    assertEquals(outputsOf(execution, "each_items"), items);
  });
}

Deno.test("ForEachItem: items that are no storage URI fail it with their first characters", async () => {
  await using app = await Harness.start();
  const items = `abc${"d".repeat(500)}`;
  const execution = await run(app, parent().replace("{{ outputs.w.uri }}", items));
  assertEquals(linesOf(execution), "FAILED: w SUCCESS, each FAILED, each_split FAILED");
  const lines = await app.json("GET", `/logs/${execution.id}?minLevel=ERROR`) as unknown as JsonObject[];
  const shown = items.slice(0, 200);
  assertEquals(
    lines[0]?.message,
    `Unable to split the items from ${shown}, this is not an internal storage URI!`,
  );
});

Deno.test("ForEachItem: outputs of the executions in order of the batches", async () => {
  await using app = await Harness.start();
  const execution = await run(app, parent("batch: {rows: 2}", undefined, MERGED));
  assertEquals(outputsOf(execution, "v").value, '{"got":"0:1\\n2"}\n{"got":"1:3\\n4"}\n{"got":"2:5"}\n');
});

Deno.test("ForEachItem: labels, lineage and trigger of the executions", async () => {
  await using app = await Harness.start();
  const { id } = await run(app, parent("batch: {rows: 5}\ninheritLabels: true\nlabels: {part: x}"));
  const [child] = await childrenOf(app);
  const labels = (child?.labels as { key: string; value: string }[]).map(({ key, value }) =>
    `${key}=${value}`
  );
  assertEquals(labels.sort(), ["part=x", `system.correlationId=${id}`, "team=a"]);
  const trigger = child?.trigger as { id: string; variables: JsonObject };
  assertEquals([trigger.id, trigger.variables.executionId], ["each_items", id]);
});

/** An effect that ends when it is interrupted. */
const waits: Effect = (_properties, { signal }) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve({ state: "KILLED" })));

Deno.test("ForEachItem: a kill reaches every execution", async () => {
  await using app = await Harness.start({ effect: waits });
  const lines = Array.from({ length: 230 }, (_, index) => index).join("\\n");
  const { id } = await run(app, parent("", lines));
  await untilQuiet(app, 100);
  await app.request("DELETE", `/executions/${id}/kill`);
  await untilQuiet(app, 200);
  assertEquals((await app.execution(id)).state.current, "KILLED");
  const children = await childrenOf(app);
  assertEquals([children.length, new Set(children.map(({ state }) => state.current))], [
    230,
    new Set(["KILLED"]),
  ]);
});

Deno.test("ForEachItem: a child that is restarted while others run is counted once", async () => {
  const blocked = Promise.withResolvers<void>();
  let isFirst = true;
  const effect: Effect = async ({ name }) => {
    if (name === "1") await blocked.promise;
    if (name !== "0" || !isFirst) return { state: "SUCCESS" };
    isFirst = false;
    return { state: "FAILED" };
  };
  await using app = await Harness.start({ effect });
  const { id } = await run(app, parent("batch: {rows: 3}"));
  const failed = (await childrenOf(app)).find(({ state }) => state.current === "FAILED");
  await app.json("POST", `/executions/${failed?.id}/restart`);
  await untilQuiet(app);
  assertEquals((await app.execution(id)).state.current, "RUNNING");
  blocked.resolve();
  await untilQuiet(app);
  const execution = await app.execution(id);
  assertEquals([execution.state.current, outputsOf(execution, "each_items").iterations as JsonObject], [
    "SUCCESS",
    { CREATED: 0, RUNNING: 0, FAILED: 0, SUCCESS: 2 },
  ]);
});

const ALL_WELL =
  "SUCCESS: w SUCCESS, each SUCCESS, each_split SUCCESS, each_items SUCCESS, each_merge SUCCESS";

async function restart(app: Harness, id: string, turns?: number): Promise<ExecutionResponse> {
  await app.json("POST", `/executions/${id}/restart`);
  await untilQuiet(app, turns);
  return await app.execution(id);
}

function attemptsOf(children: readonly ExecutionResponse[]): (number | undefined)[] {
  return children.map(({ taskRunList }) => taskRunList[0]?.attempts?.length).sort();
}

/** What a restart does with the executions of three batches, the second of which has failed. */
const RESTARTS: readonly {
  readonly name: string;
  readonly members: string;
  readonly iterations: JsonObject;
  readonly attempts: number[];
}[] = [
  {
    name: "runs failed executions again, and keeps the others",
    members: "",
    iterations: { SUCCESS: 3, FAILED: 0 },
    attempts: [1, 1, 2],
  },
  {
    name: "runs them again with RETRY_FAILED too",
    members: "restartBehavior: RETRY_FAILED",
    iterations: { SUCCESS: 3, FAILED: 0 },
    attempts: [1, 1, 2],
  },
  {
    name: "starts new executions with NEW_EXECUTION",
    members: "restartBehavior: NEW_EXECUTION",
    iterations: { SUCCESS: 3 },
    attempts: [1, 1, 1, 1, 1, 1],
  },
];

for (const { name, members, iterations, attempts } of RESTARTS) {
  Deno.test(`ForEachItem: a restart ${name}`, async () => {
    await using app = await Harness.start({ effect: failsOnce() });
    const { id } = await run(app, parent(`batch: {rows: 2}\n${members}`, undefined, MERGED));
    const execution = await restart(app, id);
    assertEquals(linesOf(execution), `${ALL_WELL}, v SUCCESS`);
    assertEquals(
      outputsOf(execution, "v").value,
      '{"got":"0:1\\n2"}\n{"got":"1:3\\n4"}\n{"got":"2:5"}\n',
    );
    assertEquals(outputsOf(execution, "each_items"), {
      numberOfBatches: 3,
      iterations: { CREATED: 0, RUNNING: 0, ...iterations },
    });
    assertEquals(attemptsOf(await childrenOf(app)), attempts);
  });
}

Deno.test("ForEachItem: an execution that a restart runs again counts as running, not by its former end", async () => {
  const blocked = Promise.withResolvers<void>();
  const calls = new Map<unknown, number>();
  const effect: Effect = async ({ name }) => {
    const call = (calls.get(name) ?? 0) + 1;
    calls.set(name, call);
    if (name !== "1") return { state: "SUCCESS" };
    if (call > 1) await blocked.promise;
    return { state: call > 1 ? "SUCCESS" : "FAILED" };
  };
  await using app = await Harness.start({ effect });
  const { id } = await run(app, parent());
  const countsOf = (execution: ExecutionResponse) =>
    outputsOf(execution, "each_items").iterations as JsonObject;
  assertEquals(countsOf(await app.execution(id)), { CREATED: 0, RUNNING: 0, SUCCESS: 2, FAILED: 1 });
  assertEquals(countsOf(await restart(app, id)), { CREATED: 0, RUNNING: 1, SUCCESS: 2, FAILED: 0 });
  blocked.resolve();
  await untilQuiet(app);
  assertEquals(countsOf(await app.execution(id)), { CREATED: 0, RUNNING: 0, SUCCESS: 3, FAILED: 0 });
});

const LINES = Array.from({ length: 120 }, (_, index) => index).join("\\n");

Deno.test("ForEachItem: of more failed executions than one commit runs again a restart forgets none, also over a crash", async () => {
  let isBroken = true;
  const effect: Effect = ({ name }) => ({ state: isBroken && Number(name) < 110 ? "FAILED" : "SUCCESS" });
  const first = await Harness.start({ effect });
  const { id } = await run(first, parent("", LINES));
  await untilQuiet(first, 200);
  assertEquals((await first.execution(id)).state.current, "FAILED");
  isBroken = false;
  await first.json("POST", `/executions/${id}/restart`);
  await settle();
  await using app = await first.crash();
  await untilQuiet(app, 400);
  assertEquals(linesOf(await app.execution(id)), ALL_WELL);
  const children = await childrenOf(app);
  assertEquals([children.length, new Set(children.map(({ state }) => state.current))], [
    120,
    new Set(["SUCCESS"]),
  ]);
});

Deno.test("ForEachItem: a restart goes on with the batches that had not begun", async () => {
  await using app = await Harness.start();
  const order =
    "{{ taskrun.iteration < 50 or labels.system.restarted is defined ? taskrun.iteration : nothing }}";
  const source = parent("", LINES).replace("{{ taskrun.iteration }}", order);
  const { id } = await run(app, source);
  await untilQuiet(app, 100);
  assertEquals((await app.execution(id)).state.current, "FAILED");
  assertEquals((await childrenOf(app)).length, 50);
  assertEquals(linesOf(await restart(app, id, 200)), ALL_WELL);
  const children = await childrenOf(app);
  const orders = new Set(children.map(({ inputs }) => (inputs as JsonObject).order));
  assertEquals([children.length, orders.size], [120, 120]);
});

Deno.test("ForEachItem: a restart after a kill runs what was killed", async () => {
  let isWaiting = true;
  const effect: Effect = (properties, context) =>
    isWaiting ? waits(properties, context) : { state: "SUCCESS" };
  await using app = await Harness.start({ effect });
  const { id } = await run(app, parent("batch: {rows: 2}"));
  await app.request("DELETE", `/executions/${id}/kill`);
  await untilQuiet(app);
  isWaiting = false;
  assertEquals(linesOf(await restart(app, id)), ALL_WELL);
  assertEquals(attemptsOf(await childrenOf(app)), [2, 2, 2]);
});

Deno.test("ForEachItem: where an execution is gone a restart starts all of them anew", async () => {
  await using app = await Harness.start({ effect: failsOnce() });
  const { id } = await run(app, parent("batch: {rows: 2}"));
  const [gone] = await childrenOf(app);
  await app.request("DELETE", `/executions/${gone?.id}`);
  assertEquals(linesOf(await restart(app, id)), ALL_WELL);
  assertEquals((await childrenOf(app)).length, 5);
});

Deno.test("ForEachItem: a restart runs an execution again that was refused before its first task", async () => {
  let isBusy = true;
  const effect: Effect = (properties, context) => isBusy ? waits(properties, context) : { state: "SUCCESS" };
  await using app = await Harness.start({ effect });
  await app.save(`${CHILD}concurrency: {limit: 1, behavior: FAIL}\n`);
  await app.save(parent("batch: {rows: 5}"));
  const { id: other } = await app.start("child", { items: "x", order: "7" });
  await untilQuiet(app);
  const id = String((await app.start("parent")).id);
  await untilQuiet(app);
  assertEquals((await app.execution(id)).state.current, "FAILED");
  await app.request("DELETE", `/executions/${other}/kill`);
  await untilQuiet(app);
  isBusy = false;
  assertEquals(linesOf(await restart(app, id)), ALL_WELL);
  assertEquals((await childrenOf(app)).length, 2);
});

Deno.test("ForEachItem: a replay from the last part gathers the outputs of the first execution", async () => {
  await using app = await Harness.start();
  const first = await run(app, parent("batch: {rows: 5}", undefined, MERGED));
  const merge = first.taskRunList.find(({ taskId }) => taskId === "each_merge");
  const { id } = await app.json(
    "POST",
    `/executions/${first.id}/replay?taskRunId=${merge?.id}`,
  ) as JsonObject;
  await untilQuiet(app);
  const replayed = await app.execution(id);
  assertEquals([replayed.state.current, outputsOf(replayed, "v").value], [
    "SUCCESS",
    '{"got":"0:1\\n2\\n3\\n4\\n5"}\n',
  ]);
});

Deno.test("ForEachItem: a task with the id of one of its parts is refused", async () => {
  await using app = await Harness.start();
  const after = "  - {id: each_items, type: io.kestra.plugin.core.debug.Return, format: x}\n";
  const response = await app.request("POST", "/flows", yaml(parent("", undefined, after)));
  assertEquals([
    response.status,
    (await response.text()).includes("Duplicate task id with name [each_items]"),
  ], [422, true]);
});

/** Turns of the event loop after which the server is gone: from before the split to behind the last end. */
const CRASHES = [0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22];

for (const turns of CRASHES) {
  Deno.test(`ForEachItem: a crash after ${turns} turns neither loses nor doubles an execution`, async () => {
    const app = await Harness.start();
    await app.save(CHILD);
    await app.save(parent("", Array.from({ length: 120 }, (_, index) => index).join("\\n"), MERGED));
    const { id } = await app.start("parent");
    for (let turn = 0; turn < turns; turn++) await settle();
    await using later = await app.crash();
    await untilQuiet(later, 200);
    const execution = await later.execution(id);
    assertEquals(execution.state.current, "SUCCESS");
    assertEquals(outputsOf(execution, "each_items").iterations as JsonObject, {
      CREATED: 0,
      RUNNING: 0,
      SUCCESS: 120,
    });
    assertEquals(String(outputsOf(execution, "v").value).split("\n").length, 121);
    const children = await childrenOf(later);
    assertEquals(children.length, 120);
    assert(children.every(({ state }) => state.current === "SUCCESS"));
  });
}

Deno.test("ForEachItem: executions with large inputs begin in commits of bounded size", async () => {
  await using app = await Harness.start();
  const text = `inputs: {items: "{{ taskrun.items }}", order: "{{ taskrun.iteration }}", text: "${
    randomText(30_000)
  }"}`;
  await app.save(CHILD.replace("tasks:", "  - {id: text, type: STRING}\ntasks:"));
  await app.save(parent("batch: {rows: 1}", "1\\n".repeat(40)).replace(/inputs: .*/, text));
  const { id } = await app.start("parent");
  await untilQuiet(app, 300);
  const { state } = await app.execution(id);
  assertEquals([state.current, (await childrenOf(app)).length], ["SUCCESS", 40]);
});
