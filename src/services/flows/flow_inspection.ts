/** Looks up parts of flows: single tasks, deprecated types, names that expressions may use. */
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import {
  deprecatedTaskIds,
  expressionNames,
  findWrittenTask,
  parseFlowSource,
  problemsError,
} from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { notFound } from "../../model/errors.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import type { TaskCatalog } from "../../model/tasks/task_catalog.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";
import type { Flows } from "./flows.ts";

/** The use cases of inspecting flows. */
export class FlowInspection {
  readonly #flows: Flows;
  readonly #catalog: TaskCatalog;

  constructor(flows: Flows, catalog: TaskCatalog) {
    this.#flows = flows;
    this.#catalog = catalog;
  }

  /** A task as it is written in the source, at any depth. @throws DomainError not_found */
  async task(actor: Actor, key: FlowKey, taskId: string, revision?: number): Promise<JsonObject> {
    const { definition } = await this.#flows.get(actor, key, { revision });
    const task = findWrittenTask(definition, taskId, this.#catalog);
    if (task) return task;
    throw notFound(`flow "${key.namespace}.${key.id}" has no task "${taskId.slice(0, 100)}"`);
  }

  /** Flows with tasks of deprecated types, by namespace and id. */
  async deprecated(actor: Actor, matches: (head: FlowHead) => boolean): Promise<JsonObject[]> {
    const found: JsonObject[] = [];
    for (const head of await this.#flows.filter(actor, matches)) {
      const { namespace, id: flowId, revision } = head;
      const { definition } = await this.#flows.read(actor, head);
      const deprecatedTasks = deprecatedTaskIds(definition, this.#catalog);
      if (deprecatedTasks.length > 0) found.push({ namespace, flowId, revision, deprecatedTasks });
    }
    return found;
  }

  /** Names that expressions of a source may use, by root variable; with `taskId`, those of that task. @throws DomainError invalid_entity, not_found */
  async expressions({ tenant }: Actor, source: string, taskId?: string): Promise<JsonObject> {
    const { document, problems } = parseFlowSource(source);
    if (!document) throw problemsError(problems);
    await this.#catalog.load(stringifyJson(document));
    const { namespace } = document;
    const { variables: inherited } = this.#flows.inherited(tenant, String(namespace));
    const names = expressionNames(document, this.#catalog, { taskId, inherited });
    if (names) return names;
    throw notFound(`the flow has no task "${String(taskId).slice(0, 100)}"`);
  }
}
