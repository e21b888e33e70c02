/** The log of an execution: all its lines, and new ones while it runs. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ApiError, get, urlOf } from "../../api/client.ts";
import type { LogEntry } from "../../api/execution.ts";
import { apiPath } from "../../core/places.ts";
import type { LogLine } from "./log_lines.ts";

/** New lines are shown together: a script may write thousands in a second. */
const PAUSE_MS = 100;
const RETRY_MS = 3_000;

/** Loads and follows a log. */
class LiveLog {
  readonly #id: string;
  readonly #lines = signal<readonly LogLine[] | undefined>(undefined);
  readonly #error = signal<ApiError | undefined>(undefined);
  #received: LogLine[] = [];
  #source: EventSource | undefined;
  #timer: number | undefined;
  #retry: number | undefined;

  constructor(id: string) {
    this.#id = id;
  }

  /** All lines, oldest first; `undefined` before the first response. */
  get lines(): ReadonlySignal<readonly LogLine[] | undefined> {
    return this.#lines;
  }

  /** Why they could not be loaded. */
  get error(): ReadonlySignal<ApiError | undefined> {
    return this.#error;
  }

  /** Loads all lines once. */
  async load(abort?: AbortSignal): Promise<void> {
    try {
      const entries = await get<LogEntry[]>(apiPath("logs", this.#id), {}, abort);
      this.#lines.value = entries.map((entry, index) => lineOf(entry, index + 1));
      this.#error.value = undefined;
    } catch (error) {
      if (abort?.aborted) return;
      this.#error.value = error instanceof ApiError ? error : new ApiError(String(error), 0);
    }
  }

  /** Follows the log while the page is visible; returns the end. A new connection sends all lines again. */
  follow(): () => void {
    const onVisibility = () => document.hidden ? this.#stop() : this.#open();
    document.addEventListener("visibilitychange", onVisibility);
    onVisibility();
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      this.#stop();
    };
  }

  #open(): void {
    this.#stop();
    const source = new EventSource(urlOf(apiPath("logs", this.#id, "follow")));
    this.#source = source;
    source.onmessage = ({ data, lastEventId }) => {
      if (lastEventId === "start") this.#received = [];
      else this.#received.push(lineOf(JSON.parse(data), this.#received.length + 1));
      this.#timer ??= setTimeout(() => this.#show(), PAUSE_MS);
    };
    // The browser reconnects by itself, unless the response is no stream: that of a proxy while the server starts.
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      this.#stop();
      this.#retry = setTimeout(() => this.#open(), RETRY_MS);
    };
  }

  /** Lines that are there stay until a new connection has sent them again. */
  #show(): void {
    this.#timer = undefined;
    if (this.#received.length < (this.#lines.value?.length ?? 0)) return;
    this.#lines.value = [...this.#received];
  }

  #stop(): void {
    this.#source?.close();
    this.#source = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    clearTimeout(this.#retry);
  }
}

/** Without the members that are the same for all lines. */
function lineOf(
  { timestamp, level, taskId, taskRunId, attemptNumber, message }: LogEntry,
  number: number,
): LogLine {
  return { number, timestamp, level, taskId, taskRunId, attemptNumber, message };
}

/** The log of an execution; followed while it is live. Nothing is loaded while it is not wanted. */
export function useLiveLog(id: string, isLive: boolean, isWanted = true): LiveLog {
  const log = useMemo(() => new LiveLog(id), [id]);
  useEffect(() => {
    if (!isWanted) return;
    if (isLive) return log.follow();
    const abort = new AbortController();
    void log.load(abort.signal);
    return () => abort.abort();
  }, [log, isLive, isWanted]);
  return log;
}
