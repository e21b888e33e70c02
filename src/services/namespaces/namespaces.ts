/**
 * Namespaces. They need not be created: there are those that hold a flow, all above them, and that of the system. One that is
 * created is listed too, and may be described; one that is deleted is not there any more until it holds a flow again.
 */
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import { SYSTEM_NAMESPACE } from "../../model/executions/execution_query.ts";
import { checkNamespace, parentNamespaces } from "../../model/namespaces/namespace_name.ts";
import type { NamespaceRecord, NamespaceRecords } from "../../store/records/namespace_records.ts";
import type { Flows } from "../flows/flows.ts";

/** What the service works with. */
interface NamespacesDeps {
  readonly flows: Flows;
  readonly records: NamespaceRecords;
}

/** A namespace as answered. */
export type Namespace = Pick<NamespaceRecord, "id" | "description">;

/** Characters of a description, and namespaces of a tenant that are created beside those of flows. */
const MAX_NAMESPACE_DESCRIPTION_LENGTH = 10_000;
const MAX_CREATED_NAMESPACES = 10_000;

/** The use cases of namespaces. */
export class Namespaces {
  readonly #deps: NamespacesDeps;
  readonly #locks = new KeyedLock();

  constructor(deps: NamespacesDeps) {
    this.#deps = deps;
  }

  /** A namespace: every name is one, unless it was deleted. @throws DomainError invalid_argument, not_found */
  async get(actor: Actor, id: string): Promise<Namespace> {
    const record = await this.#deps.records.get(actor.tenant, checkNamespace(id));
    if (record?.isDeleted && !this.#named(actor).has(id)) throw notFound(id);
    return { id, description: record?.isDeleted ? undefined : record?.description };
  }

  /** In order of their names; `holdingFlows` leaves out those that hold no flow themselves. */
  async list(actor: Actor, options: { readonly holdingFlows?: boolean } = {}): Promise<Namespace[]> {
    const { flows, records } = this.#deps;
    const told = (await records.list(actor.tenant)).filter(({ isDeleted }) => !isDeleted);
    const descriptions = new Map(told.map(({ id, description }) => [id, description]));
    const names = options.holdingFlows
      ? flows.namespaces(actor)
      : [...this.#named(actor), ...descriptions.keys()];
    return [...new Set(names)].sort().map((id) => ({ id, description: descriptions.get(id) }));
  }

  /** Creates one that was not created yet; it may hold flows. @throws DomainError already_exists, invalid_argument */
  async create(actor: Actor, namespace: Namespace): Promise<Namespace> {
    checkNamespace(namespace.id);
    return await this.#locks.run(actor.tenant, async () => {
      const records = await this.#deps.records.list(actor.tenant);
      const known = records.find(({ id }) => id === namespace.id);
      if (known && !known.isDeleted) {
        throw new DomainError("already_exists", `Cannot create namespace "${namespace.id}": it exists`);
      }
      if (!known && records.length >= MAX_CREATED_NAMESPACES) {
        throw new DomainError(
          "invalid_argument",
          `Illegal argument: Cannot create namespace "${namespace.id}": there are ${records.length}; those of flows need not be created`,
        );
      }
      return await this.#put(actor, namespace);
    });
  }

  /** Describes one that was created or holds flows. @throws DomainError not_found, invalid_argument */
  async update(actor: Actor, namespace: Namespace): Promise<Namespace> {
    checkNamespace(namespace.id);
    return await this.#locks.run(actor.tenant, async () => {
      await this.#mustExist(actor, namespace.id);
      return await this.#put(actor, namespace);
    });
  }

  /** Deletes what was told of it. Flows must have gone before; what else it holds stays. @throws DomainError not_found, conflict */
  async delete(actor: Actor, id: string): Promise<void> {
    checkNamespace(id);
    await this.#locks.run(actor.tenant, async () => {
      await this.#mustExist(actor, id);
      if (this.#named(actor).has(id)) {
        throw new DomainError(
          "conflict",
          `Illegal state: Cannot delete namespace "${id}": it, or one below it, holds flows; delete them before`,
        );
      }
      await this.#deps.records.put(actor.tenant, { id, isDeleted: true });
    });
  }

  async #put({ tenant }: Actor, { id, description }: Namespace): Promise<Namespace> {
    if ((description?.length ?? 0) > MAX_NAMESPACE_DESCRIPTION_LENGTH) {
      throw new DomainError(
        "invalid_argument",
        `Illegal argument: a description has at most ${MAX_NAMESPACE_DESCRIPTION_LENGTH} characters`,
      );
    }
    await this.#deps.records.put(tenant, { id, description, isDeleted: false });
    return { id, description };
  }

  async #mustExist(actor: Actor, id: string): Promise<void> {
    const record = await this.#deps.records.get(actor.tenant, id);
    const isThere = record ? !record.isDeleted : false;
    if (!isThere && !this.#named(actor).has(id)) throw notFound(id);
  }

  /** Those that flows name, all above them, and that of the system. */
  #named(actor: Actor): Set<string> {
    const names = this.#deps.flows.namespaces(actor);
    return new Set([SYSTEM_NAMESPACE, ...names.flatMap((name) => [name, ...parentNamespaces(name)])]);
  }
}

function notFound(id: string): DomainError {
  return new DomainError("not_found", `Not Found: namespace "${id}" does not exist`);
}
