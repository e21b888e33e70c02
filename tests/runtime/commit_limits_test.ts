/** Executions that need more than one commit, or one value, of the database holds. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonValue } from "../../src/base/json.ts";
import { DomainError } from "../../src/model/errors.ts";
import { type State, TERMINAL_STATES } from "../../src/model/executions/state.ts";
import type { Atomic } from "../../src/store/store.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import { effects, flowSource, taskSource } from "../support/flows/flow_sources.ts";
import { Harness, statesOf } from "../support/harness.ts";

const CORE = "io.svc.plugin.core";
const LOG = `${CORE}.log.Log`;
const EFFECT = flowSource("effect", taskSource("before", "core.debug.Return", "format: one"), effects("act"));

/** More than one commit holds. */
const MANY_LABELS = Array.from({ length: 700 }, (_, n) => ({ key: `k${n}`, value: "v".repeat(950) }));

Deno.test("an execution whose changes exceed a limit of the database ends FAILED and says so", async () => {
  let attempts = 0;
  await using app = await Harness.start({
    effect:
      () => (attempts++, { state: "SUCCESS", outputs: { done: "yes" }, effects: { labels: MANY_LABELS } }),
  });
  const { id } = await app.run(`${EFFECT}afterExecution: [{id: last, type: ${LOG}, message: ended}]\n`);
  const execution = await app.execution(id);
  assertEquals(statesOf(execution), "CREATED RUNNING FAILED");
  assertEquals(execution.taskRunList.map(statesOf), [
    "CREATED RUNNING SUCCESS",
    "CREATED RUNNING FAILED",
    "CREATED RUNNING SUCCESS",
  ]);
  const logs = await app.json("GET", `/logs/${id}?minLevel=ERROR`) as { message: string }[];
  assertMatch(
    logs.map(({ message }) => message).join("\n"),
    /exceeds a limit\. Cannot write: a commit of \d+ changes with \d+ bytes/,
  );
  await app.advance(5_000);
  assertEquals([attempts, app.assembly.executor.liveCount, app.store.count(["~g"])], [1, 0, 0]);
});

/** An integer that only the slow path of `JSON.stringify` prints, in so many lists that it exhausts the stack. */
function unprintable(): JsonValue {
  let value: JsonValue = 10n ** 30n;
  for (let depth = 0; depth < 4_000; depth++) value = [value];
  return value;
}

for (const { form, more } of [{ form: "small", more: "" }, { form: "spread", more: "x".repeat(10_000) }]) {
  Deno.test(`an execution whose ${form} record cannot be encoded ends FAILED and says so`, async () => {
    let attempts = 0;
    const effects = { variables: { value: unprintable(), more } };
    await using app = await Harness.start({ effect: () => (attempts++, { state: "SUCCESS", effects }) });
    const { id } = await app.run(EFFECT);
    await app.advance(5_000);
    assertEquals(statesOf(await app.execution(id)), "CREATED RUNNING FAILED");
    const logs = await app.json("GET", `/logs/${id}?minLevel=ERROR`) as { message: string }[];
    assertMatch(logs.map(({ message }) => message).join("\n"), /Cannot write: a record cannot be encoded/);
    assertEquals([attempts, app.assembly.executor.liveCount, app.store.count(["~g"])], [1, 0, 0]);
  });
}

/** Refuses commits of an execution, as if they exceeded a limit; the function returns how many it has refused. */
function refuseCommits(
  { assembly: { committer } }: Harness,
  id: JsonValue | undefined,
  times = Infinity,
  until = Promise.resolve(),
) {
  const commit = committer.commit.bind(committer);
  let refused = 0;
  committer.commit = (entry) => {
    const isMeant = entry.mutations.some(({ key }) => key[1] === "x" && key[2] === id);
    if (!isMeant || refused >= times) return commit(entry);
    refused++;
    return until.then(() => Promise.reject(new DomainError("too_large", "Cannot write it")));
  };
  const accept = () => void (committer.commit = commit);
  return { refused: () => refused, accept };
}

Deno.test("an execution that cannot be stored even as FAILED stays as it is stored, and is not tried again", async () => {
  await using app = await Harness.start({ effect: () => new Promise<never>(() => {}) });
  const { id } = await app.run(EFFECT);
  const { refused, accept } = refuseCommits(app, id);
  const kill = await app.request("DELETE", `/executions/${id}/kill`);
  await kill.body?.cancel();
  await app.advance(5_000);
  assertEquals([kill.status, refused(), app.assembly.executor.liveCount], [413, 2, 1]);
  assertEquals((await app.execution(id)).state.current, "RUNNING");
  accept();
  await app.json("DELETE", `/executions/${id}/kill`);
  assertEquals((await app.execution(id)).state.current, "KILLED");
  assertEquals(app.assembly.executor.liveCount, 0);
});

