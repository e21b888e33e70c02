/** A read that the database fails for a moment delays the executions that a task starts: it does not fail the task. */
import { assert, assertEquals } from "@std/assert";
import { settle } from "../../support/fakes/fake_clock.ts";
import { FlakyStore } from "../../support/fakes/flaky_store.ts";
import type { MemoryStore } from "../../support/fakes/memory_store.ts";
import { type Effect, EFFECT_TYPE, Harness } from "../../support/harness.ts";

const CORE = "io.kestra.plugin.core";
const CHILD = `id: child
namespace: demo
inputs: [{id: n, type: STRING, defaults: none}]
tasks: [{id: e, type: ${EFFECT_TYPE}, name: child}]
outputs: [{id: got, type: STRING, value: "{{ inputs.n }}"}]
`;
const FILE = `{id: w, type: ${CORE}.storage.Write, content: "1\\n2\\n3", extension: .txt}`;

/** By what starts the executions: the tasks after the one that makes reads fail. */
const TASKS: readonly (readonly [name: string, tasks: string])[] = [
  ["a Subflow", `{id: s, type: ${CORE}.flow.Subflow, namespace: demo, flowId: child}`],
  [
    "a ForEachItem",
    `{id: each, type: ${CORE}.flow.ForEachItem, items: "{{ outputs.w.uri }}", batch: {rows: 1}, namespace: demo,
       flowId: child, inputs: {n: "{{ read(taskrun.items) }}"}}`,
  ],
  [
    "a Loop that stores its outputs",
    `{id: loop, type: ${CORE}.flow.Loop, values: "{{ outputs.w.uri }}", fetchType: STORE,
       tasks: [{id: e, type: ${EFFECT_TYPE}, name: child}], outputs: [{id: got, type: STRING, value: "{{ item.value }}"}]}`,
  ],
  [
    "a Loop that fetches its outputs",
    `{id: loop, type: ${CORE}.flow.Loop, values: [${
      ["a", "b"].map((each) => each.repeat(9_000))
    }], fetchType: FETCH,
       tasks: [{id: e, type: ${EFFECT_TYPE}, name: child}], outputs: [{id: got, type: STRING, value: "{{ item.value }}"}]}`,
  ],
  ["a property", `{id: r, type: ${CORE}.debug.Return, format: "{{ kv('k') }}"}`],
  ["a timeout", `{id: r, type: ${CORE}.debug.Return, format: x, timeout: "{{ kv('k') ? 'PT1M' : 'PT1S' }}"}`],
  [
    "cached outputs",
    `{id: w2, type: ${CORE}.storage.Write, content: x, taskCache: {enabled: true, ttl: PT1H}}`,
  ],
  [
    "a WorkingDirectory",
    `{id: d, type: ${CORE}.flow.WorkingDirectory, timeout: "{{ kv('k') ? 'PT1M' : 'PT1S' }}", tasks: [{id: r, type: ${CORE}.debug.Return, format: x}]}`,
  ],
  ["a condition", `{id: r, type: ${CORE}.debug.Return, format: x, runIf: "{{ kv('k') == 'yes' }}"}`],
  [
    "a decision",
    `{id: i, type: ${CORE}.flow.If, condition: "{{ kv('k') == 'yes' }}", then: [{id: r, type: ${CORE}.debug.Return, format: x}],
       else: [{id: f, type: ${CORE}.execution.Fail}]}`,
  ],
];

interface Scene extends AsyncDisposable {
  readonly app: Harness;
  readonly store: FlakyStore;
  readonly id: string;
}

/** An execution that is about to begin the task, in a process that has read nothing yet; its reads begin to fail. */
async function beginTask(task: string, fails: FlakyStore["fails"]): Promise<Scene> {
  const stores: FlakyStore[] = [];
  const effect: Effect = ({ name }) => {
    const store = stores.at(-1);
    if (store && name === "fault") store.fails = fails;
    return { state: "SUCCESS", outputs: {} };
  };
  const wrap = (memory: MemoryStore) => {
    const store = new FlakyStore(memory);
    stores.push(store);
    return store;
  };
  const first = await Harness.start({ effect, wrap });
  await first.save(CHILD);
  await first.save(
    `id: parent\nnamespace: demo\ntasks:\n  - ${FILE}\n  - {id: p, type: ${CORE}.flow.Pause}\n` +
      `  - {id: fault, type: ${EFFECT_TYPE}, name: fault}\n  - ${task}\n` +
      `outputs: [{id: k, type: STRING, value: "{{ kv('k') }}"}]\n`,
  );
  await first.request("PUT", "/namespaces/demo/kv/k", { body: '"yes"' });
  const id = String((await first.start("parent")).id);
  await settle();
  const app = await first.crash();
  await app.json("POST", `/executions/${id}/resume`);
  return {
    app,
    store: stores.at(-1) as FlakyStore,
    id,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

async function wait(app: Harness, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    for (let turn = 0; turn < 20; turn++) await settle();
    await app.advance(1_000);
  }
}

for (const [name, task] of TASKS) {
  Deno.test(`a read that fails once delays ${name}`, async () => {
    const failed = new Set<string>();
    await using scene = await beginTask(task, (key) => {
      const isFirst = !failed.has(JSON.stringify(key));
      failed.add(JSON.stringify(key));
      return isFirst;
    });
    const { app, store, id } = scene;
    await wait(app, 30);
    assert(failed.size > 0);
    store.fails = () => false;
    const { state, taskRunList } = await app.execution(id);
    const others = taskRunList.filter(({ state }) => state.current !== "SUCCESS");
    assertEquals([state.current, others.map(({ taskId, state }) => [taskId, state.current])], [
      "SUCCESS",
      [],
    ]);
  });
}

Deno.test("a task that waits for a read can be killed", async () => {
  const [[, subflow] = []] = TASKS;
  let reads = 0;
  await using scene = await beginTask(String(subflow), () => ++reads > 0);
  const { app, store, id } = scene;
  await wait(app, 3);
  await app.json("DELETE", `/executions/${id}/kill`);
  await wait(app, 2);
  const readsBefore = reads;
  await wait(app, 3);
  assertEquals(reads, readsBefore);
  store.fails = () => false;
  assertEquals((await app.execution(id)).state.current, "KILLED");
  assertEquals((await app.page("/executions/search?flowId=child")).total, 0);
});
