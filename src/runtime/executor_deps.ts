/** Dependencies of the executor: those at construction, and those from the services, which use the executor themselves. */
import type { Clock } from "../base/time/clock.ts";
import type { Logger } from "../base/log.ts";
import type { FlowPlan } from "../engine/plan.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import type { WorkerPort } from "../model/ports/workers.ts";
import type { TaskCatalog } from "../model/tasks/task_catalog.ts";
import type { RenderDeps, TemplateCache } from "../rendering/renderer.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { ExecutionRecords } from "../store/records/executions/execution_records.ts";
import type { Store } from "../store/store.ts";
import type { TaskCache } from "./attempts/task_cache.ts";
import type { TaskConditions } from "./attempts/task_conditions.ts";
import type { CreateChild } from "./children/subflow.ts";
import type { Reactions } from "./reactions.ts";

/** Store and platform. */
export interface ExecutorDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: Store;
  readonly committer: Committer;
  readonly records: ExecutionRecords;
  readonly changes: Changes;
  readonly catalog: TaskCatalog;
  readonly templates: TemplateCache;
  /** False once another process may run the same attempts: none begins. Absent: there is no other. */
  readonly mayAct?: () => boolean;
}

/** What is built from the services. */
export interface ExecutorConnection {
  readonly ports: TaskPorts;
  /** Triggers that react to states of executions. */
  readonly reactions: Reactions;
  readonly render: RenderDeps;
  readonly taskCache: TaskCache;
  /** Absent: every attempt runs in this process. */
  readonly workers?: WorkerPort;
  readonly conditions: Pick<TaskConditions, "hold">;
  /** Creates executions of other flows, for tasks that start them. */
  readonly createChild: CreateChild;
  /** The plan of the revision that an execution is pinned to. @throws DomainError when it cannot be read */
  readonly planOf: (execution: Execution) => FlowPlan | Promise<FlowPlan>;
}