Deno.test("an execution that exceeds a limit does not fail the one whose slot it takes", async () => {
  const effect = Promise.withResolvers<{ state: "SUCCESS"; outputs: { done: string } }>();
  await using app = await Harness.start({ effect: () => effect.promise });
  await app.save(EFFECT.replace("tasks:", "concurrency: {limit: 1, behavior: QUEUE}\ntasks:"));
  const started = [await app.start("effect"), await app.start("effect")];
  const { refused } = refuseCommits(app, started[1]?.id, 2);
  effect.resolve({ state: "SUCCESS", outputs: { done: "yes" } });
  await settle();
  const states = await Promise.all(started.map(async ({ id }) => statesOf(await app.execution(id))));
  assertEquals(states, ["CREATED RUNNING SUCCESS", "CREATED QUEUED FAILED"]);
  assertEquals([refused(), app.assembly.executor.liveCount], [2, 0]);
});

Deno.test("a kill of an execution that takes a slot is applied though the other one exceeds a limit with it", async () => {
  const first = Promise.withResolvers<{ state: "SUCCESS" }>();
  const effects = [first.promise, new Promise<never>(() => {})];
  await using app = await Harness.start({ effect: () => effects.shift() ?? first.promise });
  await app.save(EFFECT.replace("tasks:", "concurrency: {limit: 1, behavior: QUEUE}\ntasks:"));
  await app.start("effect");
  const { id } = await app.start("effect");
  const refused = Promise.withResolvers<void>();
  refuseCommits(app, id, 1, refused.promise);
  first.resolve({ state: "SUCCESS" });
  await settle();
  const kill = app.request("DELETE", `/executions/${id}/kill`);
  await settle();
  refused.resolve();
  const { status, body } = await kill;
  await body?.cancel();
  assertEquals(status, 200);
  await settle();
  assertEquals((await app.execution(id)).state.current, "KILLED");
});

const SUBFLOW = `{id: each, type: ${CORE}.flow.Subflow, namespace: demo, flowId: waits}`;
const SLEEP = `{id: each, type: ${CORE}.flow.Sleep, duration: PT1H}`;

/** Tasks of which a ForEach runs more at once than one commit can stop: their messages, their timers, their records. */
const MANY_OPEN = [
  { what: "Subflows", count: 1_000, task: SUBFLOW },
  { what: "Sleeps", count: 1_200, task: SLEEP },
  { what: "Subflows", count: 5_000, task: SUBFLOW },
];

/** How they are stopped: a member of the flow or of the ForEach, or a request. */
interface Stop {
  readonly how: string;
  readonly member?: string;
  readonly limit?: string;
  readonly state: string;
}

const STOPS: readonly Stop[] = [
  { how: "a kill", state: "KILLED" },
  {
    how: "an SLA",
    member: "sla: [{id: s, type: MAX_DURATION, duration: PT10M, behavior: CANCEL}]",
    state: "CANCELLED",
  },
  { how: "a timeout", limit: ", timeout: PT10M", state: "FAILED" },
];

/** A flow that opens so many task runs at once. */
function manyOpen(count: number, task: string, { member = "", limit = "" }: Partial<Stop> = {}): string {
  return `
id: many
namespace: demo
${member}
tasks:
  - {id: all, type: ${CORE}.flow.ForEach, concurrencyLimit: 0, values: "{{ range(1, ${count}) }}"${limit}, tasks: [${task}]}
`;
}

async function stop(app: Harness, { how }: Stop, id: JsonValue | undefined): Promise<void> {
  if (how !== "a kill") return await app.advance(600_000);
  await (await app.request("DELETE", `/executions/${id}/kill`)).body?.cancel();
}

for (const { what, count, task } of MANY_OPEN) {
  for (const each of STOPS) {
    Deno.test(`${each.how} stops ${count} ${what} and leaves nothing of them`, async () => {
      await using app = await Harness.start();
      await app.save(`{id: waits, namespace: demo, tasks: [{id: p, type: ${CORE}.flow.Pause}]}`);
      await app.save(manyOpen(count, task, each));
      const { id } = await app.start("many");
      await untilOpen(app, count);
      await stop(app, each, id);
      for (let turn = 0; turn < 5_000 && app.assembly.executor.liveCount > 0; turn++) await settle(20);
      const execution = await app.execution(id);
      assertEquals(execution.state.current, each.state);
      assertEquals(
        execution.taskRunList.filter(({ state }) => !TERMINAL_STATES.has(state.current as State)),
        [],
      );
      const page = await app.page<{ state: { current: string } }>(`/executions/search?flowId=waits&size=1`);
      const killed = await app.page(`/executions/search?flowId=waits&state=KILLED&size=1`);
      assertEquals([page.total, killed.total], what === "Subflows" ? [count, count] : [0, 0]);
      assertEquals([app.store.count(["tm"]), app.store.count(["ob"]), app.store.count(["~g"])], [0, 0, 0]);
    });
  }
}

