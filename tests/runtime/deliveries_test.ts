/** What is sent to an execution that cannot be read for a while, or becomes due, reaches it later, once and in order. */
import { assertEquals } from "@std/assert";
import type { AttemptOutcome } from "../../src/model/tasks/task_catalog.ts";
import { MESSAGES } from "../../src/store/keys.ts";
import type { Mutation } from "../../src/store/store.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { type GatedStore, restartGated } from "../support/fakes/gated_store.ts";
import { EFFECT_TYPE, type ExecutionResponse, Harness, statesOf } from "../support/harness.ts";

const FLOW = "io.kestra.plugin.core.flow";
const PAUSE = `tasks: [{id: p, type: ${FLOW}.Pause}]`;
const CHILD = `id: child\nnamespace: demo\n${PAUSE}\n`;
const PARENT = `id: parent
namespace: demo
tasks: [{id: s, type: ${FLOW}.Subflow, namespace: demo, flowId: child}]
`;
const EACH = `id: parent
namespace: demo
tasks:
  - {id: w, type: io.kestra.plugin.core.storage.Write, content: "1\\n2\\n3", extension: .txt}
  - {id: e, type: ${FLOW}.ForEachItem, items: "{{ outputs.w.uri }}", batch: {rows: 1}, namespace: demo, flowId: child}
`;
/** Fails when it is resumed. */
const LIMITED = `id: limited
namespace: demo
concurrency: {limit: 1}
tasks: [{id: p, type: ${FLOW}.Pause}, {id: f, type: io.kestra.plugin.core.execution.Fail}]
`;

async function post(app: Harness, { id }: { readonly id?: unknown }, action: string): Promise<void> {
  await app.json("POST", `/executions/${id}/${action}`);
  await settle();
}

async function kill(app: Harness, { id }: { readonly id?: unknown }): Promise<void> {
  await app.json("DELETE", `/executions/${id}/kill`);
  await settle();
}

async function children(app: Harness): Promise<ExecutionResponse[]> {
  const { results } = await app.page<ExecutionResponse>("/executions/search?filters[flowId][EQUALS]=child");
  return [...results].sort((a, b) => a.id < b.id ? -1 : 1);
}

/** What a ForEachItem counts. */
async function iterations(app: Harness, { id }: ExecutionResponse): Promise<unknown> {
  const { taskRunList } = await app.execution(id);
  return taskRunList.find(({ taskId }) => taskId === "e_items")?.outputs.iterations;
}

async function messages({ store }: Harness): Promise<number> {
  return (await Array.fromAsync(store.list(MESSAGES))).length;
}

async function readable(app: Harness, store: GatedStore): Promise<void> {
  await app.advance(3_000);
  store.unreadable.clear();
  await app.advance(8_000);
}

Deno.test("deliver() of the end of a Subflow repeats until its parent can be read", async () => {
  const first = await Harness.start();
  await first.save(CHILD);
  const parent = await first.run(PARENT);
  const { app, store } = await restartGated(first, { unreadable: [parent.id] });
  const [child] = await children(app);
  await post(app, child ?? {}, "resume");
  assertEquals([(await children(app))[0]?.state.current, await messages(app)], ["SUCCESS", 1]);
  await readable(app, store);
  assertEquals([(await app.execution(parent.id)).state.current, await messages(app)], ["SUCCESS", 0]);
  await app[Symbol.asyncDispose]();
});

Deno.test("deliver() of the ends of a ForEachItem counts each of them once", async () => {
  const first = await Harness.start();
  await first.save(CHILD);
  const parent = await first.run(EACH);
  await settle();
  const { app, store } = await restartGated(first, { unreadable: [parent.id] });
  for (const child of await children(app)) {
    await post(app, child, "resume");
    await app.advance(700);
  }
  assertEquals(await messages(app), 3);
  await readable(app, store);
  assertEquals(await iterations(app, parent), { CREATED: 0, RUNNING: 0, SUCCESS: 3 });
  assertEquals([(await app.execution(parent.id)).state.current, await messages(app)], ["SUCCESS", 0]);
  await app[Symbol.asyncDispose]();
});

Deno.test("deliver() of a kill repeats until the child can be read", async () => {
  const first = await Harness.start();
  await first.save(CHILD);
  const parent = await first.run(PARENT);
  const [child] = await children(first);
  const { app, store } = await restartGated(first, { unreadable: [child?.id] });
  await kill(app, parent);
  assertEquals(await messages(app), 1);
  await readable(app, store);
  assertEquals([(await children(app))[0]?.state.current, await messages(app)], ["KILLED", 0]);
  await app[Symbol.asyncDispose]();
});

