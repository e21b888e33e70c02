/** Tenants: created, read, and removed with all their data. `main` always exists and has no record. */
import { KeyedLock } from "../../base/keyed_lock.ts";
import { DomainError, notFound } from "../../model/errors.ts";
import { MAIN_TENANT, type TenantId } from "../../model/flows/flow.ts";
import {
  checkTenant,
  generationOf,
  internalTenantId,
  publicTenantId,
  type Tenant,
} from "../../model/access/tenant.ts";
import type { Committer } from "../../store/committer.ts";
import type { Key, Store } from "../../store/store.ts";
import {
  deleteTenant,
  readKeysOf,
  readTenants,
  setTenant,
} from "../../store/records/access/tenant_records.ts";

interface TenantsDeps {
  readonly store: Store;
  readonly committer: Committer;
}

/** Drops what runs and what is cached of a tenant that is being removed; receives its internal id. */
interface TenantListener {
  /** The tenant accepts neither requests nor writes; its keys are not deleted yet. */
  readonly closed?: (id: TenantId) => void | Promise<void>;
  /** No key is left. */
  readonly removed?: (id: TenantId) => void;
}

/** A tenant and its internal id. */
interface KnownTenant {
  readonly tenant: Tenant;
  readonly internalId: TenantId;
}

const MAIN: KnownTenant = { tenant: { id: MAIN_TENANT, name: "Main" }, internalId: MAIN_TENANT };

/** Deletes of one entry: so many of the longest keys (2 KiB) fit into one commit. */
const DELETES_PER_ENTRY = 30;
/** Keys that are read and deleted together. */
const DELETES_PER_ROUND = 16 * DELETES_PER_ENTRY;

/** All tenants in memory; changes are written through. Callers use ids; all data has the internal ids of its tenants. */
export class Tenants {
  readonly #deps: TenantsDeps;
  readonly #lock = new KeyedLock();
  /** By the ids that callers use. */
  readonly #tenants = new Map<string, KnownTenant>([[MAIN_TENANT, MAIN]]);
  /** Tenants whose removal is not complete. */
  readonly #removing = new Map<string, KnownTenant>();
  readonly #listeners: TenantListener[] = [];
  /** Of the next tenant; grows with each removal, so that no internal id is used twice while a writer may remember it. */
  #generation = 0;

  constructor(deps: TenantsDeps) {
    this.#deps = deps;
  }

  /** Reads all tenants and completes removals that a crash interrupted. Must run before anything else reads data of tenants. */
  async start(): Promise<void> {
    for (const { tenant: { id: internalId, name }, isRemoved } of await readTenants(this.#deps.store)) {
      const id = publicTenantId(internalId);
      this.#generation = Math.max(this.#generation, generationOf(internalId));
      if (isRemoved) await this.#purge(internalId);
      else this.#tenants.set(id, { tenant: { id, name }, internalId });
    }
  }

  /** Adds a listener for removals. */
  onRemove(listener: TenantListener): void {
    this.#listeners.push(listener);
  }

  /** True if the tenant exists. */
  has(id: string): boolean {
    return this.#tenants.has(id);
  }

  /** Number of tenants, `main` included. */
  get count(): number {
    return this.#tenants.size;
  }

  /** The internal id of the tenant, with which its keys begin; called for each request. */
  internalId(id: string): TenantId | undefined {
    return this.#tenants.get(id)?.internalId;
  }

  /** The internal ids of all tenants, in the order of {@link list}. */
  internalIds(): TenantId[] {
    return this.#sorted().map(({ internalId }) => internalId);
  }

  /** All tenants, `main` first, then by id. */
  list(): Tenant[] {
    return this.#sorted().map(({ tenant }) => tenant);
  }

  /** The tenant. @throws DomainError not_found */
  get(id: string): Tenant {
    return this.#known(id).tenant;
  }

  #known(id: string): KnownTenant {
    const known = this.#tenants.get(id);
    if (known) return known;
    throw notFound(`there is no tenant "${id}"`);
  }

  #sorted(): KnownTenant[] {
    const others = [...this.#tenants.values()].filter((known) => known !== MAIN);
    return [MAIN, ...others.sort((a, b) => a.tenant.id < b.tenant.id ? -1 : 1)];
  }

