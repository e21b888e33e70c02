import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { SILENCE_MS } from "../../../src/model/http/worker_protocol.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { RunContext } from "../../../src/model/ports/run_context.ts";
import { Workers } from "../../../src/services/workers/workers.ts";
import { setAssignment } from "../../../src/store/records/assignment_records.ts";
import { MemoryStore } from "../../support/fakes/memory_store.ts";
import { quietCommitter } from "../../support/fakes/quiet_committer.ts";
import { FakeWorker, REMOTE_TASK, remoteFlow } from "../../support/fakes/fake_worker.ts";
import { Harness, type HarnessOptions, statesOf } from "../../support/harness.ts";

const OPTIONS: HarnessOptions = { extraTasks: [REMOTE_TASK] };

async function startedOn(app: Harness, more?: string): Promise<string> {
  const flow = await app.save(remoteFlow("f", more));
  const { id } = await app.start(String(flow.id));
  await settle();
  return String(id);
}

/** Log messages of an execution. */
async function linesOf(app: Harness, id: string): Promise<unknown[]> {
  const lines = await app.json("GET", `/logs/${id}`) as JsonObject[];
  return lines.map(({ message }) => message);
}

async function attemptStates(app: Harness, id: string): Promise<string[]> {
  const [taskRun] = (await app.execution(id)).taskRunList;
  return (taskRun?.attempts ?? []).map(({ state }) => state.current);
}

/** Moves the clock while the worker confirms the attempts. */
async function advanceWith(app: Harness, worker: FakeWorker, leases: readonly string[], ms: number) {
  for (let passed = 0; passed < ms; passed += 5_000) {
    await app.advance(5_000);
    await worker.beat(leases);
  }
}

Deno.test("Workers: an attempt waits for a worker of its group, which runs it with rendered properties", async () => {
  await using app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  await using other = await FakeWorker.connect(app, { id: "other", groups: ["eu"] });
  assertEquals(other.attempts, []);
  await using worker = await FakeWorker.connect(app);
  const { lease, type, properties, taskId, attemptNumber } = worker.attempt();
  assertEquals({ type, properties, taskId, attemptNumber }, {
    type: "harness.Remote",
    properties: { text: "f" },
    taskId: "job",
    attemptNumber: 1,
  });
  assertEquals(await worker.report(lease, 1, "one", "two"), 204);
  const metrics = [{ name: "rows", type: "counter", value: 3 }];
  const end = { outputs: { x: 1 }, lines: [["WARN", "three"]], metrics };
  assertEquals(await worker.end(lease, 2, end), 204);
  const execution = await app.execution(id);
  assertEquals(execution.state.current, "SUCCESS");
  assertEquals(execution.taskRunList[0]?.outputs, { x: 1 });
  assertEquals(await linesOf(app, id), ["one", "two", "three"]);
  assertEquals((await app.page(`/metrics/${id}`)).total, 1);
});

Deno.test("Workers: a repeated report adds nothing, and a repeated end gets the same response", async () => {
  await using app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  await using worker = await FakeWorker.connect(app);
  const { lease } = worker.attempt();
  assertEquals(await worker.report(lease, 1, "one"), 204);
  assertEquals(await worker.report(lease, 1, "one"), 204);
  const ends = await Promise.all([worker.end(lease, 2), worker.end(lease, 2)]);
  assertEquals([...ends, await worker.end(lease, 2)], [204, 204, 204]);
  assertEquals(await linesOf(app, id), ["one"]);
  assertEquals(await worker.report("unknown", 1, "x"), 404);
});

const FALLBACKS: readonly [fallback: string, state: string][] = [
  ["", "RUNNING"],
  [", fallback: WAIT", "RUNNING"],
  [", fallback: FAIL", "FAILED"],
  [", fallback: CANCEL", "CANCELLED"],
];

