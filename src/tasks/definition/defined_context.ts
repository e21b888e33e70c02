/** The contexts of defined types, over the ports of their work. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { LogLevel } from "../../model/flows/flow.ts";
import type { FileKeeper } from "../../model/executions/attempt_identity.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type {
  ConnectAddress,
  ExecutionSummary,
  FileBody,
  TaskAttempt,
  TaskContext,
  TaskRequest,
  TaskResponse,
} from "../../model/tasks/task_definition.ts";
import type {
  MachineTaskContext,
  MachineWork,
  OpenedProgram,
  ProgramCommand,
  ProgramEnd,
  ProgramPipe,
  RunningProgram,
} from "../../model/tasks/machine_task.ts";
import type { LocalFiles } from "../../model/ports/local_files.ts";
import type { Evaluator } from "../../model/ports/evaluators.ts";
import type { SqliteDatabase } from "../../model/ports/sqlite.ts";
import type {
  ProgramLines,
  ServerDashboards,
  ServerFiles,
  ServerFlows,
  ServerKvPairs,
  ServerTaskContext,
  StreamedResponse,
} from "../../model/tasks/server_task.ts";
import { normalizeFileName } from "../../model/namespaces/file_path.ts";
import { storedPlaceOf } from "../../model/namespaces/storage_uri.ts";
import { compileGlobs } from "../../model/namespaces/glob.ts";
import { checkWholeFile } from "../../model/tasks/whole_files.ts";
import {
  createFiles,
  findFiles,
  openLocalFile,
  plainName,
  storeFile,
  storeFiles,
  writeLocalFile,
} from "../local_files.ts";
import { ownName } from "./own_files.ts";
import { emptyFolder, serverDashboards, serverFiles, serverFlows, serverKvPairs } from "./server_context.ts";
import { ScriptOutput } from "../scripts/script_output.ts";
import { connectAddress, type Sender, sendLastRequest, sendRequest, streamRequest } from "./send_request.ts";
import { openProgram, pipeProgram } from "./open_program.ts";
import { runProgram, workingDirectoryOf } from "./work_programs.ts";

/** The owner of the work, and what it may use. */
type WorkOwner =
  & FileKeeper
  & Pick<RunContext, "signal" | "ports" | "log" | "workingDirectory">
  & Partial<Pick<RunContext, "logged">>;

interface DefinedOptions {
  readonly properties: JsonObject;
  /** Makes the directory of the work at the first call. */
  readonly directory: () => Promise<string>;
}

/** The attempt of a defined task, or the poll of a defined trigger. What definitions take out of it works without the object. */
export class DefinedWork implements MachineWork {
  readonly properties: JsonObject;
  readonly signal: AbortSignal;
  readonly maxFileBytes: number;
  readonly #owner: WorkOwner;
  readonly #directory: () => Promise<string>;
  #fileCount = 0;

  constructor(owner: WorkOwner, { properties, directory }: DefinedOptions) {
    this.properties = properties;
    this.signal = owner.signal;
    this.maxFileBytes = owner.ports.storage.maxFileBytes;
    this.#owner = owner;
    this.#directory = directory;
  }

  /** @inheritdoc */
  readonly directory = (): Promise<string> => this.#directory();

  /** @inheritdoc */
  readonly log = (level: LogLevel, message: string): void => this.#owner.log(level, message);

