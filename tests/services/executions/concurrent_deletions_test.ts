/** Deletions of an execution and of its log lines at the same time, and reads of an execution while it is deleted. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Logger } from "../../../src/base/log.ts";
import { EXECUTION_REMOVALS } from "../../../src/store/keys.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { GatedStore, restartGated } from "../../support/fakes/gated_store.ts";
import type { MemoryStore } from "../../support/fakes/memory_store.ts";
import { flowSource, sleeps } from "../../support/flows/flow_sources.ts";
import { type ExecutionResponse, Harness, type HarnessOptions, statesOf } from "../../support/harness.ts";

const HOUR = 3_600_000;
/** The second part of the keys of log chunks. */
const LOG_CHUNKS = "l";

/** Its log lines are in a chunk of their own. */
const LONG_LOG = `
id: long-log
namespace: demo
tasks:
  - { id: say, type: io.svc.plugin.core.log.Log, message: "${"x".repeat(9_000)}" }
  - { id: fail, type: io.svc.plugin.core.execution.Fail }
`;

/** Its input is a large value. */
const LARGE_INPUT = `
id: large-input
namespace: demo
inputs:
  - { id: word, type: STRING, defaults: none }
  - { id: text, type: STRING, defaults: "${"x".repeat(9_000)}" }
tasks:
  - { id: say, type: io.svc.plugin.core.log.Log, message: "{{ inputs.word }}" }
`;

/** A server whose store can hold reads. */
async function startGated(
  options: HarnessOptions = {},
  clock = new FakeClock(),
): Promise<{ app: Harness; store: GatedStore }> {
  let store: GatedStore | undefined;
  const wrap = (memory: MemoryStore) => store = new GatedStore(memory);
  const app = await Harness.start({ ...options, wrap }, undefined, clock);
  assert(store);
  return { app, store };
}

/** The status of the response. */
async function statusOf(app: Harness, method: string, path: string): Promise<number> {
  const response = await app.request(method, path);
  await response.body?.cancel();
  return response.status;
}

/** Lets through what waits, and what waits after that. */
async function letAllThrough(store: GatedStore): Promise<void> {
  store.heldLists = undefined;
  while (store.waiting > 0) await store.letThrough();
}

/** The number of executions in the list. */
async function listedIn(app: Harness): Promise<number> {
  return (await app.page("/executions/search")).total;
}

/** Deletes the log lines of an execution; the request waits where it reads them. */
async function beginLogRemoval(
  { app, store }: { app: Harness; store: GatedStore },
  id: string,
): Promise<() => Promise<number>> {
  store.heldLists = LOG_CHUNKS;
  const status = statusOf(app, "DELETE", `/logs/${id}`);
  await settle();
  return () => status;
}

Deno.test("DELETE /executions/{id} during DELETE /logs/{id} leaves no record, no row and no log lines", async () => {
  const gated = await startGated();
  const { app, store } = gated;
  const { id } = await app.run(LONG_LOG);
  const removal = await beginLogRemoval(gated, id);
  assertEquals(store.waiting, 1);
  store.heldLists = undefined;
  const deletion = statusOf(app, "DELETE", `/executions/${id}`);
  await settle();
  await letAllThrough(store);
  assertEquals([await removal(), await deletion], [200, 204]);
  assertEquals([await statusOf(app, "GET", `/executions/${id}`), await listedIn(app)], [404, 0]);
  await using after = await app.crash();
  assertEquals([await statusOf(after, "GET", `/executions/${id}`), await listedIn(after)], [404, 0]);
});

Deno.test("DELETE /logs/{id} during DELETE /executions/{id} deletes nothing", async () => {
  const { app, store } = await startGated();
  await using _ = app;
  const { id } = await app.run(LONG_LOG);
  store.isClosed = true;
  const deletion = statusOf(app, "DELETE", `/executions/${id}`);
  await settle();
  const removal = statusOf(app, "DELETE", `/logs/${id}`);
  await settle();
  store.isClosed = false;
  await letAllThrough(store);
  assertEquals([await deletion, await removal], [204, 200]);
  assertEquals([await statusOf(app, "GET", `/executions/${id}`), await listedIn(app)], [404, 0]);
});