async function startInTurn(app: Harness, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push(String((await app.start("limited")).id));
    await app.advance(1);
  }
  return ids;
}

Deno.test("grantSlots() starts a queued execution once it can be read; until then no other execution gets its slot", async () => {
  const first = await Harness.start();
  await first.save(LIMITED);
  const [running, queued, last] = await startInTurn(first, 3);
  const { app, store } = await restartGated(first, { unreadable: [queued] });
  const stateOf = async (id: unknown) => (await app.execution(String(id))).state.current;
  await post(app, { id: running }, "resume");
  assertEquals([await stateOf(running), await stateOf(last)], ["FAILED", "QUEUED"]);
  await readable(app, store);
  assertEquals([await stateOf(queued), await stateOf(last)], ["PAUSED", "QUEUED"]);
  await post(app, { id: queued }, "resume");
  assertEquals(await stateOf(last), "PAUSED");
  await app[Symbol.asyncDispose]();
});

Deno.test("grantSlots() does not start an execution that has lost its slot before it could be read", async () => {
  const first = await Harness.start();
  await first.save(LIMITED);
  const [id, running] = await startInTurn(first, 2);
  await post(first, { id }, "resume");
  await post(first, { id }, "restart");
  const { app, store } = await restartGated(first, { unreadable: [id] });
  await post(app, { id: running }, "resume");
  await app.advance(3_000);
  store.unreadable.clear();
  await kill(app, { id });
  await app.start("limited");
  await post(app, { id }, "restart");
  const states = statesOf(await app.execution(id));
  assertEquals(states.endsWith("KILLED RESTARTED QUEUED"), true);
  await app.advance(8_000);
  assertEquals(statesOf(await app.execution(id)), states);
  await app[Symbol.asyncDispose]();
});

Deno.test("deliver() of a kill waits for its turn behind a restart that could not be delivered", async () => {
  const ends: AttemptOutcome[] = [{ state: "FAILED" }];
  const effect = () => ends.shift() ?? new Promise<never>(() => {});
  const first = await Harness.start({ effect });
  const { id } = await first.run(`id: once\nnamespace: demo\ntasks: [{id: e, type: ${EFFECT_TYPE}}]\n`);
  const { app, store } = await restartGated(first, { unreadable: [id], effect });
  const message = { tenant: "main", targetId: id };
  const { executor } = app.assembly;
  await executor.deliver({
    ...message,
    key: ["ob", "main", id, "p", "again/0"],
    event: { type: "restarted" },
  });
  store.unreadable.clear();
  await executor.deliver({ ...message, key: ["ob", "main", id, "p", "kill"], event: { type: "kill_asked" } });
  await app.advance(8_000);
  const states = statesOf(await app.execution(id));
  assertEquals(states, "CREATED RUNNING FAILED RESTARTED RUNNING KILLING");
  await app[Symbol.asyncDispose]();
});

Deno.test("deliver() of the end of a Subflow repeats until the child can be read of which it renders outputs", async () => {
  const first = await Harness.start();
  await first.save(CHILD);
  const parent = await first.run(
    PARENT.replace("flowId: child", 'flowId: child, outputs: {o: "{{ execution.id }}"}'),
  );
  const [child] = await children(first);
  const executionId = String(child?.id);
  const { app, store } = await restartGated(first, { unreadable: [executionId] });
  await app.assembly.executor.deliver({
    key: ["ob", "main", parent.id, executionId, "end/1"],
    tenant: "main",
    targetId: parent.id,
    event: { type: "child_ended", taskRun: 0, executionId, state: "SUCCESS" },
  });
  assertEquals((await app.execution(parent.id)).state.current, "RUNNING");
  await readable(app, store);
  const { state, taskRunList } = await app.execution(parent.id);
  assertEquals([state.current, taskRunList[0]?.outputs.outputs], ["SUCCESS", { o: executionId }]);
  await app[Symbol.asyncDispose]();
});

