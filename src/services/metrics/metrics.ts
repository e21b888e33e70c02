/** Metrics that attempts reported: of one execution, and of the executions of a flow. */
import { type Instant, toIso } from "../../base/time/clock.ts";
import { taskRunId } from "../../base/id.ts";
import { Double, type JsonObject } from "../../base/json.ts";
import { type FlowPlan, planFor } from "../../engine/plan.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { Execution, TaskRun } from "../../model/executions/execution.ts";
import type { ExecutionConditions } from "../../model/executions/execution_query.ts";
import { executionSelectionQuery } from "../../model/executions/execution_selection.ts";
import type { FlowKey, TenantId } from "../../model/flows/flow.ts";
import type { Metric } from "../../model/executions/metric.ts";
import { changedAt, currentState, startedAt } from "../../model/executions/state.ts";
import type { TaskCatalog } from "../../model/tasks/task_catalog.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { Pace } from "../../store/catalog/pace.ts";
import type { ExecutionRecords, OpenedExecution } from "../../store/records/executions/execution_records.ts";
import { openEach } from "../../store/records/executions/open_each.ts";
import type { MetricRecords } from "../../store/records/metric_records.ts";
import type { Flows } from "../flows/flows.ts";
import { undefinedIfMissing } from "../../model/errors.ts";
import { aggregateMetrics, type Aggregation, type MetricWindow } from "./metric_aggregates.ts";

interface MetricsDeps {
  readonly records: ExecutionRecords;
  readonly metrics: MetricRecords;
  readonly catalog: Catalog;
  readonly flows: Flows;
  readonly tasks: TaskCatalog;
}

/** A metric and its origin. */
export interface MetricEntry extends Metric {
  readonly taskId: string;
  /** Ordinal of the task run. */
  readonly taskRun: number;
  readonly at: Instant;
}

interface MetricFilter {
  readonly taskId?: string;
  readonly taskRunId?: string;
}

interface AggregateQuery extends MetricWindow {
  readonly taskId?: string;
  readonly metric: string;
  readonly aggregation: Aggregation;
}

interface MetricVisit {
  /** Executions that are read, newest first. */
  readonly maxExecutions: number;
  readonly pace: Pace;
  readonly visit: (execution: Execution, entry: MetricEntry) => void;
}

/** Newest executions of a flow that are read to collect the names of its metrics. */
const NAMED_EXECUTIONS = 200;
/** Newest executions of a flow that are aggregated. */
const AGGREGATED_EXECUTIONS = 5_000;
/** Executions that are read at the same time: in half the time that they take one after the other. More are no faster. */
const READ_AT_ONCE = 16;

/** Reads metrics. */
export class Metrics {
  readonly #deps: MetricsDeps;

  constructor(deps: MetricsDeps) {
    this.#deps = deps;
  }

  /** The metrics of an execution, oldest first; empty for an unknown one. */
  async ofExecution(actor: Actor, id: string, filter: MetricFilter = {}): Promise<JsonObject[]> {
    const opened = await this.#deps.records.open(actor.tenant, id);
    if (!opened) return [];
    const { execution } = opened;
    const entries = await this.#entriesOf(opened);
    return entries.map((entry) => responseOf(execution, entry)).filter((response) =>
      (filter.taskId === undefined || response.taskId === filter.taskId) &&
      (filter.taskRunId === undefined || response.taskRunId === filter.taskRunId)
    );
  }

  /** Names of the metrics of a flow, or of one of its tasks, in alphabetical order. */
  async names(actor: Actor, flow: FlowKey, taskId?: string): Promise<string[]> {
    const names = new Set<string>();
    for await (const entry of this.#newest(actor, flow, { limit: NAMED_EXECUTIONS })) {
      if (taskId === undefined || entry.taskId === taskId) names.add(entry.name);
    }
    return [...names].sort();
  }