for (const [fallback, state] of FALLBACKS) {
  Deno.test(`Workers: without a worker of the group {key: gpu${fallback}} makes the execution ${state}`, async () => {
    await using app = await Harness.start(OPTIONS);
    const id = await startedOn(app, `workerGroup: {key: gpu${fallback}}`);
    const execution = await app.execution(id);
    assertEquals(execution.state.current, state);
    if (state !== "RUNNING") return assertStringIncludes(String((await linesOf(app, id))[0]), '"gpu"');
    const { reason, group, isConnected, taskId } = execution.waiting as JsonObject;
    assertEquals({ reason, group, isConnected, taskId }, {
      reason: "WORKER",
      group: "gpu",
      isConnected: false,
      taskId: "job",
    });
  });
}

Deno.test("Workers: the group of a task comes before that of its flow, and may be an expression", async () => {
  await using app = await Harness.start(OPTIONS);
  const task = "{id: job, type: io.svc.plugin.harness.Remote";
  await app.save(`{id: a, namespace: demo, workerGroup: {key: eu}, tasks: [${task}}]}`);
  await app.save(
    `{id: b, namespace: demo, workerGroup: {key: eu}, variables: {g: gpu}, tasks: [${task}, workerGroup: {key: "{{ vars.g }}"}}]}`,
  );
  await app.start("a");
  await app.start("b");
  await using gpu = await FakeWorker.connect(app, { id: "gpu" });
  await using eu = await FakeWorker.connect(app, { id: "eu", groups: ["eu"] });
  assertEquals([gpu, eu].map((worker) => worker.attempts.map(({ flowId }) => flowId)), [["b"], ["a"]]);
});

Deno.test("Workers: no worker gets more attempts at a time than it asked for", async () => {
  await using app = await Harness.start(OPTIONS);
  await app.save(remoteFlow("f"));
  for (let count = 0; count < 3; count++) await app.start("f");
  await using worker = await FakeWorker.connect(app, { concurrency: 2 });
  assertEquals(worker.attempts.length, 2);
  await worker.end(worker.attempt().lease, 1);
  await settle();
  assertEquals(worker.attempts.length, 3);
});

Deno.test("Workers: a kill reaches the worker at once, and its end is KILLED whatever it reports", async () => {
  await using app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  await using worker = await FakeWorker.connect(app);
  const { lease } = worker.attempt();
  await app.json("DELETE", `/executions/${id}/kill`);
  await settle();
  assertEquals(worker.stopped, [lease]);
  assertEquals(await worker.beat([lease]), [lease]);
  assertEquals(await worker.end(lease, 1, { lines: [["INFO", "bye"]] }), 204);
  await settle();
  assertEquals((await app.execution(id)).state.current, "KILLED");
  assertEquals(await attemptStates(app, id), ["KILLED"]);
});

Deno.test("Workers: a kill of an attempt that waits for a worker needs none", async () => {
  await using app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  await app.json("DELETE", `/executions/${id}/kill`);
  await settle();
  assertEquals((await app.execution(id)).state.current, "KILLED");
  await using worker = await FakeWorker.connect(app);
  assertEquals(worker.attempts, []);
});

Deno.test("Workers: the attempt of a silent worker is RESUBMITTED to another one, and its late end is refused", async () => {
  await using app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  await using silent = await FakeWorker.connect(app, { id: "silent" });
  const { lease } = silent.attempt();
  await app.advance(SILENCE_MS - 2_000);
  assertEquals(await attemptStates(app, id), ["RUNNING"]);
  await app.advance(3_000);
  assertEquals(await attemptStates(app, id), ["RESUBMITTED", "RUNNING"]);
  await using second = await FakeWorker.connect(app, { id: "second" });
  assertEquals(await silent.end(lease, 1), 404);
  assertEquals(await silent.upload(lease, "x", "y"), 404);
  assertEquals(second.attempt().attemptNumber, 2);
  assertEquals(await second.end(second.attempt().lease, 1, { outputs: { by: 2 } }), 204);
  const execution = await app.execution(id);
  assertEquals(execution.state.current, "SUCCESS");
  assertEquals(execution.taskRunList[0]?.outputs, { by: 2 });
});