Deno.test("deliver() gives a message again, once, if its target discards it because of a refused deletion", async () => {
  const first = await Harness.start();
  await first.save(CHILD);
  const parent = await first.run(EACH);
  await settle();
  const { app, store } = await restartGated(first);
  const isOfParent = ({ key }: Mutation) => key[1] === "x" && key[2] === parent.id;
  store.plan = (_, { mutations }) => mutations.some(isOfParent) ? "full" : "none";
  const [child, ...others] = await children(app);
  await post(app, child ?? {}, "resume");
  assertEquals((await app.request("DELETE", `/executions/${parent.id}`)).status, 507);
  store.plan = () => "none";
  await app.advance(10_000);
  for (const each of others) await post(app, each, "resume");
  assertEquals(await iterations(app, parent), { CREATED: 0, RUNNING: 0, SUCCESS: 3 });
  assertEquals([(await app.execution(parent.id)).state.current, await messages(app)], ["SUCCESS", 0]);
  await app[Symbol.asyncDispose]();
});

Deno.test("deliver() does not repeat a message whose commit was under way when a refused deletion began", async () => {
  const first = await Harness.start();
  await first.save(CHILD);
  const parent = await first.run(EACH);
  await settle();
  const { app, store } = await restartGated(first);
  const [one, two, last] = await children(app);
  let counts = 0;
  store.plan = (_, { mutations }) => {
    const [change] = mutations.filter(({ key }) => key[1] === "x" && key[2] === parent.id);
    counts += change?.type === "set" ? 1 : 0;
    return change?.type === "delete" ? "full" : "none";
  };
  store.closeAfter(0);
  const resumed = [one, two].map((child) => post(app, child ?? {}, "resume"));
  while (counts === 0) await store.letThrough();
  // The commit of the second count waits.
  const deleted = app.request("DELETE", `/executions/${parent.id}`);
  await settle();
  store.isClosed = false;
  await store.letThrough();
  await Promise.all(resumed);
  assertEquals([(await deleted).status, counts], [507, 2]);
  await app.advance(10_000);
  assertEquals(await iterations(app, parent), { CREATED: 0, RUNNING: 1, SUCCESS: 2 });
  await post(app, last ?? {}, "resume");
  assertEquals((await app.execution(parent.id)).state.current, "SUCCESS");
  await app[Symbol.asyncDispose]();
});

Deno.test("deliver() to an execution that was deleted while it could not be read ends with its message", async () => {
  const first = await Harness.start();
  await first.save(CHILD);
  const parent = await first.run(PARENT);
  const { app, store } = await restartGated(first, { unreadable: [parent.id] });
  await post(app, (await children(app))[0] ?? {}, "resume");
  await app.advance(3_000);
  store.unreadable.clear();
  await app.json("DELETE", `/executions/${parent.id}`);
  assertEquals(await messages(app), 1);
  await app.advance(8_000);
  assertEquals(await messages(app), 0);
  await app[Symbol.asyncDispose]();
});

Deno.test("deliver() repeats what an earlier process left if the target cannot be read at the start", async () => {
  const first = await Harness.start();
  await first.save(CHILD);
  const parent = await first.run(PARENT);
  const { app: second } = await restartGated(first, { unreadable: [parent.id] });
  await post(second, (await children(second))[0] ?? {}, "resume");
  const { app, store } = await restartGated(second, { unreadable: [parent.id] });
  assertEquals(await messages(app), 1);
  await readable(app, store);
  assertEquals([(await app.execution(parent.id)).state.current, await messages(app)], ["SUCCESS", 0]);
  await app[Symbol.asyncDispose]();
});

Deno.test("fireTimer() repeats until the execution can be read", async () => {
  const first = await Harness.start();
  const { id } = await first.run(
    `id: sleeps\nnamespace: demo\ntasks: [{id: s, type: ${FLOW}.Sleep, duration: PT1S}]\n`,
  );
  const { app, store } = await restartGated(first, { unreadable: [id] });
  await readable(app, store);
  assertEquals((await app.execution(id)).state.current, "SUCCESS");
  await app[Symbol.asyncDispose]();
});

Deno.test("stop() ends the repetitions; the next start delivers", async () => {
  const first = await Harness.start();
  await first.save(CHILD);
  const parent = await first.run(PARENT);
  const { app: second } = await restartGated(first, { unreadable: [parent.id] });
  await post(second, (await children(second))[0] ?? {}, "resume");
  const timers = second.clock.timerCount;
  second.assembly.executor.interruptAll();
  assertEquals(second.clock.timerCount, timers - 1);
  const { app } = await restartGated(second);
  assertEquals([(await app.execution(parent.id)).state.current, await messages(app)], ["SUCCESS", 0]);
  await app[Symbol.asyncDispose]();
});