/** Waits until that many timers or child executions are stored. */
async function untilOpen({ store }: Harness, count: number): Promise<void> {
  for (let turn = 0; turn < 1_000; turn++) {
    if (store.count(["tm"]) >= count || store.count(["main", "x"]) > count) return await settle(200);
    await settle(50);
  }
}

/** An execution with 500 open timers on a disk that accepts one commit that deletes more than one of them. */
async function failingToStop(each: Stop): Promise<{ app: Harness; id: JsonValue | undefined }> {
  let commits = 0;
  const deletesTimers = ({ mutations }: Atomic) =>
    mutations.filter(({ type, key }) => type === "delete" && key[0] === "tm").length > 1;
  const app = await Harness.start({
    wrap: (memory) =>
      new FaultyStore(memory, (_, atomic) => deletesTimers(atomic) && ++commits > 1 ? "full" : "none"),
  });
  await app.save(manyOpen(500, SLEEP, each));
  const { id } = await app.start("many");
  await untilOpen(app, 500);
  await stop(app, each, id);
  return { app, id };
}

for (const each of STOPS) {
  Deno.test(`${each.how} of 500 timers that a crash interrupts leaves none of them that fires`, async () => {
    const { app, id } = await failingToStop(each);
    await using next = await app.crash({});
    await settle(200);
    // A kill and an SLA go on. Of the 501 timers of a timeout the first commit deletes 400; the others are deleted when they are due.
    const left = each.how === "a timeout" ? 101 : 0;
    assertEquals([(await next.execution(id)).state.current, next.store.count(["tm"])], [each.state, left]);
    await next.advance(3_700_000);
    assertEquals([(await next.execution(id)).state.current, next.store.count(["tm"])], [each.state, 0]);
  });
}

Deno.test("a delete of an execution with 1200 timers leaves none of them", async () => {
  await using app = await Harness.start();
  await app.save(manyOpen(1_200, SLEEP));
  const { id } = await app.start("many");
  await untilOpen(app, 1_200);
  await app.json("DELETE", `/executions/${id}`);
  await app.advance(3_700_000);
  assertEquals([app.store.count(["main", "x"]), app.store.count(["tm"])], [0, 0]);
});

const LONG_LIST = JSON.stringify(Array.from({ length: 60 }, (_, n) => `${n}`.padEnd(3_000, "x")));
const LONG_LABELS = Array.from({ length: 90 }, (_, n) => `k${n}: ${"v".repeat(950)}`).join(", ");

/** Executions with a page of task runs, or a header, that is longer than a value of the database. */
const LONG_RECORDS = [
  {
    what: "long values of a loop",
    inputs: LONG_LIST,
    task: `{id: t, type: ${CORE}.flow.ForEach, concurrencyLimit: 0, values: "{{ inputs.list }}", tasks: [
      {id: s, type: ${CORE}.flow.Sleep, duration: PT1H}]}`,
    runs: 62,
  },
  {
    what: "long labels",
    inputs: "[]",
    task: `{id: t, type: ${CORE}.execution.Labels, labels: {${LONG_LABELS}}}`,
    runs: 2,
  },
];

for (const { what, inputs, task, runs } of LONG_RECORDS) {
  Deno.test(`${what} do not end an execution, and are there after a crash`, async () => {
    const first = await Harness.start();
    await first.save(`
id: long
namespace: demo
inputs: [{id: list, type: JSON}]
tasks: [${task}, {id: last, type: ${CORE}.flow.Sleep, duration: PT1H}]
`);
    const { id } = await first.start("long", { list: inputs });
    await untilOpen(first, 1);
    const before = await first.execution(id);
    await using app = await first.crash();
    assertEquals(await app.execution(id), before);
    await app.advance(3_700_000);
    await app.advance(3_700_000);
    const { state, taskRunList } = await app.execution(id);
    assertEquals([state.current, taskRunList.length], ["SUCCESS", runs]);
    await app.json("DELETE", `/executions/${id}`);
    await settle();
    assertEquals([app.store.count(["main", "x"]), app.store.count(["main", "t"])], [0, 0]);
  });
}
