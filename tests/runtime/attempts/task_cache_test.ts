import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  EFFECT_TYPE,
  type ExecutionResponse,
  Harness,
  type HarnessOptions,
  statesOf,
} from "../../support/harness.ts";
import { yaml } from "../../support/flows/request_bodies.ts";

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
