/** Changes of single tasks of flows. */
import { ownProperty } from "../../base/json.ts";
import { parseFlowSource, problemsError, replaceTask } from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { notFound } from "../../model/errors.ts";
import type { Flow, FlowKey } from "../../model/flows/flow.ts";
import type { TaskCatalog } from "../../model/tasks/task_catalog.ts";
import { type Flows, invalidFlow } from "./flows.ts";

/** A task of a flow, and its new source in YAML or JSON. */
interface TaskChange {
  readonly key: FlowKey;
  readonly taskId: string;
  readonly source: string;
  /** The expected revision of the flow. */
  readonly ifMatch?: number;
}

/** The use cases of changing tasks. */
export class TaskEdits {
  readonly #flows: Flows;
  readonly #catalog: TaskCatalog;

  constructor(flows: Flows, catalog: TaskCatalog) {
    this.#flows = flows;
    this.#catalog = catalog;
  }

  /**
   * Replaces a task, at any depth, by a new revision of its flow; the rest of the source stays as it is written. Places of
   * problems are those in the source that the flow would have.
   * @throws DomainError not_found, invalid_entity, conflict, precondition_failed
   */
  async replace(actor: Actor, { key, taskId, source, ifMatch }: TaskChange): Promise<Flow> {
    const task = parseFlowSource(source);
    if (!task.document) throw problemsError(task.problems);
    const id = ownProperty(task.document, "id");
    if (id !== taskId) {
      const given = typeof id === "string" ? `"${id.slice(0, 100)}"` : "none";
      const message = `must be "${taskId.slice(0, 100)}", the task of the path, but received ${given}`;
      throw invalidFlow([{ path: "id", message }]);
    }
    return await this.#flows.edit(actor, key, (flow) => {
      const edited = replaceTask(flow.source, { taskId, task, catalog: this.#catalog });
      if (edited !== undefined) return edited;
      throw notFound(`flow "${key.namespace}.${key.id}" has no task "${taskId.slice(0, 100)}"`);
    }, ifMatch);
  }
}
