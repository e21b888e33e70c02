/** The context of an attempt on a worker, and its ports. */
import type { Clock, Instant } from "../base/time/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { AttemptFiles } from "../model/executions/attempt_identity.ts";
import type { ExecutionSummary } from "../model/executions/execution_summary.ts";
import { type Metric, MetricList } from "../model/executions/metric.ts";
import type { LogLevel } from "../model/flows/flow.ts";
import { type LeasedAttempt, sealMark } from "../model/http/worker_protocol.ts";
import type { HttpClientPort } from "../model/ports/http.ts";
import type { LocalFilePort } from "../model/ports/local_files.ts";
import type { NamespaceFilePort } from "../model/ports/namespace_file.ts";
import type { ProcessPort } from "../model/ports/processes.ts";
import type { EvaluatorPort } from "../model/ports/evaluators.ts";
import type { SqlitePort } from "../model/ports/sqlite.ts";
import type { RunContext } from "../model/ports/run_context.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import type { WorkingDirectoryPort } from "../model/ports/working_directories.ts";
import { SecretMask } from "../rendering/secret_mask.ts";
import type { AttemptLog } from "./attempt_log.ts";
import type { ServerApi } from "./server_api.ts";
import type { WorkerStorage } from "./worker_storage.ts";

/** The machine of a worker. */
export interface WorkerMachine {
  readonly clock: Clock;
  readonly http: HttpClientPort;
  readonly processes: ProcessPort;
  readonly sqlite: SqlitePort;
  readonly evaluators: EvaluatorPort;
  readonly localFiles: LocalFilePort;
  readonly workingDirectories: WorkingDirectoryPort;
  readonly isOffline: boolean;
}

/** What an attempt works with. */
interface WorkerContextParts {
  readonly attempt: LeasedAttempt;
  readonly machine: WorkerMachine;
  readonly api: ServerApi;
  readonly storage: WorkerStorage;
  readonly log: AttemptLog;
  readonly signal: AbortSignal;
}

/** The context of one attempt. */
export class WorkerContext implements RunContext {
  readonly tenant: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly flowRevision: number;
  readonly executionId: string;
  readonly taskId: string;
  readonly taskRunId: string;
  readonly value: string | undefined;
  readonly attemptNumber: number;
  readonly signal: AbortSignal;
  readonly ports: TaskPorts;
  readonly labels: LeasedAttempt["labels"];
  readonly variables: JsonObject;
  readonly written: JsonObject;
  readonly files: AttemptFiles = {};
  /** Reported with the end. */
  readonly metrics = new MetricList();
  readonly #parts: WorkerContextParts;
  readonly #mask = new SecretMask();

  constructor(parts: WorkerContextParts) {
    const { attempt, signal } = parts;
    this.#parts = parts;
    this.tenant = attempt.tenant;
    this.namespace = attempt.namespace;
    this.flowId = attempt.flowId;
    this.flowRevision = attempt.flowRevision;
    this.executionId = attempt.executionId;
    this.taskId = attempt.taskId;
    this.taskRunId = attempt.taskRunId;
    this.value = attempt.value;
    this.attemptNumber = attempt.attemptNumber;
    this.labels = attempt.labels;
    this.variables = attempt.variables;
    this.written = attempt.written;
    this.signal = signal;
    this.ports = portsOf(parts);
    for (const secret of attempt.secrets) this.#mask.add(secret);
  }

  /** @inheritdoc */
  now(): Instant {
    return this.#parts.machine.clock.now();
  }

  /** The text with stars in place of secrets. */
  masked(text: string): string {
    return this.#mask.apply(text);
  }

  /** @inheritdoc */
  log(level: LogLevel, message: string): void {
    this.#parts.log.add(level, this.masked(message));
  }

  /** @inheritdoc */
  logged(): Promise<void> | undefined {
    return this.#parts.log.room(this.signal);
  }

  /** @inheritdoc */
  metric(metric: Metric): void {
    if (this.metrics.add(metric) || !this.metrics.isFirstRefusal()) return;
    this.log("WARN", `Too many metrics: "${metric.name}" and those after it are left out`);
  }

  /** @inheritdoc */
  render(): JsonValue {
    throw new Error("Cannot evaluate an expression: the task runs on a worker");
  }
}

function portsOf({ attempt, machine, api, storage, signal }: WorkerContextParts): TaskPorts {
  const { http, processes, sqlite, evaluators, localFiles, workingDirectories, isOffline } = machine;
  const summary = (_tenant: string, id: string) =>
    api.json(attempt.lease, `/executions/${encodeURIComponent(id)}`, signal) as Promise<
      ExecutionSummary | undefined
    >;
  return {
    http,
    processes,
    sqlite,
    evaluators,
    localFiles,
    workingDirectories,
    storage,
    // The server, which has the key, encrypts the value.
    cipher: { seal: (_owner, text) => ({ [sealMark(attempt.lease)]: text }) },
    namespaceFiles: namespaceFilesOf(attempt, api, signal),
    executions: absent<TaskPorts["executions"]>("executions", { summary }),
    server: { url: api.url, isOffline },
    listening: absent("ports"),
    itemExecutions: absent("items"),
    flowCaches: absent("caches"),
    kvPairs: absent("KV pairs"),
    states: absent("states"),
    flows: absent("flows"),
    dashboards: absent("dashboards"),
    namespaces: absent("namespaces"),
    logs: absent("logs"),
    triggers: absent("triggers"),
    taskTypes: absent("task types"),
  };
}

function namespaceFilesOf(attempt: LeasedAttempt, api: ServerApi, signal: AbortSignal): NamespaceFilePort {
  return absent<NamespaceFilePort>("namespace files", {
    async list(_, namespace) {
      const path = `/namespace-files?namespace=${encodeURIComponent(namespace)}`;
      return await api.json(attempt.lease, path, signal) as string[];
    },
    open(_, namespace, path) {
      const query = new URLSearchParams({ namespace, path });
      return api.file(attempt.lease, `/namespace-files/content?${query}`, signal);
    },
  });
}

/** A port of which task types that run on workers use only the `known` methods. */
function absent<Port extends object>(what: string, known: Partial<Port> = {}): Port {
  const refuse = () => {
    throw new Error(`Cannot reach ${what}: the task runs on a worker`);
  };
  return new Proxy(known as Port, { get: (target, name) => Reflect.get(target, name) ?? refuse });
}

/** A value in which paths of the server are those of this worker. */
export function withLocalPaths<Value extends JsonValue>(value: Value, from: string, to: string): Value {
  const mapped = (inner: JsonValue): JsonValue => {
    if (typeof inner === "string") return inner.replaceAll(from, to);
    if (Array.isArray(inner)) return inner.map(mapped);
    if (!isJsonObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, mapped(each)]));
  };
  return mapped(value) as Value;
}
