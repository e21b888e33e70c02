/** Runs a defined task without a server: files by URI in memory, requests over real sockets. */
import { systemClock } from "../../../src/base/time/clock.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { loadTypes } from "../../../src/integrations/loading.ts";
import { Evaluators } from "../../../src/machine/evaluators/evaluators.ts";
import { HttpClient } from "../../../src/machine/http_client/http_client.ts";
import { compileTemplate, renderValue } from "../../../src/expr/mod.ts";
import type { RunContext } from "../../../src/model/ports/run_context.ts";
import type { MachineTaskContext } from "../../../src/model/tasks/machine_task.ts";
import type { ServerTaskContext } from "../../../src/model/tasks/server_task.ts";
import { parentPath } from "../../../src/model/namespaces/file_path.ts";
import type { TaskContext, TaskDefinition, TaskRequest } from "../../../src/model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../../../src/model/triggers/trigger_definition.ts";
import {
  connectAddress,
  type Sender,
  sendLastRequest,
  sendRequest,
  streamRequest,
} from "../../../src/tasks/definition/send_request.ts";
import { ScriptOutput } from "../../../src/tasks/scripts/script_output.ts";
import { internalTenantId } from "../../../src/model/access/tenant.ts";
import { typedProperties } from "../../../src/tasks/definition/typed_properties.ts";
import { scopeOf } from "../../expr/support.ts";
import { withTempDir } from "../temp_dir.ts";

