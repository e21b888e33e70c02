/** The context of a defined task, over the ports of its attempt. */
import type { JsonObject } from "../../base/json.ts";
import type { LogLevel } from "../../model/flows/flow.ts";
import { normalizeFileName } from "../../model/namespaces/file_path.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type {
  ExecutionSummary,
  TaskAttempt,
  TaskContext,
  TaskRequest,
  TaskResponse,
} from "../../model/tasks/task_definition.ts";
import { openLocalFile, writeLocalFile } from "../local_files.ts";
import { sendRequest } from "./send_request.ts";

interface DefinedOptions {
  readonly properties: JsonObject;
  /** Makes the directory of the attempt at the first call. */
  readonly directory: () => Promise<string>;
}

/** One attempt of a defined task. */
export class DefinedContext implements TaskContext {
  readonly attempt: TaskAttempt;
  readonly properties: JsonObject;
  readonly signal: AbortSignal;
  readonly #context: RunContext;
  readonly #directory: () => Promise<string>;
  #fileCount = 0;

  constructor(context: RunContext, { properties, directory }: DefinedOptions) {
    const { tenant, namespace, flowId, executionId, taskId, taskRunId, attemptNumber } = context;
    this.attempt = { tenant, namespace, flowId, executionId, taskId, taskRunId, attemptNumber };
    this.properties = properties;
    this.signal = context.signal;
    this.#context = context;
    this.#directory = directory;
  }

  /** @inheritdoc */
  directory(): Promise<string> {
    return this.#directory();
  }

  /** @inheritdoc */
  log(level: LogLevel, message: string): void {
    this.#context.log(level, message);
  }

  /** @inheritdoc */
  metric(name: string, value: number, { type = "counter", tags }: Parameters<TaskContext["metric"]>[2] = {}) {
    this.#context.metric({ name, value, type, tags });
  }

  /** @inheritdoc */
  async http(request: TaskRequest): Promise<TaskResponse> {
    return await sendRequest(request, { http: this.#context.ports.http, signal: this.signal });
  }

  /** @inheritdoc */
  async fetchFile(uri: string): Promise<string> {
    const file = await this.#context.ports.storage.open(this.#context, uri);
    if (!file) throw new Error(`Cannot read "${uri}": there is no such file`);
    const name = uri.slice(uri.lastIndexOf("/") + 1);
    const directory = await this.#directory();
    // Files of different folders may have the same name.
    return `${directory}/${await writeLocalFile(
      directory,
      `fetched-${++this.#fileCount}/${name}`,
      file.content,
    )}`;
  }

  /** @inheritdoc */
  async storeFile(path: string): Promise<string> {
    const directory = await this.#directory();
    if (!path.startsWith(`${directory}/`)) {
      throw new Error(`Cannot store "${path}": it is not in the directory of the attempt`);
    }
    const name = normalizeFileName(path.slice(directory.length + 1));
    const content = await openLocalFile(directory, name);
    const base = name.slice(name.lastIndexOf("/") + 1);
    return (await this.#context.ports.storage.write(this.#context, base, content)).uri;
  }

  /** @inheritdoc */
  async execution(id: string): Promise<ExecutionSummary> {
    const found = await this.#context.ports.executions.summary(this.#context.tenant, id);
    if (found) return found;
    throw new Error(`Cannot read the execution "${id}": it does not exist`);
  }
}