  /** Ids of the tasks of a flow that reported metrics, in alphabetical order. */
  async tasks(actor: Actor, flow: FlowKey): Promise<string[]> {
    const ids = new Set<string>();
    for await (const { taskId } of this.#newest(actor, flow, { limit: NAMED_EXECUTIONS })) ids.add(taskId);
    return [...ids].sort();
  }

  /** One metric of a flow over time, a value for each part of the window; 0 for parts without values. */
  async aggregate(actor: Actor, flow: FlowKey, query: AggregateQuery): Promise<JsonObject> {
    const { taskId, metric, start, end } = query;
    const found: MetricEntry[] = [];
    for await (const entry of this.#newest(actor, flow, { limit: AGGREGATED_EXECUTIONS, start, end })) {
      if (entry.name === metric && (taskId === undefined || entry.taskId === taskId)) found.push(entry);
    }
    return aggregateMetrics(found, query);
  }

  /** Passes the metrics of the newest matching executions to `visit`; false if more executions match than are read. */
  async visit({ tenant }: Actor, conditions: ExecutionConditions, options: MetricVisit): Promise<boolean> {
    const { maxExecutions, pace, visit } = options;
    const sort = [{ field: "state.startDate", descending: true }] as const;
    const query = { ...conditions, sort, page: 1, size: maxExecutions };
    const { ids, total } = await this.#deps.catalog.query(tenant, query);
    for await (const opened of openEach(this.#deps.records, tenant, ids)) {
      for (const entry of await this.#entriesOf(opened)) {
        visit(opened.execution, entry);
        if (pace.isDue) await pace.pause();
      }
    }
    return total <= ids.length;
  }

  /** The metrics of the newest executions of a flow. */
  async *#newest(
    { tenant }: Actor,
    flow: FlowKey,
    { limit, start, end }: { readonly limit: number; readonly start?: Instant; readonly end?: Instant },
  ): AsyncGenerator<MetricEntry> {
    const { namespace, id: flowId } = flow;
    const query = executionSelectionQuery({ namespace, flowId, startedFrom: start, startedBefore: end });
    const { ids } = await this.#deps.catalog.query(tenant, { ...query, size: limit });
    for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
      const some = ids.slice(start, start + READ_AT_ONCE);
      for (const entries of await Promise.all(some.map((id) => this.#entries(tenant, id)))) yield* entries;
    }
  }

  /** The metrics of an execution; empty for an unknown one. */
  async #entries(tenant: TenantId, id: string): Promise<MetricEntry[]> {
    const opened = await this.#deps.records.open(tenant, id);
    return opened ? await this.#entriesOf(opened) : [];
  }

  /** Reads the outputs of one task run after the other: those of a large execution do not fit into memory together. */
  async #entriesOf({ execution, taskRuns }: OpenedExecution): Promise<MetricEntry[]> {
    const { tenant, id } = execution;
    const stored = await this.#deps.metrics.load(tenant, id);
    const reported = stored.flatMap(({ metrics, taskId, taskRun, at }) =>
      metrics.map((metric): MetricEntry => ({ ...metric, taskId, taskRun, at }))
    );
    const plan = await undefinedIfMissing(() => this.#planOf(execution));
    const derived: MetricEntry[] = [];
    if (plan) {
      for await (const taskRun of taskRuns ?? execution.taskRuns) {
        derived.push(...this.#derive(plan, taskRun));
      }
    }
    return [...reported, ...derived].sort((a, b) => a.at - b.at || a.taskRun - b.taskRun);
  }

  /** @throws DomainError not_found: its revision was removed */
  async #planOf(execution: Execution): Promise<FlowPlan> {
    const { tenant, namespace, flowId: id, flowRevision: revision } = execution;
    const options = { revision, allowDeleted: true };
    return planFor(await this.#deps.flows.plan(tenant, { namespace, id }, options), execution);
  }

  /** Metrics that the task type derives from the attempt instead of storing them. */
  #derive(plan: FlowPlan, { taskId, ordinal, attempts, outputs = {} }: TaskRun): MetricEntry[] {
    const task = plan.places.get(taskId)?.task;
    const last = attempts[attempts.length - 1]?.history;
    const type = task && this.#deps.tasks.find(task.kind);
    if (!last || type?.form !== "runnable" || !type.metricsOf || currentState(last) !== "SUCCESS") return [];
    const at = changedAt(last);
    const metrics = type.metricsOf({
      written: task?.properties ?? {},
      outputs,
      startedAt: startedAt(last),
      endedAt: at,
    });
    return metrics.map((metric) => ({ ...metric, taskId, taskRun: ordinal, at }));
  }
}

function responseOf(
  execution: Execution,
  { taskId, taskRun, name, type, value, tags, at }: MetricEntry,
): JsonObject {
  return {
    executionId: execution.id,
    namespace: execution.namespace,
    flowId: execution.flowId,
    taskId,
    taskRunId: taskRunId(execution.id, taskRun),
    type,
    name,
    value: new Double(value),
    timestamp: toIso(at),
    tags: { ...tags },
  };
}
