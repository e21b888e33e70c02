/** One execution, kept up to date while it runs. A finished one is loaded once. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ApiError, isAway, urlOf } from "../../api/client.ts";
import {
  type ExecutionInfo,
  hasEnded,
  loadExecution,
  loadWholeExecution,
  missingTaskRuns,
} from "../../api/execution.ts";
import { apiPath } from "../../core/places.ts";
import { applyMessage, type ExecutionMessage } from "./execution_delta.ts";

const RETRY_MS = 3_000;
/** The first response is drawn before the rest of the task runs is requested. */
const REST_MS = 50;

/** Loads an execution and follows it. */
export class LiveExecution {
  readonly #id: string;
  readonly #execution = signal<ExecutionInfo | undefined>(undefined);
  readonly #error = signal<ApiError | undefined>(undefined);
  readonly #isReconnecting = signal(false);
  #source: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  /** Number of loads; only the last one counts. */
  #loads = 0;
  readonly #onVisibility = () => this.#visibilityChanged();

  constructor(id: string) {
    this.#id = id;
    document.addEventListener("visibilitychange", this.#onVisibility);
    void this.reload();
  }

  /** `undefined` before the first response. */
  get execution(): ReadonlySignal<ExecutionInfo | undefined> {
    return this.#execution;
  }

  /** Why it could not be loaded. */
  get error(): ReadonlySignal<ApiError | undefined> {
    return this.#error;
  }

  /** The connection was lost, and is tried again. */
  get isReconnecting(): ReadonlySignal<boolean> {
    return this.#isReconnecting;
  }

  /** Loads it again; follows it if it has not ended. */
  async reload(): Promise<void> {
    this.#stop();
    const load = ++this.#loads;
    const isOutdated = () => this.#isClosed || load !== this.#loads;
    try {
      const isKnown = this.#execution.value !== undefined;
      const execution = await (isKnown ? loadWholeExecution(this.#id) : loadExecution(this.#id));
      if (isOutdated()) return;
      this.#execution.value = execution;
      this.#error.value = undefined;
      this.#isReconnecting.value = false;
      // The first message of the stream has all task runs.
      if (!hasEnded(execution)) this.#follow();
      else if (missingTaskRuns(execution) > 0) this.#timer = setTimeout(() => void this.reload(), REST_MS);
    } catch (error) {
      if (isOutdated()) return;
      this.#failed(error instanceof ApiError ? error : new ApiError(String(error), 0));
    }
  }

  /** Ends the connection. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
    document.removeEventListener("visibilitychange", this.#onVisibility);
  }

  /** Data that are there stay; a server that is away is tried again. */
  #failed(error: ApiError): void {
    if (this.#execution.value && isAway(error)) this.#isReconnecting.value = true;
    else this.#error.value = error;
    if (isAway(error)) this.#timer = setTimeout(() => void this.reload(), RETRY_MS);
  }

  /** The browser reconnects by itself, with the id of the last message, unless the server refuses. */
  #follow(): void {
    if (document.hidden) return;
    this.#source?.close();
    const source = new EventSource(urlOf(apiPath("executions", this.#id, "follow"), { format: "delta" }));
    this.#source = source;
    source.onopen = () => this.#isReconnecting.value = false;
    source.onmessage = ({ data }) => this.#received(JSON.parse(data));
    source.onerror = () => {
      this.#isReconnecting.value = true;
      if (source.readyState !== EventSource.CLOSED) return;
      this.#stop();
      this.#timer = setTimeout(() => void this.reload(), RETRY_MS);
    };
  }

  #received(message: ExecutionMessage): void {
    this.#execution.value = applyMessage(this.#execution.value, message);
    if (message.end) this.#stop();
  }

  /** Browsers open six connections to a server: hidden pages need none. */
  #visibilityChanged(): void {
    const { value } = this.#execution;
    if (document.hidden) this.#stop();
    else if (!value || !hasEnded(value) || missingTaskRuns(value) > 0) void this.reload();
  }

  #stop(): void {
    this.#source?.close();
    this.#source = undefined;
    clearTimeout(this.#timer);
  }
}

/** The execution of that id, followed while the component is there. */
export function useLiveExecution(id: string): LiveExecution {
  const live = useMemo(() => new LiveExecution(id), [id]);
  useEffect(() => () => live.close(), [live]);
  return live;
}
