/** What tasks may do outside themselves. Each port is one noun in `model/ports/`; `server/task_ports.ts` says who serves it. */
import type { CipherPort } from "./ports/cipher.ts";
import type { ExecutionPort } from "./ports/executions.ts";
import type { HttpClientPort } from "./ports/http.ts";
import type { FlowCachePort } from "./ports/flow_caches.ts";
import type { ItemExecutionPort } from "./ports/item_executions.ts";
import type { KvPairPort } from "./ports/kv_pairs.ts";
import type { LogPort } from "./ports/logs.ts";
import type { NamespaceFilePort } from "./ports/namespace_file.ts";
import type { ProcessPort } from "./ports/processes.ts";
import type { StatePort } from "./ports/states.ts";
import type { StoragePort } from "./ports/storage.ts";
import type { TaskTypePort } from "./ports/task_types.ts";
import type { TriggerPort } from "./ports/triggers.ts";
import type { WorkingDirectoryPort } from "./ports/working_directories.ts";

/** All ports. */
export interface TaskPorts {
  readonly http: HttpClientPort;
  readonly cipher: CipherPort;
  readonly processes: ProcessPort;
  readonly workingDirectories: WorkingDirectoryPort;
  readonly storage: StoragePort;
  readonly namespaceFiles: NamespaceFilePort;
  readonly itemExecutions: ItemExecutionPort;
  readonly flowCaches: FlowCachePort;
  readonly kvPairs: KvPairPort;
  readonly states: StatePort;
  readonly executions: ExecutionPort;
  readonly logs: LogPort;
  readonly triggers: TriggerPort;
  readonly taskTypes: TaskTypePort;
}