Deno.test("Workers: an attempt that its worker no longer confirms is RESUBMITTED, a killed one ends KILLED", async () => {
  for (const isKilled of [false, true]) {
    await using app = await Harness.start(OPTIONS);
    const id = await startedOn(app);
    await using worker = await FakeWorker.connect(app);
    const { lease } = worker.attempt();
    await worker.beat([lease]);
    if (isKilled) await app.json("DELETE", `/executions/${id}/kill`);
    await advanceWith(app, worker, [], SILENCE_MS);
    assertEquals(await attemptStates(app, id), ["RUNNING"]);
    await advanceWith(app, worker, [], 5_000);
    await settle();
    assertEquals(await attemptStates(app, id), isKilled ? ["KILLED"] : ["RESUBMITTED", "RUNNING"]);
  }
});

Deno.test("Workers: an attempt that was killed while its worker was away is not sent to it again", async () => {
  await using app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  const first = await FakeWorker.connect(app);
  await first[Symbol.asyncDispose]();
  await app.json("DELETE", `/executions/${id}/kill`);
  await using again = await FakeWorker.connect(app);
  assertEquals(again.attempts, []);
  assertEquals(await attemptStates(app, id), ["KILLED"]);
});

Deno.test("Workers: a worker that stops in order hands its attempts on at once", async () => {
  await using app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  await using worker = await FakeWorker.connect(app);
  await worker.post("/leave", { id: worker.id });
  await settle();
  assertEquals(await attemptStates(app, id), ["RESUBMITTED", "RUNNING"]);
});

Deno.test("Workers: a task whose worker is lost three times in succession fails", async () => {
  await using app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  for (let time = 0; time < 3; time++) {
    await using _worker = await FakeWorker.connect(app, { id: `w${time}` });
    await app.advance(SILENCE_MS + 1_000);
  }
  assertEquals(await attemptStates(app, id), ["RESUBMITTED", "RESUBMITTED", "FAILED"]);
  assertStringIncludes(String((await linesOf(app, id)).at(-1)), "lost 3 times");
});

Deno.test("Workers: crashes of the server and orderly stops of workers are no losses, which survive both", async () => {
  let app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  const lose = async (time: number) => {
    await using _worker = await FakeWorker.connect(app, { id: `w${time}` });
    await app.advance(SILENCE_MS + 1_000);
  };
  await lose(1);
  await lose(2);
  app = await app.crash();
  await settle();
  for (let time = 0; time < 3; time++) {
    await using worker = await FakeWorker.connect(app, { id: `s${time}` });
    await worker.post("/leave", { id: worker.id });
    await settle();
  }
  assertEquals((await app.execution(id)).state.current, "RUNNING");
  await lose(3);
  assertEquals((await app.execution(id)).state.current, "FAILED");
  await app[Symbol.asyncDispose]();
});

Deno.test("Workers: a worker that reconnects keeps its attempts, and gets again what it has not received", async () => {
  await using app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  const first = await FakeWorker.connect(app);
  const { lease } = first.attempt();
  await first[Symbol.asyncDispose]();
  await using again = await FakeWorker.connect(app, { leases: [lease, "other"] });
  assertEquals(again.events, [{ type: "welcome", stop: ["other"] }]);
  await again[Symbol.asyncDispose]();
  await using forgetful = await FakeWorker.connect(app);
  assertEquals(forgetful.attempt().lease, lease);
  assertEquals(await forgetful.end(lease, 1), 204);
  assertEquals(await attemptStates(app, id), ["SUCCESS"]);
});

