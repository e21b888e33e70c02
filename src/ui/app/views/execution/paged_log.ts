/** The log of an ended execution in pages: the last one first, others when they are looked at. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ApiError, get, type Page, type Query } from "../../api/client.ts";
import type { LogEntry } from "../../api/execution.ts";
import type { LogFilter, LogLine } from "./log_lines.ts";

/** Lines of one page. */
export const LOG_PAGE = 500;
/** A person who drags the scroll bar passes many pages. */
const PAUSE_MS = 80;

/** A line of a search; its number counts the lines of the execution. */
type FoundEntry = LogEntry & { readonly lineNumber: number };

/** Which page of a search has a line: pages count from the nearer end of the log, the server reads fewer lines for those. */
export function pageOfLine(
  index: number,
  count: number,
): { readonly page: number; readonly isFromEnd: boolean } {
  const fromEnd = count - 1 - index;
  const isFromEnd = fromEnd <= index;
  return { page: Math.floor((isFromEnd ? fromEnd : index) / LOG_PAGE) + 1, isFromEnd };
}

/** Loads the lines that match a level and a task. */
class PagedLog {
  readonly #filters: Query;
  readonly #executionId: string;
  readonly #lines = signal<readonly (LogLine | undefined)[] | undefined>(undefined);
  readonly #count = signal<number | undefined>(undefined);
  readonly #error = signal<ApiError | undefined>(undefined);
  readonly #requested = new Set<string>();
  readonly #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(executionId: string, { level, taskId, taskRunId }: Omit<LogFilter, "text">) {
    this.#executionId = executionId;
    this.#filters = {
      minLevel: level,
      "filters[taskId][EQUALS]": taskId,
      "filters[taskRunId][EQUALS]": taskRunId,
    };
  }

  /** All matching lines, oldest first; those that are not loaded are `undefined`. */
  get lines(): ReadonlySignal<readonly (LogLine | undefined)[] | undefined> {
    return this.#lines;
  }

  /** Number of lines of the log; `undefined` until it is known. */
  get count(): ReadonlySignal<number | undefined> {
    return this.#count;
  }

  /** Why lines could not be loaded. */
  get error(): ReadonlySignal<ApiError | undefined> {
    return this.#error;
  }

  /** Loads the last lines, then the number of all. */
  async load(): Promise<void> {
    this.#requested.clear();
    await this.#load(1, true);
    const all = await this.#search({ size: 1 }, {});
    if (all) this.#count.value = all.total;
  }

  /** Loads lines that are looked at. The last call counts. */
  need(first: number, last: number): void {
    clearTimeout(this.#timer);
    const lines = this.#lines.value;
    if (!lines?.slice(first, last).includes(undefined)) return;
    this.#timer = setTimeout(() => {
      for (const index of [first, last - 1]) {
        const { page, isFromEnd } = pageOfLine(index, lines.length);
        if (!lines[index]) void this.#load(page, isFromEnd);
      }
    }, PAUSE_MS);
  }

  /** Gives up all requests. */
  close(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  async #load(page: number, isFromEnd: boolean): Promise<void> {
    const sort = isFromEnd ? "timestamp:desc" : "timestamp:asc";
    const key = `${page} ${sort}`;
    if (this.#requested.has(key)) return;
    this.#requested.add(key);
    const found = await this.#search({ page, size: LOG_PAGE, sort }, this.#filters);
    if (!found) return void this.#requested.delete(key);
    const { results, total } = found;
    const lines = this.#lines.value?.slice() ?? Array.from<undefined>({ length: total });
    results.forEach(({ lineNumber, ...entry }, at) => {
      const index = (page - 1) * LOG_PAGE + at;
      lines[isFromEnd ? lines.length - 1 - index : index] = { ...entry, number: lineNumber };
    });
    this.#lines.value = lines;
    this.#error.value = undefined;
  }

  async #search(query: Query, filters: Query): Promise<Page<FoundEntry> | undefined> {
    const { signal } = this.#abort;
    try {
      const wanted = { executionId: this.#executionId, ...filters, ...query };
      return await get<Page<FoundEntry>>("/logs/search", wanted, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#error.value = error instanceof ApiError ? error : new ApiError(String(error), 0);
      return undefined;
    }
  }
}

export type { PagedLog };

/** The log of an execution in pages; `undefined` if it is not wanted so. */
export function usePagedLog(executionId: string, filter: LogFilter, isWanted: boolean): PagedLog | undefined {
  const { level, taskId, taskRunId } = filter;
  const log = useMemo(
    () => isWanted ? new PagedLog(executionId, { level, taskId, taskRunId }) : undefined,
    [executionId, level, taskId, taskRunId, isWanted],
  );
  useEffect(() => {
    void log?.load();
    return () => log?.close();
  }, [log]);
  return log;
}
