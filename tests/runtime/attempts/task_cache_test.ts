import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import {
  type Effect,
  EFFECT_TYPE,
  type ExecutionResponse,
  Harness,
  type HarnessOptions,
  statesOf,
} from "../../support/harness.ts";
import { yaml } from "../../support/flows/request_bodies.ts";
import { until } from "../../support/processes/machine_processes.ts";

/** A flow whose task has a cache; `name` is what it is given. */
function cachedFlow(cache: string, revision = ""): string {
  return `id: cached\nnamespace: demo\ndescription: "${revision}"\ninputs: [{id: name, type: STRING}]\n` +
    `tasks:\n  - {id: e, type: ${EFFECT_TYPE}, name: "{{ inputs.name }}", taskCache: ${cache}}\n`;
}

interface Counting extends HarnessOptions {
  count: number;
}

/** Counts its runs; `result` is what the n-th gives. */
function counting(result: (n: number) => ReturnType<NonNullable<HarnessOptions["effect"]>>): Counting {
  const options: Counting = { count: 0, effect: () => result(++options.count) };
  return options;
}

async function runWith(app: Harness, name: string): Promise<JsonObject> {
  const execution = await app.start("cached", { name }, "?wait=true");
  const [taskRun] = (execution as unknown as ExecutionResponse).taskRunList;
  return {
    states: taskRun ? statesOf(taskRun) : "",
    attempts: taskRun?.attempts?.length ?? 0,
    outputs: taskRun?.outputs as JsonObject,
  };
}

Deno.test("taskCache returns the outputs of an earlier run with the same properties", async () => {
  const options = counting((n) => ({ state: "SUCCESS", outputs: { n } }));
  await using app = await Harness.start(options);
  await app.save(cachedFlow("{enabled: true}"));
  const first = await runWith(app, "a");
  assertEquals(first, { states: "CREATED RUNNING SUCCESS", attempts: 1, outputs: { n: 1 } });
  assertEquals(await runWith(app, "a"), first);
  assertEquals((await runWith(app, "b")).outputs, { n: 2 });
  assertEquals(options.count, 2);
});

Deno.test("taskCache survives a restart and a new revision, but not its ttl", async () => {
  const options = counting((n) => ({ state: "SUCCESS", outputs: { n } }));
  const first = await Harness.start(options);
  await first.save(cachedFlow("{enabled: true, ttl: PT1H}"));
  assertEquals((await runWith(first, "a")).outputs, { n: 1 });
  await using app = await first.crash();
  await app.json("PUT", "/flows/demo/cached", yaml(cachedFlow("{enabled: true, ttl: PT1H}", "new")));
  assertEquals((await runWith(app, "a")).outputs, { n: 1 });
  await app.advance(3_600_000);
  assertEquals((await runWith(app, "a")).outputs, { n: 2 });
});

/** What is never kept. */
const NOT_KEPT: readonly (readonly [name: string, cache: string, outputs: number | "FAILED"])[] = [
  ["the outputs of a task that is not enabled", "{enabled: false}", 1],
  ["a failure", "{enabled: true}", "FAILED"],
  ["outputs that are too large", "{enabled: true}", 100_000],
];

for (const [name, cache, outputs] of NOT_KEPT) {
  Deno.test(`taskCache does not keep ${name}`, async () => {
    const options = counting(() =>
      outputs === "FAILED"
        ? { state: "FAILED" }
        : { state: "SUCCESS", outputs: { text: "x".repeat(outputs) } }
    );
    await using app = await Harness.start(options);
    await app.save(cachedFlow(cache));
    await runWith(app, "a");
    await runWith(app, "a");
    assertEquals(options.count, 2);
  });
}

Deno.test("taskCache does not cache a task that changes its execution", async () => {
  await using app = await Harness.start();
  await app.save(
    "id: labelled\nnamespace: demo\ntasks:\n" +
      "  - {id: l, type: io.kestra.plugin.core.execution.Labels, labels: {a: b}, taskCache: {enabled: true}}\n",
  );
  await app.start("labelled", {}, "?wait=true");
  const { labels } = await app.start("labelled", {}, "?wait=true");
  assertEquals((labels as unknown as { key: string }[]).some(({ key }) => key === "a"), true);
});