Deno.test("Workers: a restart or crash of the server does not interrupt an attempt, and its lines are stored once", async () => {
  for (const stop of ["crash", "restart"] as const) {
    const first = await Harness.start(OPTIONS);
    const id = await startedOn(first);
    const before = await FakeWorker.connect(first);
    const { lease } = before.attempt();
    assertEquals(await before.report(lease, 1, "before"), 204);
    if (stop === "crash") await before[Symbol.asyncDispose]();
    await using app = await first[stop]();
    if (stop === "restart") await before[Symbol.asyncDispose]();
    await settle();
    await using worker = await FakeWorker.connect(app, { leases: [lease] });
    assertEquals(worker.events, [{ type: "welcome", stop: [] }]);
    assertEquals(await worker.report(lease, 1, "before"), 204);
    assertEquals(await worker.report(lease, 2, "after"), 204);
    await advanceWith(app, worker, [lease], SILENCE_MS + 5_000);
    assertEquals(await worker.end(lease, 3, { outputs: { x: 1 } }), 204);
    const execution = await app.execution(id);
    assertEquals(statesOf(execution), "CREATED RUNNING SUCCESS");
    assertEquals(await attemptStates(app, id), ["SUCCESS"]);
    assertEquals(await linesOf(app, id), ["before", "after"]);
  }
});

Deno.test("Workers: an attempt whose worker does not come back after a crash of the server is RESUBMITTED", async () => {
  const first = await Harness.start(OPTIONS);
  const id = await startedOn(first);
  const before = await FakeWorker.connect(first);
  await before[Symbol.asyncDispose]();
  await using app = await first.crash();
  await app.advance(SILENCE_MS - 2_000);
  assertEquals(await attemptStates(app, id), ["RUNNING"]);
  await app.advance(4_000);
  assertEquals(await attemptStates(app, id), ["RESUBMITTED", "RUNNING"]);
});

Deno.test("Workers: crashes of the server do not count for an execution that only a worker works on", async () => {
  let app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  const before = await FakeWorker.connect(app);
  const { lease } = before.attempt();
  await before[Symbol.asyncDispose]();
  for (let crash = 0; crash < 4; crash++) app = await app.crash();
  await using last = app;
  await settle();
  await using worker = await FakeWorker.connect(last, { leases: [lease] });
  assertEquals(await worker.end(lease, 1), 204);
  assertEquals((await last.execution(id)).state.current, "SUCCESS");
});

Deno.test("Workers: a timeout stops the attempt, also what remains of it after a crash of the server", async () => {
  const first = await Harness.start(OPTIONS);
  const id = await startedOn(first, "timeout: PT1M, workerGroup: {key: gpu}");
  const before = await FakeWorker.connect(first);
  const { lease } = before.attempt();
  await advanceWith(first, before, [lease], 40_000);
  await before[Symbol.asyncDispose]();
  await using app = await first.crash();
  await using worker = await FakeWorker.connect(app, { leases: [lease] });
  await advanceWith(app, worker, [lease], 15_000);
  assertEquals(worker.stopped, []);
  await advanceWith(app, worker, [lease], 10_000);
  assertEquals(worker.stopped, [lease]);
  assertEquals(await attemptStates(app, id), ["FAILED"]);
});

Deno.test("Workers: the late end of an attempt that timed out leaves the record of the next one", async () => {
  const first = await Harness.start(OPTIONS);
  const retry = "retry: {type: constant, interval: PT1S, maxAttempt: 3}";
  const id = await startedOn(first, `timeout: PT1M, ${retry}, workerGroup: {key: gpu}`);
  const before = await FakeWorker.connect(first, { concurrency: 2 });
  const { lease: late } = before.attempt();
  await advanceWith(first, before, [late], 65_000);
  const { lease } = before.attempt();
  assertEquals([lease === late, await before.end(late, 1, { state: "KILLED" })], [false, 204]);
  await settle();
  await before[Symbol.asyncDispose]();
  await using app = await first.crash();
  await using worker = await FakeWorker.connect(app, { leases: [lease] });
  await advanceWith(app, worker, [lease], 20_000);
  assertEquals([worker.stopped, await attemptStates(app, id)], [[], ["FAILED", "RUNNING"]]);
});

