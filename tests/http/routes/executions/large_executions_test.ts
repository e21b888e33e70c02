/** Executions with many megabytes of values and log lines: responses are read while they are sent. */
import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { executionBody } from "../../../../src/model/executions/execution_body.ts";
import type { Store } from "../../../../src/store/store.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";
import type { MemoryStore } from "../../../support/fakes/memory_store.ts";

const TASKS = 12;

/** A flow whose tasks all return the input. */
const FLOW = "id: large\nnamespace: demo\ninputs:\n  - id: text\n    type: STRING\ntasks:\n" +
  Array.from(
    { length: TASKS },
    (_, n) => `  - id: t${n}\n    type: io.svc.plugin.core.debug.Return\n    format: "{{ inputs.text }}"\n`,
  ).join("");

/** Counts the reads of values that are blobs. */
class CountedReads {
  count = 0;

  wrap(store: MemoryStore): Store {
    return new Proxy<Store>(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          if (name === "getMany") this.count++;
          return Reflect.apply(member, target, args);
        };
      },
    });
  }
}

async function startLarge(length: number): Promise<{ server: Harness; id: string; reads: CountedReads }> {
  const reads = new CountedReads();
  const server = await Harness.start({ wrap: (store) => reads.wrap(store) });
  await server.save(FLOW);
  const id = String((await server.start("large", { text: "x".repeat(length) })).id);
  await settle();
  reads.count = 0;
  return { server, id, reads };
}

Deno.test("GET /executions/:id of a large execution is complete, and equal to its text in one piece", async () => {
  const { server, id } = await startLarge(300_000);
  await using _server = server;
  const text = await (await server.request("GET", `/executions/${id}`)).text();
  const stored = await server.assembly.services.records.load("main", id);
  assert(stored);
  assertEquals(text === executionBody(stored.execution, { now: server.clock.now(), taskRuns: true }), true);
  assertEquals(JSON.parse(text).taskRunList.length, TASKS);
});

Deno.test("GET /executions/:id with maxTaskRuns has the first task runs, and says how many others there are", async () => {
  await using server = await Harness.start();
  await server.save(
    "id: many\nnamespace: demo\ntasks:\n  - id: each\n    type: io.svc.plugin.core.flow.ForEach\n" +
      `    values: ${JSON.stringify(Array.from({ length: 150 }, (_, index) => index))}\n` +
      "    tasks:\n      - {id: one, type: io.svc.plugin.core.debug.Return, format: '{{ taskrun.value }}'}\n",
  );
  const id = String((await server.start("many")).id);
  await settle();
  const read = async (query: string) =>
    await (await server.request("GET", `/executions/${id}${query}`)).json();
  const { taskRunList, ...whole } = await read("");
  assertEquals(taskRunList.length, 151);
  for (const count of [1, 40, 150]) {
    const { taskRunList: first, $shortened, ...rest } = await read(`?maxTaskRuns=${count}`);
    assertEquals(first, taskRunList.slice(0, count));
    assertEquals($shortened, { taskRuns: 151 - count, uri: `/api/v1/main/executions/${id}` });
    assertEquals(rest, whole);
  }
  assertEquals(await read("?maxTaskRuns=151"), { ...whole, taskRunList });
  assertEquals((await server.request("GET", `/executions/${id}?maxTaskRuns=0`)).status, 422);
});

Deno.test("GET /executions/:id reads the values of a large execution while the client reads them", async () => {
  const { server, id, reads } = await startLarge(300_000);
  await using _server = server;
  const { body } = await server.open("GET", `/executions/${id}`);
  const before = reads.count;
  assertEquals(before < TASKS, true, `${before} values were read before the client read`);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.cancel();
  assertEquals(reads.count, before);
});

Deno.test("GET /outputs/:executionId/:taskRunId returns the outputs of a large execution in full", async () => {
  const { server, id } = await startLarge(600_000);
  await using _server = server;
  const found = await server.json("GET", `/outputs/${id}`) as unknown as { taskRunId: string }[];
  assertEquals(found.length, TASKS);
  const last = await server.json("GET", `/outputs/${id}/${found.at(-1)?.taskRunId}`) as JsonObject;
  assertEquals(String(last.value).length, 600_000);
});