/** Writes a file, or takes it from the cache, and reads it. */
const FILE_FLOW = `id: files
namespace: demo
tasks:
  - {id: w, type: io.kestra.plugin.core.storage.Write, content: text, extension: .txt, taskCache: {enabled: true}}
  - {id: r, type: io.kestra.plugin.core.debug.Return, format: "{{ read(outputs.w.uri) }}"}
`;

async function runWithFile(app: Harness): Promise<JsonObject> {
  const { id } = await app.start("files", {}, "?wait=true");
  const { state, taskRunList } = await app.execution(id);
  const logs = JSON.stringify(await app.json("GET", `/logs/${id}?minLevel=DEBUG`));
  const [, read] = taskRunList;
  const { value = null } = (read?.outputs ?? {}) as JsonObject;
  return { id: String(id), state: state.current, text: value, isHit: logs.includes("earlier run") };
}

Deno.test("taskCache gives an execution files of its own, and runs the task again when one is gone", async () => {
  await using app = await Harness.start();
  await app.save(FILE_FLOW);
  const first = await runWithFile(app);
  assertEquals(first, { ...first, state: "SUCCESS", text: "text", isHit: false });
  const second = await runWithFile(app);
  assertEquals(second, { ...second, state: "SUCCESS", text: "text", isHit: true });
  await app.json("DELETE", `/executions/${first.id}`);
  const third = await runWithFile(app);
  assertEquals(third, { ...third, state: "SUCCESS", text: "text", isHit: false });
  const fourth = await runWithFile(app);
  assertEquals(fourth, { ...fourth, state: "SUCCESS", text: "text", isHit: true });
});

Deno.test("taskCache does not open files of other executions that outputs name", async () => {
  let uri = "";
  await using app = await Harness.start(counting(() => ({ state: "SUCCESS", outputs: { uri } })));
  await app.save(FILE_FLOW);
  await app.save(
    `id: names\nnamespace: demo\ntasks:\n  - {id: e, type: ${EFFECT_TYPE}, taskCache: {enabled: true}}\n` +
      `  - {id: r, type: io.kestra.plugin.core.debug.Return, format: "{{ read(outputs.e.uri) }}"}\n`,
  );
  const { taskRunList } = await app.execution(String((await runWithFile(app)).id));
  uri = String(taskRunList[0]?.outputs.uri);
  for (const _ of [1, 2]) {
    const { id } = await app.start("names", {}, "?wait=true");
    const execution = await app.execution(id);
    assertEquals(execution.state.current, "FAILED");
    assertEquals(execution.taskRunList[0]?.outputs.uri, uri);
  }
});

Deno.test("taskCache does not make a commit too large, whatever ends at once", async () => {
  const end = Promise.withResolvers<void>();
  const effect: Effect = async () => {
    await end.promise;
    return { state: "SUCCESS", outputs: { x: "x".repeat(55_000) } };
  };
  await using app = await Harness.start({ effect });
  const tasks = Array.from(
    { length: 30 },
    (_, n) => `{id: t${n}, type: ${EFFECT_TYPE}, taskCache: {enabled: true}}`,
  );
  const parallel = `{id: p, type: io.kestra.plugin.core.flow.Parallel, tasks: [${tasks}]}`;
  await app.save(`id: many\nnamespace: demo\ntasks: [${parallel}]\n`);
  const { id } = await app.start("many");
  for (let turn = 0; turn < 50; turn++) await settle();
  end.resolve();
  await until(async () => (await app.execution(id)).state.current !== "RUNNING");
  assertEquals((await app.execution(id)).state.current, "SUCCESS");
});

Deno.test("taskCache removes expired outputs", async () => {
  const options = counting((n) => ({ state: "SUCCESS", outputs: { n } }));
  await using app = await Harness.start(options);
  await app.save(cachedFlow("{enabled: true, ttl: PT1M}"));
  await runWith(app, "a");
  const keys = async () => {
    const found: string[] = [];
    for (const prefix of ["tc", "te"]) {
      for await (const { key } of app.store.list({ prefix: ["main", prefix] })) found.push(String(key[1]));
    }
    return found;
  };
  assertEquals(await keys(), ["tc", "te"]);
  await app.advance(180_000);
  assertEquals(await keys(), []);
});