Deno.test("removeSome() of the retention waits for a deletion of log lines", async () => {
  const gated = await startGated({ retention: { maxAgeMs: HOUR } });
  await using app = gated.app;
  const { id } = await app.run(LONG_LOG);
  const removal = await beginLogRemoval(gated, id);
  assertEquals(gated.store.waiting, 1);
  gated.store.heldLists = undefined;
  await app.advance(3 * HOUR);
  await letAllThrough(gated.store);
  assertEquals(await removal(), 200);
  await settle();
  assertEquals([await statusOf(app, "GET", `/executions/${id}`), await listedIn(app)], [404, 0]);
});

Deno.test("POST /executions/{id}/restart between two deletions of log lines stays restarted", async () => {
  const gated = await startGated();
  const { app, store } = gated;
  const { id } = await app.run(LONG_LOG);
  const removals = [await beginLogRemoval(gated, id), await beginLogRemoval(gated, id)];
  // The first one ends, the second one waits.
  await store.letThrough(1);
  const restart = statusOf(app, "POST", `/executions/${id}/restart`);
  await settle();
  await letAllThrough(store);
  assertEquals(await Promise.all(removals.map((status) => status())), [200, 200]);
  assertEquals(await restart, 200);
  await settle();
  await using after = await app.crash();
  const restarted: ExecutionResponse = await after.execution(id);
  assertEquals(statesOf(restarted), "CREATED RUNNING FAILED RESTARTED RUNNING FAILED");
});

const READS: readonly (readonly [method: string, path: (id: string) => string, expected: RegExp])[] = [
  ["GET", (id) => `/executions/${id}`, /^404 /],
  ["POST", (id) => `/executions/${id}/replay`, /^404 /],
  ["GET", () => "/executions/search", /^200 .*"results":\[\]/],
  ["GET", () => "/executions/search?filters[inputs][EQUALS][word]=none", /^200 .*"results":\[\]/],
  ["GET", () => "/executions/export/by-query/csv", /^200 $/],
];

for (const [method, path, expected] of READS) {
  Deno.test(`${method} ${path("{id}")} leaves out an execution that is deleted meanwhile`, async () => {
    const before = await Harness.start();
    const { id } = await before.run(LARGE_INPUT);
    const { app, store } = await restartGated(before);
    await using _ = app;
    store.holdsReads = true;
    const read = app.request(method, path(id));
    await settle();
    assertEquals(store.waiting > 0, true, "the read is under way");
    store.holdsReads = false;
    const deletion = statusOf(app, "DELETE", `/executions/${id}`);
    await settle();
    assertEquals(await statusOf(app, "GET", `/executions/${id}`), 404);
    await letAllThrough(store);
    assertEquals(await deletion, 204);
    const response = await read;
    assertMatch(`${response.status} ${await response.text()}`, expected);
    await settle();
    for (const kind of ["x", "t", "l", "b"]) {
      const left = await Array.fromAsync(app.store.list({ prefix: ["main", kind, id] }), ({ key }) => key);
      assertEquals(left, [], `no key of kind ${kind} is left`);
    }
    assertEquals(await Array.fromAsync(app.store.list(EXECUTION_REMOVALS)), [], "no removal is left");
  });
}

