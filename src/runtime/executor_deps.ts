/** What the executor is given. */
import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/id.ts";
import type { Logger } from "../base/log.ts";
import type { FlowPlan } from "../engine/plan.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { TaskCatalog } from "../model/tasks/task_catalog.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { ExecutionRecords } from "../store/records/execution_records.ts";
import type { Manifests } from "../store/manifests.ts";
import type { Reactions } from "./reactions.ts";
import type { RenderDeps, TemplateCache } from "../rendering/renderer.ts";
import type { Slots } from "./live/slots.ts";
import type { CreateChild } from "./children/subflow.ts";
import type { TaskCache } from "./attempts/task_cache.ts";
import type { TaskConditions } from "./attempts/task_conditions.ts";
import type { DueTimer } from "./timers/timer_heap.ts";

/** What the executor works with. */
export interface ExecutorDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly catalog: TaskCatalog;
  readonly committer: Committer;
  readonly records: ExecutionRecords;
  readonly manifests: Manifests;
  readonly changes: Changes;
  readonly render: RenderDeps;
  readonly templates: TemplateCache;
  readonly ids: IdSource;
  readonly slots: Slots;
  readonly ports: TaskPorts;
  /** Triggers that react to states of executions. */
  readonly reactions: Reactions;
  readonly taskCache: TaskCache;
  /** Tells whether the conditions of a task hold. */
  readonly conditions: Pick<TaskConditions, "hold">;
  /** Makes executions of other flows, for tasks that start them. */
  readonly createChild: CreateChild;
  /** The plan of the revision that an execution is pinned to. @throws DomainError when it cannot be read */
  readonly planOf: (execution: Execution) => FlowPlan | Promise<FlowPlan>;
  /** Told of timers once they are durable. */
  readonly timerSet: (timer: DueTimer) => void;
}
