/** Logs of attempts as files: nothing is stored for them, their content is made of the log lines when they are read. */
import { taskRunId } from "../../base/id.ts";
import { taskRunOf } from "../../model/executions/execution.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { logLineText, parseLogFilePath } from "../../model/executions/log_file.ts";
import type { StoredFile } from "../blobs/execution_files.ts";
import type { LogRecords } from "./log_records.ts";

/** Finds the logs of attempts. */
export class LogFiles {
  readonly #logs: LogRecords;

  constructor(logs: LogRecords) {
    this.#logs = logs;
  }

  /** The log of an attempt whose task keeps it as a file, or `undefined`. */
  async find(tenant: TenantId, id: string, path: string): Promise<StoredFile | undefined> {
    const wanted = parseLogFilePath(path);
    const stored = wanted && await this.#logs.load(tenant, id);
    if (!wanted || !stored) return undefined;
    const { taskRuns } = stored.execution;
    const ordinal = taskRuns.find((taskRun) => taskRunId(id, taskRun.ordinal) === wanted.id)?.ordinal;
    const attempts = ordinal === undefined ? [] : taskRunOf(stored.execution, ordinal)?.attempts ?? [];
    if (!attempts[wanted.attempt]?.hasLogFile) return undefined;
    const texts: string[] = [];
    for await (const piece of this.#logs.pieces(stored)) {
      const own = piece.filter((line) => line.taskRun === ordinal && line.attempt === wanted.attempt);
      for (const line of own) texts.push(logLineText(line));
    }
    return fileOf(new TextEncoder().encode(texts.join("")));
  }
}

function fileOf(bytes: Uint8Array): StoredFile {
  return {
    size: bytes.length,
    open: () => ReadableStream.from(bytes.length === 0 ? [] : [bytes]),
  };
}