  /** What sends requests. */
  protected sender(): Sender {
    const { http, storage } = this.#owner.ports;
    const openStored: Sender["openStored"] = (uri, part) => storage.open(this.#owner, uri, part);
    const { signal, maxFileBytes } = this;
    return { http, openStored, signal, directory: this.#directory, maxFileBytes };
  }

  /** @inheritdoc */
  readonly http = async (request: TaskRequest): Promise<TaskResponse> => {
    return await sendRequest(request, this.sender());
  };

  /** @inheritdoc */
  readonly lastRequest = async (request: TaskRequest): Promise<TaskResponse> => {
    return await sendLastRequest(request, this.sender());
  };

  /** @inheritdoc */
  readonly connectAddress = async (host: string, port: number): Promise<ConnectAddress> => {
    return await connectAddress(host, port, { http: this.#owner.ports.http, signal: this.signal });
  };

  /** @inheritdoc */
  readonly fetchFile = async (uri: string): Promise<string> => {
    const file = await this.#owner.ports.storage.open(this.#owner, uri);
    if (!file) throw new Error(`Cannot read "${uri}": there is no such file`);
    const name = uri.slice(uri.lastIndexOf("/") + 1);
    const directory = await this.#directory();
    // Files of different folders may have the same name.
    return `${directory}/${await writeLocalFile(
      directory,
      `fetched-${++this.#fileCount}/${name}`,
      file.content,
    )}`;
  };

  /** @inheritdoc */
  readonly bodyOf = async (uri: string): Promise<FileBody> => {
    // Namespace files may change between two requests.
    const isKept = storedPlaceOf(uri)?.kind === "execution file";
    const size = isKept ? await this.#owner.ports.storage.size(this.#owner, uri) : undefined;
    if (size !== undefined) return { bodyFile: uri, size };
    const bodyFile = await this.fetchFile(uri);
    return { bodyFile, size: (await Deno.stat(bodyFile)).size };
  };

  /** @inheritdoc */
  readonly storeFile = async (path: string): Promise<string> => {
    const directory = await this.#directory();
    return await storeFile({ context: this.#owner, directory }, ownName(path, directory));
  };

  /** @inheritdoc */
  readonly workingDirectory = async (): Promise<string> => {
    return await workingDirectoryOf(this.#owner, this.#directory);
  };

  /** @inheritdoc */
  readonly runProgram = async (command: ProgramCommand): Promise<ProgramEnd> => {
    return await runProgram(this.#owner, await this.workingDirectory(), command);
  };

  /** @inheritdoc */
  readonly openProgram = async (program: OpenedProgram): Promise<RunningProgram> => {
    return await openProgram(this.#owner, await this.workingDirectory(), program);
  };

  /** @inheritdoc */
  readonly pipeProgram = async (program: ProgramCommand): Promise<ProgramPipe> => {
    return await pipeProgram(this.#owner, await this.workingDirectory(), program);
  };

  /** @inheritdoc */
  readonly createFiles = async (files: JsonValue | undefined): Promise<void> => {
    await createFiles({ context: this.#owner, directory: await this.workingDirectory() }, files);
  };

  /** @inheritdoc */
  readonly findFiles = async (globs: readonly string[]): Promise<string[]> => {
    return await findFiles(await this.workingDirectory(), compileGlobs(globs));
  };

  /** @inheritdoc */
  readonly readFile = async (name: string): Promise<Uint8Array> => {
    const directory = await this.workingDirectory(), path = normalizeFileName(name);
    checkWholeFile(name, (await Deno.lstat(`${directory}/${path}`)).size);
    return await new Response(await openLocalFile(directory, path)).bytes();
  };

  /** @inheritdoc */
  readonly storeFiles = async (globs: readonly string[]): Promise<JsonObject> => {
    return await storeFiles({ context: this.#owner, directory: await this.workingDirectory() }, [...globs]);
  };

  /** @inheritdoc */
  readonly openSqlite = async (name: string): Promise<SqliteDatabase> => {
    const directory = await this.workingDirectory();
    const file = await plainName(directory, name);
    const { tenant, executionId } = this.#owner;
    const { sqlite } = this.#owner.ports;
    return await sqlite.open({ directory, file, owner: `${tenant}/${executionId}`, signal: this.signal });
  };

  /** @inheritdoc */
  readonly startEvaluator = async (expression: JsonObject, operation: string): Promise<Evaluator> => {
    const { tenant, executionId, signal } = this.#owner;
    const owner = `${tenant}/${executionId}`;
    return await this.#owner.ports.evaluators.start({ expression, operation, owner, signal });
  };

  /** @inheritdoc */
  readonly localFiles = (): LocalFiles => {
    return this.#owner.ports.localFiles.filesFor(this.#owner.tenant, this.signal);
  };

  /** @inheritdoc */
  readonly removeFile = async (name: string): Promise<void> => {
    const path = `${await this.workingDirectory()}/${normalizeFileName(name)}`;
    await this.#owner.ports.workingDirectories.removePath(path);
  };
}

/** One attempt of a defined task. */
export class DefinedContext extends DefinedWork implements ServerTaskContext, MachineTaskContext {
  readonly attempt: TaskAttempt;
  readonly flows: ServerFlows;
  readonly dashboards: ServerDashboards;
  readonly namespaceFiles: ServerFiles;
  readonly kvPairs: ServerKvPairs;
  readonly #context: RunContext;

  constructor(context: RunContext, options: DefinedOptions) {
    super(context, options);
    const { tenant, namespace, flowId, executionId, taskId, taskRunId, attemptNumber } = context;
    this.attempt = { tenant, namespace, flowId, executionId, taskId, taskRunId, attemptNumber };
    this.#context = context;
    this.flows = serverFlows(context);
    this.dashboards = serverDashboards(context);
    this.namespaceFiles = serverFiles(context);
    this.kvPairs = serverKvPairs(context);
  }

  /** @inheritdoc */
  readonly logged = (): Promise<void> | undefined => this.#context.logged();

  /** @inheritdoc */
  readonly render = async (template: string, variables: JsonObject = {}): Promise<JsonValue> => {
    return await this.#context.render(template, variables);
  };

  /** @inheritdoc */
  readonly namespaces = async (): Promise<string[]> => {
    return await this.#context.ports.namespaces.names(this.#context.tenant);
  };

  /** @inheritdoc */
  readonly httpStream = async (request: TaskRequest): Promise<StreamedResponse> => {
    return await streamRequest(request, this.sender());
  };

  /** @inheritdoc */
  readonly programLines = (): ProgramLines => {
    return new ScriptOutput(this.#context);
  };

  /** @inheritdoc */
  readonly emptyFolder = async (path: string): Promise<string> => {
    const { workingDirectory, ports } = this.#context;
    if (workingDirectory !== undefined) await ports.workingDirectories.whenFree(workingDirectory);
    return await emptyFolder(workingDirectory ?? await this.directory(), path);
  };

  /** @inheritdoc */
  readonly metric: TaskContext["metric"] = (name, value, { type = "counter", tags } = {}) => {
    this.#context.metric({ name, value, type, tags });
  };

  /** @inheritdoc */
  readonly execution = async (id: string): Promise<ExecutionSummary> => {
    const found = await this.#context.ports.executions.summary(this.#context.tenant, id);
    if (found) return found;
    throw new Error(`Cannot read the execution "${id}": it does not exist`);
  };
}
