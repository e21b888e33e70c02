/** All ports of tasks. Each is one noun in `model/ports/`; `server/task_ports.ts` connects the adapters. */
import type { JsonObject } from "../../base/json.ts";
import type { AttemptIdentity } from "../executions/attempt_identity.ts";
import type { DashboardPort } from "./dashboards.ts";
import type { EvaluatorPort } from "./evaluators.ts";
import type { ExecutionPort } from "./executions.ts";
import type { FlowCachePort } from "./flow_caches.ts";
import type { FlowPort } from "./flows.ts";
import type { HttpClientPort } from "./http.ts";
import type { ItemExecutionPort } from "./item_executions.ts";
import type { KvPairPort } from "./kv_pairs.ts";
import type { ListenPort } from "./listening.ts";
import type { LocalFilePort } from "./local_files.ts";
import type { LogPort } from "./logs.ts";
import type { NamespaceFilePort } from "./namespace_file.ts";
import type { NamespacePort } from "./namespaces.ts";
import type { ProcessPort } from "./processes.ts";
import type { ServerPort } from "./server.ts";
import type { SqlitePort } from "./sqlite.ts";
import type { StatePort } from "./states.ts";
import type { StoragePort } from "./storage.ts";
import type { TaskTypePort } from "./task_types.ts";
import type { TriggerPort } from "./triggers.ts";
import type { WorkingDirectoryPort } from "./working_directories.ts";

/** Encrypts values that must not be stored in clear. The adapter binds each ciphertext to the flow. */
interface CipherPort {
  /** The encrypted text for outputs and variables: `{type, value}`. */
  seal(owner: Pick<AttemptIdentity, "tenant" | "namespace" | "flowId">, text: string): JsonObject;
}

/** All ports. */
export interface TaskPorts {
  readonly http: HttpClientPort;
  readonly cipher: CipherPort;
  readonly processes: ProcessPort;
  readonly sqlite: SqlitePort;
  readonly evaluators: EvaluatorPort;
  readonly localFiles: LocalFilePort;
  readonly listening: ListenPort;
  readonly workingDirectories: WorkingDirectoryPort;
  readonly storage: StoragePort;
  readonly namespaceFiles: NamespaceFilePort;
  readonly itemExecutions: ItemExecutionPort;
  readonly flowCaches: FlowCachePort;
  readonly kvPairs: KvPairPort;
  readonly states: StatePort;
  readonly executions: ExecutionPort;
  readonly flows: FlowPort;
  readonly dashboards: DashboardPort;
  readonly namespaces: NamespacePort;
  readonly logs: LogPort;
  readonly triggers: TriggerPort;
  readonly taskTypes: TaskTypePort;
  readonly server: ServerPort;
}
