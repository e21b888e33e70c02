import { assertEquals, assertStringIncludes } from "@std/assert";
import { IdSource } from "../../src/base/id.ts";
import { silentLogger } from "../../src/base/log.ts";
import { WorkDirectories } from "../../src/machine/scripts/work_directories.ts";
import { UNCONFIRMED_MS } from "../../src/model/http/worker_protocol.ts";
import type { RunContext } from "../../src/model/ports/run_context.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../src/model/tasks/task_catalog.ts";
import { createTaskCatalog } from "../../src/tasks/registry.ts";
import { ServerApi } from "../../src/worker/server_api.ts";
import { Session } from "../../src/worker/session.ts";
import type { WorkerMachine } from "../../src/worker/worker_context.ts";
import { FakeClock, settle } from "../support/fakes/fake_clock.ts";
import { REMOTE_TASK, remoteFlow } from "../support/fakes/fake_worker.ts";
import { Harness } from "../support/harness.ts";

type Run = (
  context: RunContext,
  properties: Parameters<RunnableTaskType["run"]>[0],
) => Promise<AttemptOutcome>;

/** A worker in the test process: the real session, with a task that the test defines. */
class TestWorker implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly session: Session;
  readonly directories = new WorkDirectories(undefined);
  /** Responses are lost while it is true. */
  isCut = false;
  /** Requests get no response while it is true. */
  isSilent = false;
  /** Heartbeats that it has sent. */
  beats = 0;
  /** Refuses the next request whose address ends with `path`. */
  refusal: { readonly path: string; readonly status: number } | undefined;
  #broken = new AbortController();
  readonly #worked: Promise<string | undefined>;

  constructor(server: () => Harness, run: Run) {
    const { clock, directories } = this;
    const used: Partial<WorkerMachine> = { clock, workingDirectories: directories, isOffline: true };
    const machine = used as WorkerMachine;
    const send = async (request: Request) => {
      if (request.url.endsWith("/heartbeat")) this.beats++;
      if (this.isCut) throw new TypeError("connection refused");
      if (this.isSilent) {
        await aborted(request.signal);
        throw request.signal.reason;
      }
      if (this.refusal && request.url.endsWith(this.refusal.path)) {
        const { status } = this.refusal;
        this.refusal = undefined;
        return new Response("refused", { status });
      }
      const { body, status, headers } = await server().assembly.fetch(request);
      // As `fetch` does: an aborted request ends its response.
      const signal = AbortSignal.any([request.signal, this.#broken.signal]);
      return new Response(body?.pipeThrough(new TransformStream(), { signal }) ?? null, { status, headers });
    };
    const type = {
      ...REMOTE_TASK,
      run: (properties, context) => run(context, properties),
    } as typeof REMOTE_TASK;
    this.session = new Session({
      api: new ServerApi({ url: "http://127.0.0.1:8080", version: "1", send, clock }),
      machine,
      logger: silentLogger(clock),
      catalog: createTaskCatalog([type]),
      ids: new IdSource(),
      version: "1",
      hello: { name: "w1", groups: ["gpu"], concurrency: 2, version: "1" },
    });
    this.#worked = this.session.work();
  }

  /** Breaks the connection; no request succeeds until `isCut` is false. */
  cut(): void {
    this.isCut = true;
    this.#broken.abort();
    this.#broken = new AbortController();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.session.stop();
    await this.#worked;
    await this.directories[Symbol.asyncDispose]();
  }
}

/** Resolves when the signal is aborted. */
async function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve());
  await promise;
}

async function delay(clock: FakeClock, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.setTimer(ms, resolve);
  await promise;
}

/** Lets both sides work. */
async function pass(app: Harness, worker: TestWorker, ms = 0): Promise<void> {
  for (let passed = 0; passed <= ms; passed += 500) {
    await worker.clock.advance(ms === 0 ? 0 : 500);
    await app.advance(ms === 0 ? 0 : 500);
  }
  await settle();
}

async function untilEnded(app: Harness, worker: TestWorker, id: unknown) {
  for (let turn = 0; turn < 200; turn++) {
    const execution = await app.execution(String(id));
    if (execution.state.current !== "RUNNING" && execution.state.current !== "CREATED") return execution;
    await pass(app, worker, 500);
  }
  throw new Error("The execution has not ended");
}

const OPTIONS = { extraTasks: [REMOTE_TASK] };

