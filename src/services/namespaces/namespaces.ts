/**
 * Namespaces. They exist without being created: those of flows, their parents, and that of the system. A created one is
 * listed too and may have a description; a deleted one does not exist until it has a flow again.
 */
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, illegalArgument, illegalState, notFound } from "../../model/errors.ts";
import { SYSTEM_NAMESPACE } from "../../model/executions/execution_query.ts";
import { checkNamespace, parentNamespaces } from "../../model/namespaces/namespace_name.ts";
import type { NamespaceRecord, NamespaceRecords } from "../../store/records/namespace_records.ts";
import type { Flows } from "../flows/flows.ts";

interface NamespacesDeps {
  readonly flows: Flows;
  readonly records: NamespaceRecords;
}

/** A namespace and its description. */
export type Namespace = Pick<NamespaceRecord, "id" | "description">;

const MAX_NAMESPACE_DESCRIPTION_LENGTH = 10_000;
/** Per tenant; namespaces of flows do not count. */
const MAX_CREATED_NAMESPACES = 10_000;

/** The use cases of namespaces. */
export class Namespaces {
  readonly #deps: NamespacesDeps;
  readonly #locks = new KeyedLock();

  constructor(deps: NamespacesDeps) {
    this.#deps = deps;
  }

  /** A namespace: any valid name, unless it was deleted. @throws DomainError invalid_argument, not_found */
  async get(actor: Actor, id: string): Promise<Namespace> {
    const record = await this.#deps.records.get(actor.tenant, checkNamespace(id));
    if (record?.isDeleted && !this.#named(actor).has(id)) throw missingNamespace(id);
    return { id, description: record?.isDeleted ? undefined : record?.description };
  }

  /** All namespaces, ordered by name; with `holdingFlows` only those that contain flows themselves. */
  async list(actor: Actor, options: { readonly holdingFlows?: boolean } = {}): Promise<Namespace[]> {
    const { flows, records } = this.#deps;
    const created = (await records.list(actor.tenant)).filter(({ isDeleted }) => !isDeleted);
    const descriptions = new Map(created.map(({ id, description }) => [id, description]));
    const names = options.holdingFlows
      ? flows.namespaces(actor)
      : [...this.#named(actor), ...descriptions.keys()];
    return [...new Set(names)].sort().map((id) => ({ id, description: descriptions.get(id) }));
  }

  /** Creates a namespace that was not created yet; it may have flows. @throws DomainError already_exists, invalid_argument */
  async create(actor: Actor, namespace: Namespace): Promise<Namespace> {
    checkNamespace(namespace.id);
    return await this.#locks.run(actor.tenant, async () => {
      const records = await this.#deps.records.list(actor.tenant);
      const known = records.find(({ id }) => id === namespace.id);
      if (known && !known.isDeleted) {
        throw new DomainError("already_exists", `Cannot create namespace "${namespace.id}": it exists`);
      }
      if (!known && records.length >= MAX_CREATED_NAMESPACES) {
        throw illegalArgument(
          `Cannot create namespace "${namespace.id}": there are ${records.length} already; namespaces of flows need not be created`,
        );
      }
      return await this.#put(actor, namespace);
    });
  }

  /** Sets the description of an existing namespace. @throws DomainError not_found, invalid_argument */
  async update(actor: Actor, namespace: Namespace): Promise<Namespace> {
    checkNamespace(namespace.id);
    return await this.#locks.run(actor.tenant, async () => {
      await this.#mustExist(actor, namespace.id);
      return await this.#put(actor, namespace);
    });
  }

  /** Deletes a namespace without flows. Its other content stays. @throws DomainError not_found, conflict */
  async delete(actor: Actor, id: string): Promise<void> {
    checkNamespace(id);
    await this.#locks.run(actor.tenant, async () => {
      await this.#mustExist(actor, id);
      if (this.#named(actor).has(id)) {
        throw illegalState(
          `Cannot delete namespace "${id}": it, or one below it, holds flows; delete them before`,
        );
      }
      await this.#deps.records.put(actor.tenant, { id, isDeleted: true });
    });
  }

  async #put({ tenant }: Actor, { id, description }: Namespace): Promise<Namespace> {
    if ((description?.length ?? 0) > MAX_NAMESPACE_DESCRIPTION_LENGTH) {
      throw illegalArgument(`a description has at most ${MAX_NAMESPACE_DESCRIPTION_LENGTH} characters`);
    }
    await this.#deps.records.put(tenant, { id, description, isDeleted: false });
    return { id, description };
  }

  async #mustExist(actor: Actor, id: string): Promise<void> {
    const record = await this.#deps.records.get(actor.tenant, id);
    const isThere = record ? !record.isDeleted : false;
    if (!isThere && !this.#named(actor).has(id)) throw missingNamespace(id);
  }

  /** The namespaces of flows, their parents, and that of the system. */
  #named(actor: Actor): Set<string> {
    const names = this.#deps.flows.namespaces(actor);
    return new Set([SYSTEM_NAMESPACE, ...names.flatMap((name) => [name, ...parentNamespaces(name)])]);
  }
}

function missingNamespace(id: string): DomainError {
  return notFound(`namespace "${id}" does not exist`);
}
