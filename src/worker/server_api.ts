/** The API of the server, as a worker calls it. */
import type { Clock } from "../base/time/clock.ts";
import { parseJson, stringifyJson } from "../base/json.ts";
import type {
  AttemptEndReport,
  AttemptReport,
  HeartbeatResponse,
  WorkerEvent,
  WorkerHello,
} from "../model/http/worker_protocol.ts";
import { sseEvents } from "../base/network/sse_events.ts";
import { pause } from "./pause.ts";

/** Sends a request; as `fetch`. */
type Send = (request: Request) => Promise<Response>;

/** A refusal of the server. */
export class ApiError extends Error {
  readonly status: number;
  /** The `type` of the problem; empty if the response has none. */
  readonly type: string;

  constructor(status: number, { message, type }: Refusal) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

/** The status of an end whose uploaded files the server has lost: it was started again. */
export const CONFLICT = 409;
/** Statuses that a repetition may change: lost files, overload, a server that is being started. */
const PASSING: ReadonlySet<number> = new Set([408, CONFLICT, 429, 502, 503, 504, 507]);

/** Whether a repeated call may succeed; true without a response. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || PASSING.has(error.status);
}

/** What a response says of a refusal. */
interface Refusal {
  readonly message: string;
  readonly type: string;
}

interface ApiOptions {
  /** Address of the server, without a slash at its end. */
  readonly url: string;
  readonly token?: string;
  readonly version: string;
  readonly send: Send;
  readonly clock: Clock;
}

/** A file of the server. */
interface RemoteFile {
  readonly size: number;
  readonly content: ReadableStream<Uint8Array>;
}

/** Longest wait for the response to a message; a commit may take a while. */
const MESSAGE_MS = 30_000;
/** Longest time in which the server takes nothing of a file. */
const UPLOAD_SILENCE_MS = 60_000;
/** Longest wait for the response to a heartbeat. */
const HEARTBEAT_TIMEOUT_MS = 10_000;
const NOT_FOUND = 404;
/** Between two tries of a call. */
export const RETRY_MS = 1_000;

/** Calls the server. Every method rejects with {@link ApiError} for a refusal, and with another error without a response. */
export class ServerApi {
  readonly url: string;
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.url = options.url;
    this.#options = options;
  }

  /** Opens the stream of events; `seen` is called whenever something arrives. Ends when `signal` aborts. */
  async connect(
    hello: WorkerHello,
    signal: AbortSignal,
    seen: () => void,
  ): Promise<AsyncIterable<WorkerEvent>> {
    const response = await this.#call("POST", "/connect", { body: stringifyJson(hello), signal });
    const noting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, controller) => {
        seen();
        controller.enqueue(chunk);
      },
    });
    // The signal of a request has no effect any more once the request has been collected as garbage.
    return eventsOf((response.body ?? new Blob().stream()).pipeThrough(noting, { signal }));
  }

  /** Confirms attempts. */
  async heartbeat(id: string, leases: readonly string[]): Promise<HeartbeatResponse> {
    const response = await this.#message("/heartbeat", { id, leases }, HEARTBEAT_TIMEOUT_MS);
    return parseJson(await response.text()) as unknown as HeartbeatResponse;
  }

  /** Says that the worker stops. */
  async leave(id: string): Promise<void> {
    await drained(await this.#message("/leave", { id }, HEARTBEAT_TIMEOUT_MS));
  }

  /** Reports log lines. */
  async report(lease: string, report: AttemptReport): Promise<void> {
    await drained(await this.#message(`/leases/${lease}/report`, report));
  }

  /** Reports the end of an attempt. */
  async end(lease: string, report: AttemptEndReport): Promise<void> {
    await drained(await this.#message(`/leases/${lease}/end`, report));
  }

  /** Uploads a file of an attempt. Ends when `signal` aborts, or when the server has taken nothing for a time. */
  async upload(
    lease: string,
    { name, content, signal }: {
      readonly name: string;
      readonly content: ReadableStream<Uint8Array<ArrayBuffer>>;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const path = `/leases/${lease}/files/${encodeURIComponent(name)}`;
    const over = new AbortController();
    const watch = () => this.#options.clock.setTimer(UPLOAD_SILENCE_MS, () => over.abort());
    let cancel = watch();
    const noting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, controller) => {
        cancel();
        cancel = watch();
        controller.enqueue(chunk);
      },
    });
    try {
      await drained(
        await this.#call("PUT", path, {
          body: content.pipeThrough(noting),
          type: "application/octet-stream",
          signal: AbortSignal.any([signal, over.signal]),
        }),
      );
    } finally {
      cancel();
    }
  }

  /** A file that an attempt may read; `undefined` if it does not exist. `path` is relative to the attempt. */
  async file(lease: string, path: string, signal: AbortSignal): Promise<RemoteFile | undefined> {
    const response = await this.#found(lease, path, signal);
    if (!response) return undefined;
    const content = response.body ?? new Blob().stream();
    return { size: Number(response.headers.get("content-length") ?? 0), content };
  }

  /** JSON that an attempt may read; `undefined` if it does not exist. */
  async json(lease: string, path: string, signal: AbortSignal): Promise<unknown> {
    const response = await this.#found(lease, path, signal);
    return response && parseJson(await response.text());
  }

  /** Tries again until `signal` aborts: attempts outlast a restart of the server. */
  async #found(lease: string, path: string, signal: AbortSignal): Promise<Response | undefined> {
    for (;;) {
      try {
        return await this.#call("GET", `/leases/${lease}${path}`, { signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === NOT_FOUND) return undefined;
        if (signal.aborted || !isPassing(error)) throw error;
        await pause(this.#options.clock, RETRY_MS, signal);
      }
    }
  }

  async #message(path: string, message: object, timeoutMs = MESSAGE_MS): Promise<Response> {
    const over = new AbortController();
    const cancel = this.#options.clock.setTimer(timeoutMs, () => over.abort());
    try {
      return await this.#call("POST", path, { body: stringifyJson(message), signal: over.signal });
    } finally {
      cancel();
    }
  }

  async #call(
    method: string,
    path: string,
    { type = "application/json", ...init }: Pick<RequestInit, "body" | "signal"> & { readonly type?: string },
  ): Promise<Response> {
    const { url, token, version, send } = this.#options;
    const headers = new Headers({ "user-agent": `sluice-worker/${version}` });
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    if (init.body) headers.set("content-type", type);
    // The token must not follow a redirection to another server.
    const request = new Request(`${url}/api/v1/worker${path}`, {
      method,
      headers,
      redirect: "error",
      ...init,
    });
    const response = await send(request);
    if (response.ok) return response;
    throw new ApiError(response.status, await refusalOf(response));
  }
}

async function refusalOf(response: Response): Promise<Refusal> {
  const text = await response.text();
  try {
    const { detail, message, title, type } = JSON.parse(text);
    return { message: String(detail ?? message ?? title), type: String(type ?? "") };
  } catch {
    return { message: `${response.status} ${text.slice(0, 200)}`, type: "" };
  }
}

async function drained(response: Response): Promise<void> {
  await response.body?.cancel();
}

async function* eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<WorkerEvent> {
  for await (const { data } of sseEvents(body)) yield parseJson(data) as unknown as WorkerEvent;
}