Deno.test("Session: runs an attempt by the code of the server, with lines, files, metrics and masked secrets", async () => {
  await using app = await Harness.start({ ...OPTIONS, secrets: new Map([["KEY", btoa("hush-hush")]]) });
  await using worker = new TestWorker(() => app, async (context, { text }) => {
    context.log("INFO", `got ${text}`);
    context.metric({ name: "rows", type: "counter", value: 2 });
    const { uri } = await context.ports.storage.write(context, "a.txt", chunks("content"));
    const own = await context.ports.storage.open(context, uri);
    const outputs = { uri, own: await new Response(own?.content).text() };
    return { state: "WARNING", outputs: { ...outputs, sealed: context.ports.cipher.seal(context, "x") } };
  });
  await app.save(
    `{id: f, namespace: demo, tasks: [{id: job, type: io.svc.plugin.harness.Remote, text: "{{ secret('KEY') }}", workerGroup: {key: gpu}}]}`,
  );
  const { id } = await app.start("f");
  const execution = await untilEnded(app, worker, id);
  assertEquals(execution.state.current, "WARNING");
  const [taskRun] = execution.taskRunList;
  assertEquals(taskRun?.outputs.own, "content");
  assertStringIncludes(JSON.stringify(taskRun?.outputs.sealed), "encrypted");
  const path = encodeURIComponent(String(taskRun?.outputs.uri));
  assertEquals(await (await app.open("GET", `/executions/${id}/file?path=${path}`)).text(), "content");
  const [line] = await app.json("GET", `/logs/${id}`) as { message: string }[];
  assertEquals(line?.message, "got **masked*");
  assertEquals((await app.page(`/metrics/${id}`)).total, 1);
});

Deno.test("Session: more lines than fit one report arrive in order, and the writer waits", async () => {
  await using app = await Harness.start(OPTIONS);
  await using worker = new TestWorker(() => app, async (context) => {
    for (let count = 0; count < 5_000; count++) {
      context.log("INFO", `line ${count}`);
      await context.logged();
    }
    return { state: "SUCCESS" };
  });
  await app.save(remoteFlow("f"));
  const { id } = await app.start("f");
  assertEquals((await untilEnded(app, worker, id)).state.current, "SUCCESS");
  const lines = await app.json("GET", `/logs/${id}`) as { message: string }[];
  assertEquals(lines.map(({ message }) => message), Array.from({ length: 5_000 }, (_, n) => `line ${n}`));
});

Deno.test("Session: a line of control characters that exceeds a message in JSON is cut, with its length", async () => {
  await using app = await Harness.start(OPTIONS);
  await using worker = new TestWorker(() => app, (context) => {
    context.log("INFO", "\0".repeat(900_000));
    context.log("INFO", "after");
    return Promise.resolve({ state: "SUCCESS" });
  });
  await app.save(remoteFlow("f"));
  const { id } = await app.start("f");
  assertEquals((await untilEnded(app, worker, id)).state.current, "SUCCESS");
  const lines = await app.json("GET", `/logs/${id}`) as { message: string }[];
  const [first, second, after] = lines.map(({ message }) => message);
  assertEquals(first, "\0".repeat(8_192));
  assertStringIncludes(second ?? "", "(cut, 900000 characters)");
  assertEquals([after, lines.length], ["after", 3]);
});

Deno.test("Session: lines that the server refuses are left out, which the log says, and the attempt goes on", async () => {
  await using app = await Harness.start(OPTIONS);
  await using worker = new TestWorker(() => app, async (context) => {
    for (const message of ["one", "two"]) {
      context.log("INFO", message);
      await delay(worker.clock, 2_000);
    }
    return { state: "SUCCESS" };
  });
  worker.refusal = { path: "/report", status: 413 };
  await app.save(remoteFlow("f"));
  const { id } = await app.start("f");
  assertEquals((await untilEnded(app, worker, id)).state.current, "SUCCESS");
  const lines = await app.json("GET", `/logs/${id}`) as { message: string }[];
  assertEquals(lines.map(({ message }) => message), ["Cannot store 1 log lines: 413 refused", "two"]);
});

Deno.test("Session: an error fails the attempt with its message, and a kill ends it KILLED", async () => {
  await using app = await Harness.start(OPTIONS);
  await using worker = new TestWorker(() => app, async (context, { text }) => {
    if (text === "f") throw new Error("no such table");
    await aborted(context.signal);
    return { state: "KILLED" };
  });
  await app.save(remoteFlow("f"));
  await app.save(remoteFlow("k"));
  const failed = await app.start("f");
  assertEquals((await untilEnded(app, worker, failed.id)).state.current, "FAILED");
  const [line] = await app.json("GET", `/logs/${failed.id}`) as { message: string }[];
  assertEquals(line?.message, "no such table");
  const { id } = await app.start("k");
  await pass(app, worker, 1_000);
  await app.json("DELETE", `/executions/${id}/kill`);
  await pass(app, worker);
  assertEquals((await app.execution(id)).state.current, "KILLED");
});