Deno.test("Workers: files belong to the execution with the end of the attempt, which is refused while one is missing", async () => {
  await using app = await Harness.start(OPTIONS);
  const id = await startedOn(app);
  await using worker = await FakeWorker.connect(app);
  const { lease, folder } = worker.attempt();
  const name = `${id}-a.txt`;
  assertEquals(await worker.upload(lease, "a.txt", "x"), 422);
  assertEquals(await worker.end(lease, 1, { files: [name] }), 409);
  assertEquals(await worker.upload(lease, name, "content"), 204);
  assertEquals(await worker.upload(lease, name, "other"), 204);
  const uri = folder + name;
  const read = await app.open("GET", `/api/v1/worker/leases/${lease}/files?uri=${encodeURIComponent(uri)}`);
  assertEquals(await read.text(), "content");
  assertEquals(await worker.end(lease, 1, { files: [name], outputs: { uri } }), 204);
  const stored = await app.open("GET", `/executions/${id}/file?path=${encodeURIComponent(uri)}`);
  assertEquals(await stored.text(), "content");
});

Deno.test("Workers: an attempt carries its secrets to the worker, the server masks lines and encrypts marked outputs", async () => {
  const secrets = new Map([["KEY", btoa("hush-hush")]]);
  await using app = await Harness.start({ ...OPTIONS, secrets });
  await app.save(
    `{id: f, namespace: demo, tasks: [{id: job, type: io.svc.plugin.harness.Remote, text: "{{ secret('KEY') }}", workerGroup: {key: gpu}}]}`,
  );
  const { id } = await app.start("f");
  await using worker = await FakeWorker.connect(app);
  const attempt = worker.attempt();
  assertEquals([attempt.properties, attempt.secrets], [{ text: "hush-hush" }, ["hush-hush"]]);
  const outputs = { token: { [`sluice-seal-${attempt.lease}`]: "sealed text" } };
  await worker.end(attempt.lease, 1, { outputs, lines: [["INFO", "it is hush-hush"]] });
  assertEquals(await linesOf(app, String(id)), ["it is **masked*"]);
  const [taskRun] = (await app.execution(id)).taskRunList;
  const token = taskRun?.outputs.token as JsonObject;
  assertMatch(String(token.type), /encrypted/);
  assertEquals(JSON.stringify(taskRun).includes("sealed text"), false);
});

Deno.test("GET /workers lists workers with their groups and the number of their attempts", async () => {
  await using app = await Harness.start(OPTIONS);
  await startedOn(app);
  await using _worker = await FakeWorker.connect(app);
  const { results: [worker] } = await app.page("/workers");
  const { id, groups, attempts, isConnected, concurrency } = worker ?? {};
  assertEquals({ id, groups, attempts, isConnected, concurrency }, {
    id: "w1",
    groups: ["gpu"],
    attempts: 1,
    isConnected: true,
    concurrency: 1,
  });
});

Deno.test("Workers.run(): an attempt that its worker does not know is lost, also if the worker connects before it is resumed", async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const committer = quietCommitter(store, clock);
  await committer.start();
  const job = { tenant: "t", executionId: "e", ordinal: 0, attemptNumber: 1, group: "gpu", workerId: "w" };
  const leases = ["known", "unknown"];
  const assignments = leases.map((lease, ordinal) => setAssignment({ ...job, ordinal, lease, seq: 0 }));
  await committer.commit({ mutations: assignments });
  const files = { folderOf: () => "/", put: () => Promise.resolve(0) };
  const logger = silentLogger(clock);
  const randomBytes = () => {};
  const rules = { runsScripts: () => false, isExpected: () => true };
  const workers = new Workers({ store, committer, clock, logger, randomBytes, files, ...rules });
  await workers.start();
  workers.connect(
    { id: "w", name: "w", groups: ["gpu"], concurrency: 2, version: "1", leases: ["known"] },
    undefined,
    () => {},
  );
  const ends = leases.map(async (lease, ordinal) => {
    const context = { ...job, signal: new AbortController().signal } as unknown as RunContext;
    return `${lease} ${await workers.run({
      context,
      ordinal,
      type: "x",
      group: "gpu",
      secrets: [],
      keep: () => {},
    })}`;
  });
  assertEquals(await ends[1], "unknown lost");
  workers.leave("w", undefined);
  assertEquals(await ends[0], "known stopped");
  await committer[Symbol.asyncDispose]();
  store.close();
});
