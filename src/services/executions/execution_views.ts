/** Further views of executions: the latest of flows, distinct field values, an export of all that match, outputs. */
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { taskRunId, taskRunOrdinal } from "../../base/id.ts";
import type { Actor } from "../../model/access/actor.ts";
import { illegalArgument } from "../../model/errors.ts";
import type { Execution, TaskRun } from "../../model/executions/execution.ts";
import type {
  ExecutionCondition,
  ExecutionConditions,
  ExecutionQuery,
} from "../../model/executions/execution_query.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import { CORRELATION_LABEL } from "../../model/flows/label.ts";
import type { State } from "../../model/executions/state.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import { unknownExecution, unknownTaskRun } from "./execution_actions.ts";
import type { Executions } from "./executions.ts";
import { flowName } from "../flows/flow_heads.ts";
import type { Flows } from "../flows/flows.ts";

interface ExecutionViewsDeps {
  readonly executions: Executions;
  readonly records: ExecutionRecords;
  readonly catalog: Catalog;
  readonly flows: Flows;
}

/** A task run with outputs. */
export interface TaskRunOutputs extends Pick<TaskRun, "taskId" | "value" | "iteration"> {
  readonly id: string;
}

/** Fields whose values can be listed. */
export const DISTINCT_FIELDS = ["namespace", "flowId", "state"] as const;

/** One of {@link DISTINCT_FIELDS}. */
export type DistinctField = typeof DISTINCT_FIELDS[number];

/** All executions of the kind NORMAL. */
const ALL: ExecutionConditions = { conditions: [], groups: [] };
/** Flows whose latest executions one request can ask for. */
const MAX_LATEST_FLOWS = 1_000;

/** Executions of one correlation that are returned. */
const MAX_RELATED = 1_000;
/** Characters of their texts after which values are shortened harder: they are in memory together. */
const RELATED_FULL_CHARS = 2 * 1024 * 1024;

/** The use cases of these views. */
export class ExecutionViews {
  readonly #deps: ExecutionViewsDeps;

  constructor(deps: ExecutionViewsDeps) {
    this.#deps = deps;
  }

  /** The latest execution of each flow that has one, in the order of the flows. @throws DomainError invalid_argument: too many flows */
  async latest(actor: Actor, flows: readonly FlowKey[]): Promise<Execution[]> {
    if (flows.length > MAX_LATEST_FLOWS) {
      throw illegalArgument(
        `the latest executions of ${flows.length} flows were asked for; at most ${MAX_LATEST_FLOWS} can be`,
      );
    }
    const newest = await this.newest(actor);
    const found = flows.map(async (flow) => {
      const id = newest.get(flowName(flow));
      return id === undefined ? undefined : await this.#deps.records.facts(actor.tenant, id);
    });
    return (await Promise.all(found)).filter((execution) => execution !== undefined);
  }

  /** The id of the newest matching execution of each flow that has one, by the name of the flow. */
  async newest({ tenant }: Actor, conditions: ExecutionConditions = ALL): Promise<Map<string, string>> {
    const { catalog, flows } = this.#deps;
    const found = new Map<string, string>();
    for (const [flowNo, id] of await catalog.newest(tenant, conditions)) {
      const flow = flows.byNumber(flowNo);
      if (flow) found.set(flowName(flow), id);
    }
    return found;
  }

  /** Values of a field among the matching executions, in order, at most `size`. */
  async distinct(
    actor: Actor,
    field: DistinctField,
    filters: ExecutionConditions,
    size: number,
  ): Promise<string[]> {
    const values = await this.#valuesOf(actor, field);
    if (filters.conditions.length + filters.groups.length === 0) return values.slice(0, size);
    const found: string[] = [];
    for (const value of values) {
      if (found.length >= size) break;
      const conditions = [...filters.conditions, conditionOn(field, value)];
      const query = { ...filters, conditions, sort: [], page: 1, size: 1 };
      const { total } = await this.#deps.catalog.query(actor.tenant, query);
      if (total > 0) found.push(value);
    }
    return found;
  }

  /** All matching executions in pieces, oldest first, each as lists show it. */
  async *pages(actor: Actor, filters: ExecutionConditions): AsyncGenerator<JsonObject[]> {
    for await (const texts of this.#deps.executions.all(actor, filters)) {
      yield texts.map((text) => parseJson(text)).filter(isJsonObject);
    }
  }

  /** The task runs of an execution that have outputs. @throws DomainError not_found */
  async outputs(actor: Actor, id: string): Promise<TaskRunOutputs[]> {
    const opened = await this.#deps.records.open(actor.tenant, id);
    if (!opened) throw unknownExecution(id);
    const found: TaskRunOutputs[] = [];
    for await (
      const { taskId, value, iteration, ordinal, outputs } of opened.taskRuns ?? opened.execution.taskRuns
    ) {
      const hasOutputs = outputs && Object.keys(outputs).length > 0;
      if (hasOutputs) found.push({ id: taskRunId(id, ordinal), taskId, value, iteration });
    }
    return found;
  }

  /** Outputs of one task run. @throws DomainError not_found */
  async taskRunOutputs(actor: Actor, id: string, taskRunId: string): Promise<JsonObject> {
    const ordinal = taskRunOrdinal(id, taskRunId);
    const taskRun = ordinal === undefined
      ? undefined
      : await this.#deps.records.taskRun(actor.tenant, id, ordinal);
    if (taskRun) return taskRun.outputs ?? {};
    throw unknownTaskRun((await this.#deps.executions.header(actor, id)).id, taskRunId);
  }

  /** Outputs of the flow. @throws DomainError not_found */
  async flowOutputs(actor: Actor, id: string): Promise<JsonObject> {
    return (await this.#deps.executions.header(actor, id)).outputs ?? {};
  }

  /** The executions of the same correlation, at most 1,000, oldest first, as lists show them. @throws DomainError not_found */
  async related(actor: Actor, id: string): Promise<{ flow: FlowKey; executions: JsonObject[] }> {
    const execution = await this.#deps.executions.header(actor, id);
    const correlation = execution.labels.find(({ key }) => key === CORRELATION_LABEL)?.value ?? id;
    const anyOf = [{ key: CORRELATION_LABEL, value: correlation }];
    const query: ExecutionQuery = {
      conditions: [{ field: "labels", anyOf, negated: false }],
      groups: [],
      sort: [{ field: "id", descending: false }],
      page: 1,
      size: MAX_RELATED,
    };
    const { pieces } = await this.#deps.executions.search(actor, query, RELATED_FULL_CHARS);
    const results = (await Array.fromAsync(pieces)).flat();
    const flow = { namespace: execution.namespace, id: execution.flowId };
    return { flow, executions: results.map((text) => parseJson(text)).filter(isJsonObject) };
  }

  /** Values among all executions except tests, regardless of filters. */
  async #valuesOf({ tenant }: Actor, field: DistinctField): Promise<string[]> {
    const values = new Set<string>();
    for (const [flowNo, states] of await this.#deps.catalog.counts(tenant)) {
      const flow = this.#deps.flows.byNumber(flowNo);
      const present = [...states].filter(([, count]) => count > 0).map(([state]) => state);
      if (field === "state") present.forEach((state) => values.add(state));
      else if (flow && present.length > 0) values.add(field === "namespace" ? flow.namespace : flow.id);
    }
    return [...values].sort();
  }
}

function equals(field: "namespace" | "flowId", value: string): ExecutionCondition {
  return { field, operator: "EQUALS", values: [value] };
}

function conditionOn(field: DistinctField, value: string): ExecutionCondition {
  return field === "state" ? { field, states: [value as State], negated: false } : equals(field, value);
}