Deno.test("Session: an attempt whose file is over a quota of its tenant fails with the refusal", async () => {
  const quotaLimits = { fileBytes: { tenants: new Map([["main", 3]]) } };
  await using app = await Harness.start({ ...OPTIONS, quotaLimits });
  await using worker = new TestWorker(() => app, async (context) => {
    const { uri } = await context.ports.storage.write(context, "a.txt", chunks("content"));
    return { state: "SUCCESS", outputs: { uri } };
  });
  await app.save(remoteFlow("f"));
  const { id } = await app.start("f");
  assertEquals((await untilEnded(app, worker, id)).state.current, "FAILED");
  const [line] = await app.json("GET", `/logs/${id}`) as { message: string }[];
  assertStringIncludes(String(line?.message), "Quota Exceeded");
});

Deno.test("Session: a file is read after a restart of the server, and while the server is too busy", async () => {
  let app = await Harness.start(OPTIONS);
  const begin = Promise.withResolvers<void>();
  const worker = new TestWorker(() => app, async (context) => {
    await begin.promise;
    const { namespaceFiles } = context.ports;
    const absent = await namespaceFiles.open(context, "demo", "absent.txt");
    const file = await namespaceFiles.open(context, "demo", "a.txt");
    return {
      state: "SUCCESS",
      outputs: { text: await new Response(file?.content).text(), isAbsent: !absent },
    };
  });
  await using _worker = worker;
  const form = new FormData();
  form.append("fileContent", new Blob(["content"]), "a.txt");
  await app.request("POST", "/namespaces/demo/files?path=/a.txt", { body: form });
  await app.save(remoteFlow("f"));
  const { id } = await app.start("f");
  await pass(app, worker, 2_000);
  worker.isCut = true;
  begin.resolve();
  app = await app.restart();
  await using last = app;
  await pass(last, worker, 2_000);
  worker.refusal = { path: "a.txt", status: 503 };
  worker.isCut = false;
  const execution = await untilEnded(last, worker, id);
  assertEquals(execution.taskRunList[0]?.outputs, { text: "content", isAbsent: true });
});

Deno.test("Session: an attempt outlasts a restart of the server, which it reports to afterwards with its files", async () => {
  let app = await Harness.start(OPTIONS);
  const finish = Promise.withResolvers<void>();
  const worker = new TestWorker(() => app, async (context) => {
    const { uri } = await context.ports.storage.write(context, "a", chunks("content"));
    context.log("INFO", "before");
    await finish.promise;
    context.log("INFO", "after");
    return { state: "SUCCESS", outputs: { uri } };
  });
  await using _worker = worker;
  await app.save(remoteFlow("f"));
  const { id } = await app.start("f");
  await pass(app, worker, 2_000);
  worker.isCut = true;
  app = await app.restart();
  await using last = app;
  await pass(last, worker, 2_000);
  worker.isCut = false;
  await pass(last, worker, 3_000);
  finish.resolve();
  const execution = await untilEnded(last, worker, id);
  assertEquals(execution.taskRunList[0]?.attempts?.map(({ state }) => state.current), ["SUCCESS"]);
  const lines = await last.json("GET", `/logs/${id}`) as { message: string }[];
  assertEquals(lines.map(({ message }) => message), ["before", "after"]);
});

/** What ends an attempt, by members of its task, and the state of the execution then. */
const ENDS: readonly (readonly [name: string, more: string, state: string])[] = [
  ["a kill", "workerGroup: {key: gpu}", "KILLED"],
  ["a timeout", "workerGroup: {key: gpu}, timeout: PT4S", "FAILED"],
];

for (const [name, more, state] of ENDS) {
  Deno.test(`Session: ${name} while the connection is broken ends the attempt after the next connection`, async () => {
    await using app = await Harness.start(OPTIONS);
    let ended = 0;
    await using worker = new TestWorker(() => app, async ({ signal }) => {
      await aborted(signal);
      ended++;
      return { state: "KILLED" };
    });
    await app.save(remoteFlow("f", more));
    const { id } = await app.start("f");
    await pass(app, worker, 1_000);
    worker.cut();
    await settle();
    if (state === "KILLED") await app.json("DELETE", `/executions/${id}/kill`);
    await pass(app, worker, 5_000);
    assertEquals(ended, 0);
    worker.isCut = false;
    await pass(app, worker, 3_000);
    assertEquals((await app.execution(String(id))).state.current, state);
    assertEquals([ended, worker.session.attempts], [1, 0]);
    const { results: [{ attempts } = {}] } = await app.page("/workers");
    assertEquals(attempts, 0);
  });
}