/** What one run of a task gave. */
export interface DefinitionRun {
  readonly outputs: JsonObject;
  /** Stored files as text, by URI. */
  readonly files: ReadonlyMap<string, string>;
  /** Stored files, by URI. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  /** `LEVEL message`. */
  readonly logs: readonly string[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** Options of {@link runDefinition}. */
export interface DefinitionRunOptions {
  /** Files that properties name, by URI. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly signal?: AbortSignal;
  /** Addresses of stubs by the origins that requests name. */
  readonly origins?: Readonly<Record<string, string>>;
  /** KV pairs of the namespace, which the task may change. */
  readonly kvPairs?: Map<string, string>;
  /** Waits for room for further log lines. */
  readonly logged?: () => Promise<void>;
  /** Bytes of the largest file. */
  readonly maxFileBytes?: number;
}

/** Runs the task once. @throws what the task throws */
export async function runDefinition(
  definition: TaskDefinition,
  properties: JsonObject,
  {
    files = {},
    signal = new AbortController().signal,
    origins = {},
    kvPairs = new Map(),
    logged,
    maxFileBytes,
  }: DefinitionRunOptions = {},
): Promise<DefinitionRun> {
  // Its parts, such as the provider of a language model, are types of its group.
  await loadTypes(definition.type);
  return await withTempDir(async (folder) => {
    const trial = trialOf(folder, files, signal);
    const context: Partial<ServerTaskContext & MachineTaskContext> & TaskContext = {
      ...filesOf(folder, files),
      lastRequest: (request) =>
        sendLastRequest(request, { http: trial.http, directory: trial.context.directory }),
      startEvaluator: (expression, operation) =>
        new Evaluators().start({ expression, operation, owner: "main/e1", signal }),
      programLines: () => new ScriptOutput(trial.context as unknown as RunContext),
      ...trial.context,
      ...redirected(trial.context, origins),
      ...logged && { logged },
      ...maxFileBytes !== undefined && { maxFileBytes },
      properties: typedProperties(properties, definition.properties),
      kvPairs: {
        get: (key) => Promise.resolve(kvPairs.get(key)),
        set: (key, text) => Promise.resolve(void kvPairs.set(key, text)),
        update: (key, change) =>
          Promise.try(() => {
            const text = change(kvPairs.get(key));
            if (text !== undefined) kvPairs.set(key, text);
            return text !== undefined;
          }),
        delete: (key) => Promise.resolve(kvPairs.delete(key)),
      },
      render: (template, variables) =>
        Promise.resolve(renderValue(compileTemplate(template), scopeOf(variables))),
    };
    return resultOf(trial, await definition.run(context) ?? {});
  });
}

/** The working directory of the task, which is its own. */
function filesOf(folder: string, files: DefinitionRunOptions["files"] & object) {
  return {
    workingDirectory: () => Promise.resolve(folder),
    async createFiles(given) {
      for (const [name, value] of Object.entries(given as JsonObject)) {
        await Deno.mkdir(`${folder}/${parentPath(name)}`, { recursive: true });
        const content = files[String(value)] ?? String(value);
        const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
        await Deno.writeFile(`${folder}/${name}`, bytes);
      }
    },
    removeFile: (name) => Deno.remove(`${folder}/${name}`, { recursive: true }),
  } satisfies Partial<MachineTaskContext>;
}

/** The requests of the context, sent to stubs. */
function redirected(
  { http, httpStream }: Pick<ServerTaskContext, "http" | "httpStream">,
  origins: Readonly<Record<string, string>>,
): Pick<ServerTaskContext, "http" | "httpStream"> {
  const changed = (request: TaskRequest): TaskRequest => {
    const { origin } = new URL(request.url);
    return { ...request, url: request.url.replace(origin, origins[origin] ?? origin) };
  };
  return {
    http: (request) => http(changed(request)),
    httpStream: (request) => httpStream(changed(request)),
  };
}

function resultOf(
  { stored, logs, metrics }: ReturnType<typeof trialOf>,
  outputs: JsonObject = {},
): DefinitionRun {
  const texts = [...stored].map(([uri, bytes]) => [uri, new TextDecoder().decode(bytes)] as const);
  return { outputs, files: new Map(texts), bytes: stored, logs, metrics };
}

/** One poll of a trigger; `outputs` is empty if it found nothing. */
interface DefinitionPoll extends DefinitionRun {
  readonly isFound: boolean;
  readonly state: JsonObject | undefined;
}

/** Polls the trigger once, after one that has set a state, and confirms it. @throws what the trigger throws */
export async function pollDefinition(
  definition: TriggerDefinition,
  properties: JsonObject,
  previous?: JsonObject,
): Promise<DefinitionPoll> {
  const poll = await unconfirmedPoll(definition, properties, previous);
  try {
    await poll.confirm();
  } finally {
    await poll.end();
  }
  return poll;
}

/** As {@link pollDefinition}, up to where the evaluation is durable; `confirm` may change `state`, `end` does the rest. */
export async function unconfirmedPoll(
  definition: TriggerDefinition,
  properties: JsonObject,
  previous?: JsonObject,
): Promise<DefinitionPoll & { readonly confirm: () => Promise<void>; readonly end: () => Promise<void> }> {
  return await withTempDir(async (folder) => {
    const trial = trialOf(folder, {}, new AbortController().signal);
    let state = previous;
    const confirmations: (() => Promise<void>)[] = [], closings: (() => Promise<void>)[] = [];
    const end = async () => {
      for (const close of closings) await close();
    };
    const found = await definition.poll({
      ...trial.context,
      properties: typedProperties(properties, definition.properties),
      trigger: { tenant: TENANT, namespace: "demo", flowId: "h", triggerId: "watch" },
      state: { get: () => state, set: (next) => state = next },
      whenDurable: (confirm) => void confirmations.push(confirm),
      whenOver: (close) => void closings.push(close),
    }).catch(async (error) => {
      await end();
      throw error;
    });
    return {
      ...resultOf(trial, found),
      isFound: found !== undefined,
      get state() {
        return state;
      },
      end,
      async confirm() {
        for (const confirm of confirmations) await confirm();
      },
    };
  });
}

/** That of a tenant which was removed and made again: callers use another one. */
const TENANT = internalTenantId("main", 1);

const ATTEMPT: TaskContext["attempt"] = {
  tenant: TENANT,
  namespace: "demo",
  flowId: "h",
  executionId: "e1",
  taskId: "t",
  taskRunId: "r1",
  attemptNumber: 1,
};

/** Logs of programs wait for room. */
type LoggedWait = Pick<RunContext, "logged">;

function trialOf(folder: string, files: DefinitionRunOptions["files"] & object, signal: AbortSignal) {
  const http = new HttpClient({ clock: systemClock, random: () => 0.5, userAgent: "test" });
  const stored = new Map<string, Uint8Array>();
  const logs: string[] = [];
  const metrics: Record<string, number> = {};
  let count = 0;
  const directory = () => Promise.resolve(folder);
  const bytesOf = (uri: string) => {
    const content = files[uri];
    if (content === undefined) throw new Error(`Cannot read "${uri}": there is no such file`);
    return typeof content === "string" ? new TextEncoder().encode(content) : content;
  };
  const openStored: Sender["openStored"] = (uri, part) => {
    const content = bytesOf(uri).slice(part?.offset ?? 0, part && part.offset + part.length);
    return Promise.resolve({ size: content.length, content: ReadableStream.from([content]) });
  };
  const context: Omit<TaskContext, "properties"> & Pick<ServerTaskContext, "httpStream"> & LoggedWait = {
    attempt: ATTEMPT,
    signal,
    logged: () => undefined,
    log: (level, message) => void logs.push(`${level} ${message}`),
    metric: (name, value) => void (metrics[name] = value),
    http: (request) => sendRequest(request, { http, openStored, signal, directory }),
    httpStream: (request) => streamRequest(request, { http, openStored, signal, directory }),
    connectAddress: (host, port) => connectAddress(host, port, { http, signal }),
    directory,
    maxFileBytes: Infinity,
    async fetchFile(uri) {
      const path = `${folder}/fetched-${++count}-${uri.slice(uri.lastIndexOf("/") + 1)}`;
      await Deno.writeFile(path, bytesOf(uri));
      return path;
    },
    bodyOf: (uri) => Promise.resolve({ bodyFile: uri, size: bytesOf(uri).length }),
    async storeFile(path) {
      const uri = `kestra:///${stored.size}/${path.slice(folder.length + 1)}`;
      stored.set(uri, await Deno.readFile(path));
      return uri;
    },
    execution: (id) => Promise.reject(new Error(`Cannot read the execution "${id}": it does not exist`)),
  };
  return { context, http, stored, logs, metrics };
}