  /** Creates a tenant. @throws DomainError invalid_entity, already_exists, conflict while one of that id is being removed */
  create(tenant: Tenant): Promise<Tenant> {
    return this.#lock.run(tenant.id, async () => {
      if (this.has(tenant.id)) {
        throw new DomainError("already_exists", `Cannot create tenant "${tenant.id}": it exists already`);
      }
      checkTenant(tenant);
      if (this.#removing.has(tenant.id)) {
        throw new DomainError(
          "conflict",
          `Cannot create tenant "${tenant.id}": its former data is being removed`,
        );
      }
      const internalId = internalTenantId(tenant.id, this.#generation);
      const stored = { tenant: { id: internalId, name: tenant.name }, isRemoved: false };
      await this.#deps.committer.commit({ mutations: [setTenant(stored)] });
      this.#tenants.set(tenant.id, { tenant, internalId });
      return tenant;
    });
  }

  /** Renames a tenant. @throws DomainError not_found, invalid_entity; conflict for `main`, which has no record */
  rename({ id, name }: Tenant): Promise<Tenant> {
    return this.#lock.run(id, async () => {
      const known = this.#known(id);
      if (known.tenant.name === name) return known.tenant;
      if (known === MAIN) {
        throw new DomainError("conflict", `Cannot rename tenant "${id}": the default tenant keeps its name`);
      }
      checkTenant({ id, name });
      const tenant = { id, name };
      const stored = { tenant: { id: known.internalId, name }, isRemoved: false };
      await this.#deps.committer.commit({ mutations: [setTenant(stored)] });
      this.#tenants.set(id, { tenant, internalId: known.internalId });
      return tenant;
    });
  }

  /**
   * Removes a tenant and all its data; resolves once nothing is left. It is not found from the start of the removal on,
   * also after a crash; what still runs for it is ended or refused. Continues a removal that failed.
   * @throws DomainError not_found; conflict for `main`
   */
  remove(id: string): Promise<void> {
    return this.#lock.run(id, async () => {
      const known = this.#removing.get(id) ?? this.#known(id);
      if (known === MAIN) {
        throw new DomainError(
          "conflict",
          `Cannot delete tenant "${id}": it is the default tenant, used by paths without a tenant`,
        );
      }
      await this.#close(id, known);
      await this.#purge(known.internalId);
      this.#removing.delete(id);
      for (const listener of this.#listeners) listener.removed?.(known.internalId);
    });
  }

  /** Ends what runs for the tenant; afterwards nothing writes to it. */
  async #close(id: string, known: KnownTenant): Promise<void> {
    const { committer } = this.#deps;
    const { internalId, tenant: { name } } = known;
    const mark = setTenant({ tenant: { id: internalId, name }, isRemoved: true });
    await committer.commit({ mutations: [mark] });
    if (this.#tenants.delete(id)) this.#generation++;
    this.#removing.set(id, known);
    committer.refuseTenant(internalId);
    for (const listener of this.#listeners) await listener.closed?.(internalId);
    // Both lanes of the committer are queues: these entries come after all that was accepted for the tenant.
    await Promise.all(
      [{ mutations: [mark] }, { mutations: [mark], bulk: true }].map((entry) => committer.commit(entry)),
    );
  }

  async #purge(id: TenantId): Promise<void> {
    const { store, committer } = this.#deps;
    for (;;) {
      const keys = await readKeysOf(store, id, DELETES_PER_ROUND);
      if (keys.length === 0) break;
      await Promise.all(
        pages(keys).map((page) =>
          committer.commit({
            mutations: page.map((key) => ({ type: "delete", key })),
            bulk: true,
          })
        ),
      );
    }
    await committer.commit({ mutations: [deleteTenant(id)] });
  }
}

function pages(keys: readonly Key[]): Key[][] {
  const pages: Key[][] = [];
  for (let i = 0; i < keys.length; i += DELETES_PER_ENTRY) pages.push(keys.slice(i, i + DELETES_PER_ENTRY));
  return pages;
}