Deno.test("DELETE /executions/{id}: a timer that is due meanwhile waits for it and logs nothing", async () => {
  const lines: string[] = [];
  const clock = new FakeClock();
  const logger = new Logger({ level: "warn", format: "text", clock, write: (line) => void lines.push(line) });
  const { app, store } = await startGated({ logger }, clock);
  await using _ = app;
  const { id } = await app.run(flowSource("slow", sleeps("wait", "PT1H")));
  store.isClosed = true;
  const deletion = statusOf(app, "DELETE", `/executions/${id}`);
  await settle();
  await app.advance(HOUR + 5_000);
  store.isClosed = false;
  await letAllThrough(store);
  assertEquals([await deletion, await statusOf(app, "GET", `/executions/${id}`)], [204, 404]);
  await app.advance(HOUR);
  assertEquals(lines, []);
  assertEquals(await Array.fromAsync(app.store.list({ prefix: ["tm"] }), ({ key }) => key), []);
});

Deno.test("DELETE /executions/{id}: a message that arrives meanwhile waits for it and logs nothing", async () => {
  const lines: string[] = [];
  const clock = new FakeClock();
  const logger = new Logger({ level: "warn", format: "text", clock, write: (line) => void lines.push(line) });
  const { app, store } = await startGated({ logger }, clock);
  await using _ = app;
  const flow = "io.kestra.plugin.core.flow";
  await app.save(flowSource("child", `  - {id: p, type: ${flow}.Pause}`));
  const task = `  - {id: s, type: ${flow}.Subflow, namespace: demo, flowId: child}`;
  const parent = await app.run(flowSource("parent", task));
  const { results } = await app.page<ExecutionResponse>("/executions/search?flowId=child");
  store.isClosed = true;
  const resumed = statusOf(app, "POST", `/executions/${results[0]?.id}/actions/resume`);
  await settle();
  const deletion = statusOf(app, "DELETE", `/executions/${parent.id}`);
  await settle();
  // The end of the child is stored; the deletion of its parent waits.
  await store.letThrough();
  await app.advance(5_000);
  store.isClosed = false;
  await letAllThrough(store);
  assertEquals([await resumed, await deletion], [200, 204]);
  await app.advance(10_000);
  assertEquals(lines, []);
});

Deno.test("DELETE /executions/{id}: a timer that is due meanwhile fires once it is refused", async () => {
  const { app, store } = await startGated();
  await using _ = app;
  const { id } = await app.run(flowSource("slow", sleeps("wait", "PT1H")));
  store.isClosed = true;
  store.plan = () => "full";
  const deletion = statusOf(app, "DELETE", `/executions/${id}`);
  await settle();
  await app.advance(HOUR + 5_000);
  store.isClosed = false;
  await letAllThrough(store);
  assertEquals(await deletion, 507);
  store.plan = () => "none";
  await app.advance(5_000);
  assertEquals((await app.execution(id)).state.current, "SUCCESS");
});

Deno.test("GET /executions/{id}/file that began before a deletion gets the whole file; it is removed after that", async () => {
  await using app = await Harness.start();
  const source = "id: large\nnamespace: demo\ninputs: [{id: file, type: FILE}]\n" +
    "tasks: [{id: say, type: io.svc.plugin.core.log.Log, message: x}]\n";
  await app.save(source);
  const bytes = Uint8Array.from({ length: 2_000_000 }, (_, n) => n % 251);
  const body = new FormData();
  body.set("file", new File([bytes], "large.bin"));
  const started = await app.json("POST", "/executions/demo/large", { body }) as unknown as {
    readonly id: string;
    readonly inputs: { readonly file: string };
  };
  await settle();
  const path = encodeURIComponent(started.inputs.file);
  const response = await app.open("GET", `/executions/${started.id}/file?path=${path}`);
  const reader = (response.body ?? new ReadableStream()).getReader();
  const pieces = [(await reader.read()).value ?? new Uint8Array()];
  assertEquals(await statusOf(app, "DELETE", `/executions/${started.id}`), 204);
  await settle();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value);
  assertEquals(await new Blob(pieces).bytes(), bytes);
  for (let turn = 0; turn < 10; turn++) await settle();
  assertEquals([
    app.store.count(["main", "b"]),
    (await Array.fromAsync(app.store.list(EXECUTION_REMOVALS))).length,
  ], [
    0,
    0,
  ]);
});
