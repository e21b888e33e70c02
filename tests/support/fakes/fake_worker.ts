/** A worker that a test plays: it speaks the protocol of workers with a server in the test process. */
import { parseJson } from "../../../src/base/json.ts";
import type { LeasedAttempt, WorkerEvent } from "../../../src/model/http/worker_protocol.ts";
import type { RunnableTaskType } from "../../../src/model/tasks/task_catalog.ts";
import { sseEvents } from "../../../src/base/network/sse_events.ts";
import { settle } from "./fake_clock.ts";
import type { Harness } from "../harness.ts";

interface FakeWorkerOptions {
  readonly id?: string;
  readonly groups?: readonly string[];
  readonly concurrency?: number;
  /** Attempts that it runs already. */
  readonly leases?: readonly string[];
}

/** A task type that runs on workers; on the server it fails. */
export const REMOTE_TASK: RunnableTaskType = {
  form: "runnable",
  type: "harness.Remote",
  aliases: [],
  description: "Runs on workers.",
  pure: false,
  runsOnWorkers: true,
  properties: { text: { type: "string", dynamic: true, description: "Passed to the worker." } },
  run: () => Promise.reject(new Error("It ran on the server")),
};

/** A flow in namespace `demo` with one task on workers; `more` are further members of the task. */
export function remoteFlow(id: string, more = "workerGroup: {key: gpu}"): string {
  return `{id: ${id}, namespace: demo, tasks: [{id: job, type: io.svc.plugin.harness.Remote, text: "{{ flow.id }}", ${more}}]}`;
}

/** A connected worker. Dispose of it to cut its connection. */
export class FakeWorker implements AsyncDisposable {
  readonly id: string;
  /** All events so far. */
  readonly events: WorkerEvent[] = [];
  readonly #app: Harness;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  readonly #read: Promise<void>;

  private constructor(app: Harness, id: string, body: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.id = id;
    this.#app = app;
    this.#reader = body.getReader();
    const reader = this.#reader;
    const events = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    });
    this.#read = (async () => {
      for await (const { data } of sseEvents(events)) {
        this.events.push(parseJson(data) as unknown as WorkerEvent);
      }
    })();
  }

  /** Connects to a server. @throws Error it is refused */
  static async connect(app: Harness, options: FakeWorkerOptions = {}): Promise<FakeWorker> {
    const { id = "w1", groups = ["gpu"], concurrency = 1, leases = [] } = options;
    const hello = { id, name: id, version: "0.0.0", groups, concurrency, leases };
    const response = await app.open("POST", "/api/v1/worker/connect", { body: JSON.stringify(hello) });
    if (!response.body || !response.ok) throw new Error(await response.text());
    const worker = new FakeWorker(app, id, response.body);
    await settle();
    return worker;
  }

  /** The attempts that it was given. */
  get attempts(): LeasedAttempt[] {
    return this.events.flatMap((event) => event.type === "attempt" ? [event.attempt] : []);
  }

  /** Ids of the attempts that it was told to stop. */
  get stopped(): string[] {
    return this.events.flatMap((event) => event.type === "stop" ? [event.lease] : []);
  }

  /** The last attempt. @throws Error it has no attempt */
  attempt(): LeasedAttempt {
    const attempt = this.attempts.at(-1);
    if (!attempt) throw new Error("The worker was given no attempt");
    return attempt;
  }

  /** Confirms attempts; returns those that it must stop. */
  async beat(leases: readonly string[]): Promise<string[]> {
    const response = await this.post("/heartbeat", { id: this.id, leases });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()).stop;
  }

  /** Reports lines of an attempt; the status of the response. */
  async report(lease: string, seq: number, ...lines: readonly string[]): Promise<number> {
    const body = { seq, lines: lines.map((line) => ["INFO", line]) };
    return (await this.post(`/leases/${lease}/report`, body)).status;
  }

  /** Ends an attempt; the status of the response. */
  async end(lease: string, seq: number, more: object = {}): Promise<number> {
    const response = await this.post(`/leases/${lease}/end`, { seq, state: "SUCCESS", ...more });
    return response.status;
  }

  /** Sends a message. */
  async post(path: string, body: object): Promise<Response> {
    return await this.#app.open("POST", `/api/v1/worker${path}`, { body: JSON.stringify(body) });
  }

  /** Uploads a file of an attempt; the status of the response. */
  async upload(lease: string, name: string, content: string): Promise<number> {
    const path = `/api/v1/worker/leases/${lease}/files/${name}`;
    return (await this.#app.open("PUT", path, { body: content })).status;
  }

  /** Cuts the connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
    await this.#read;
    await settle();
  }
}
