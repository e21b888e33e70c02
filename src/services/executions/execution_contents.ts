/** Files and log lines of a live execution, for its own expressions; reads wait for commits in progress. */
import type { Clock } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Execution, LogLine } from "../../model/executions/execution.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { Changes } from "../../store/changes.ts";
import type { ExecutionFiles, StoredFile } from "../../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import { entryOf, filterTest } from "../logs/log_entries.ts";

interface ExecutionContentsDeps {
  readonly records: ExecutionRecords;
  readonly files: ExecutionFiles;
  readonly changes: Changes;
  readonly clock: Clock;
}

/** Maximum wait for a commit in progress; one that takes longer is being refused. */
const COMMIT_WAIT_MS = 5_000;

/** Reads contents of executions. */
export class ExecutionContents {
  readonly #deps: ExecutionContentsDeps;

  constructor(deps: ExecutionContentsDeps) {
    this.#deps = deps;
  }

  /**
   * A file; `undefined` if it does not exist. Waits for the end of an attempt that wrote the file. With `isUnderWay`, for an
   * execution that reads its own file, it also waits for the start, with which an uploaded file becomes durable.
   */
  async file(
    tenant: TenantId,
    { executionId, path, isUnderWay }: { executionId: string; path: string; isUnderWay: boolean },
  ): Promise<StoredFile | undefined> {
    const { files, records } = this.#deps;
    const isWaiting = () => files.isWaiting(tenant, executionId, path);
    if (!isWaiting()) {
      const found = await files.find(tenant, executionId, path);
      if (found || !isUnderWay) return found;
    }
    await this.#after(
      tenant,
      executionId,
      async () => !isWaiting() && await records.has(tenant, executionId),
    );
    return await files.find(tenant, executionId, path);
  }

  /** Its ERROR lines so far as the API returns them, oldest first, including those of the current slice. */
  async errors(execution: Execution): Promise<JsonObject[]> {
    const { tenant, id, logCount, newLogs } = execution;
    // Copied together: a commit takes the new lines and counts them.
    const fresh = [...newLogs];
    const stored = () => this.#deps.records.outline(tenant, id);
    await this.#after(tenant, id, async () => ((await stored())?.execution.logCount ?? 0) >= logCount);
    const found = await stored();
    const isError = filterTest(execution, { minLevel: "ERROR" });
    const errors: { readonly line: LogLine; readonly place: number }[] = [];
    let count = 0;
    for await (const lines of found ? this.#deps.records.logLines(found) : []) {
      for (const line of lines) {
        if (isError(line)) errors.push({ line, place: count });
        count++;
      }
    }
    // Stored lines may have been deleted; newer ones are at the end.
    const end = count - ((found?.execution.logCount ?? 0) - logCount);
    const own = errors.filter(({ place }) => place < end).map(({ line }) => line);
    return [...own, ...fresh.filter(isError)].map((line) => entryOf(execution, line));
  }

  /** Resolves when `isDone` holds, evaluated after each commit of the execution, or after {@link COMMIT_WAIT_MS}. */
  async #after(tenant: TenantId, id: string, isDone: () => Promise<boolean>): Promise<void> {
    const { changes, clock } = this.#deps;
    await changes.until({ tenant, id }, isDone, { clock, timeoutMs: COMMIT_WAIT_MS });
  }
}