Deno.test("Session: ends its attempts when the server confirms none, before another worker gets them", async () => {
  await using app = await Harness.start(OPTIONS);
  let isAborted = false;
  await using worker = new TestWorker(() => app, async (context) => {
    await aborted(context.signal);
    isAborted = true;
    return { state: "KILLED" };
  });
  await app.save(remoteFlow("f"));
  await app.start("f");
  await pass(app, worker, 1_000);
  worker.isCut = true;
  await worker.clock.advance(UNCONFIRMED_MS - 6_000);
  assertEquals(isAborted, false);
  await worker.clock.advance(8_000);
  assertEquals(isAborted, true);
  assertEquals(worker.session.attempts, 0);
  worker.isCut = false;
});

Deno.test("Session: connects again when the server does not answer the connection", async () => {
  await using app = await Harness.start(OPTIONS);
  await using worker = new TestWorker(() => app, () => Promise.resolve({ state: "SUCCESS", outputs: {} }));
  await pass(app, worker);
  worker.isSilent = true;
  worker.cut();
  worker.isCut = false;
  await worker.clock.advance(10_000);
  worker.isSilent = false;
  await worker.clock.advance(60_000);
  await app.save(remoteFlow("f"));
  const { id } = await app.start("f");
  assertEquals((await untilEnded(app, worker, id)).state.current, "SUCCESS");
});

Deno.test("Session: sends a heartbeat each ten seconds without attempts, else each five", async () => {
  await using app = await Harness.start(OPTIONS);
  await using worker = new TestWorker(() => app, async ({ signal }) => {
    await aborted(signal);
    return { state: "KILLED" };
  });
  await app.save(remoteFlow("f"));
  await pass(app, worker, 1_000);
  await pass(app, worker, 40_000);
  assertEquals(worker.beats, 4);
  await pass(app, worker, 7_000);
  await app.start("f");
  await pass(app, worker);
  // The last confirmation is too old for an attempt.
  assertEquals(worker.beats, 5);
  await pass(app, worker, 18_000);
  assertEquals(worker.beats, 9);
});

Deno.test("Session: an attempt that it has ended unconfirmed ends RESUBMITTED before it is run again", async () => {
  await using app = await Harness.start(OPTIONS);
  const finish = Promise.withResolvers<void>();
  let count = 0;
  await using worker = new TestWorker(() => app, async (context) => {
    context.log("INFO", `run ${++count}`);
    await Promise.race([finish.promise, aborted(context.signal)]);
    return { state: "SUCCESS" };
  });
  await app.save(remoteFlow("f"));
  const { id } = await app.start("f");
  await pass(app, worker, 2_000);
  worker.isCut = true;
  await pass(app, worker, UNCONFIRMED_MS + 2_000);
  worker.isCut = false;
  await pass(app, worker, 15_000);
  finish.resolve();
  const execution = await untilEnded(app, worker, id);
  const states = execution.taskRunList[0]?.attempts?.map(({ state }) => state.current);
  assertEquals(states, ["RESUBMITTED", "SUCCESS"]);
  const lines = await app.json("GET", `/logs/${id}`) as { message: string }[];
  const ofRuns = lines.map(({ message }) => message).filter((message) => message.startsWith("run "));
  assertEquals(ofRuns, ["run 1", "run 2"]);
});

Deno.test("Session: paths of the server in properties are those of the worker", async () => {
  await using app = await Harness.start(OPTIONS);
  const seen = Promise.withResolvers<unknown>();
  await using worker = new TestWorker(() => app, (_, { text }) => {
    seen.resolve(text);
    return Promise.resolve({ state: "SUCCESS" });
  });
  await app.save(
    `{id: f, namespace: demo, tasks: [{id: job, type: io.svc.plugin.harness.Remote, text: "{{ workingDir }}", workerGroup: {key: gpu}}]}`,
  );
  await app.start("f");
  await pass(app, worker, 1_000);
  assertStringIncludes(String(await seen.promise), worker.directories.pathOf(""));
});

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(new TextEncoder().encode(text));
}