Deno.test("GET /executions/:id/follow shortens the values of an execution beyond 4 MiB in all", async () => {
  for (const [length, isFull] of [[300_000, true], [600_000, false]] as const) {
    const { server, id } = await startLarge(length);
    await using _server = server;
    const text = await (await server.request("GET", `/executions/${id}/follow`)).text();
    const end = JSON.parse(text.slice(text.indexOf("data: ") + 6)) as {
      taskRunList: { outputs: JsonObject }[];
    };
    assertEquals(end.taskRunList.length, TASKS);
    const full = end.taskRunList.filter(({ outputs }) => String(outputs.value).length === length);
    assertEquals(full.length === TASKS, isFull);
    if (isFull) continue;
    assertEquals(full.length > 3, true);
    const uri = `/api/v1/main/executions/${id}`;
    assertEquals(end.taskRunList.at(-1)?.outputs, { $shortened: { bytes: 600_012, uri } });
  }
});

/** Gives an ended execution many task runs. */
async function withTaskRuns(server: Harness, id: string, count: number): Promise<void> {
  const { records } = server.assembly.services;
  const stored = await records.load("main", id);
  assert(stored);
  const { execution, form } = stored;
  const [first] = execution.taskRuns;
  assert(first);
  for (let ordinal = execution.taskRuns.length; ordinal < count; ordinal++) {
    execution.taskRuns.push({ ...first, ordinal, outputs: undefined });
  }
  execution.nextOrdinal = count;
  const mutations = await records.prepare(execution, form);
  await server.assembly.committer.commit({
    mutations,
    committed: () => records.remember(execution, mutations),
  });
}

Deno.test("an execution with many task runs is complete by GET, and bounded in event streams", async () => {
  await using server = await Harness.start();
  await server.save(
    "id: many\nnamespace: demo\ntasks:\n  - id: a\n    type: io.svc.plugin.core.debug.Return\n    format: a\n",
  );
  const { id } = await server.start("many");
  await settle();
  await withTaskRuns(server, String(id), 10_100);
  const uri = `/api/v1/main/executions/${id}`;
  const whole = await server.json("GET", uri) as JsonObject;
  assertEquals([(whole.taskRunList as unknown[]).length, whole.$shortened], [10_100, undefined]);
  for (
    const [query, of] of [["", (event: JsonObject) => event], [
      "?format=delta",
      (event: JsonObject) => event.execution,
    ]] as const
  ) {
    const text = await (await server.request("GET", `/executions/${id}/follow${query}`)).text();
    const shown = of(JSON.parse(text.slice(text.indexOf("data: ") + 6))) as JsonObject;
    const hidden = 10_100 - (shown.taskRunList as unknown[]).length;
    assertEquals(hidden > 50 && hidden <= 100, true, `${hidden}`);
    assertEquals(shown.$shortened, { taskRuns: hidden, uri });
  }
  const outputs = await server.json("GET", `/outputs/${id}`) as unknown as unknown[];
  assertEquals(outputs.length, 1);
});

const LOGGING = "id: logs\nnamespace: demo\ninputs:\n  - id: text\n    type: STRING\ntasks:\n" +
  Array.from(
    { length: 150 },
    (_, n) => `  - id: l${n}\n    type: io.svc.plugin.core.log.Log\n    message: "${n} {{ inputs.text }}"\n`,
  ).join("");

Deno.test("log lines of an execution are read while the client reads them, without its values", async () => {
  const reads = new CountedReads();
  await using server = await Harness.start({ wrap: (store) => reads.wrap(store) });
  await server.save(LOGGING);
  const { id } = await server.start("logs", { text: "y".repeat(10_000) });
  await settle();
  reads.count = 0;
  const lines = await server.json("GET", `/logs/${id}`) as unknown as JsonObject[];
  assertEquals(
    lines.map(({ message }) => String(message).split(" ")[0]),
    Array.from({ length: 150 }, (_, n) => `${n}`),
  );
  assertEquals(lines[149]?.taskId, "l149");
  const text = await (await server.request("GET", `/logs/${id}/download`)).text();
  assertEquals(text.split("\n").length, 151);
  const { results, total } = await server.page(`/logs/search?size=3`);
  assertEquals([results.length, total], [3, 150]);
  assertEquals(reads.count, 0);
  const { body } = await server.open("GET", `/logs/${id}`);
  await body?.cancel();
  assertEquals(await server.json("GET", `/logs/${id}0`).catch(() => "refused"), []);
});
