/** Tenants: created, read, and removed with all their data. `main` always exists and has no record. */
import { KeyedLock } from "../../base/keyed_lock.ts";
import { DomainError, notFound } from "../../model/errors.ts";
import { MAIN_TENANT, type TenantId } from "../../model/flows/flow.ts";
import { checkTenant, type Tenant } from "../../model/access/tenant.ts";
import type { Committer } from "../../store/committer.ts";
import type { Key, Store } from "../../store/store.ts";
import { deleteTenant, readKeysOf, readTenants, setTenant } from "../../store/records/tenant_records.ts";

interface TenantsDeps {
  readonly store: Store;
  readonly committer: Committer;
}

/** Called when a tenant accepts no more requests, before its keys are deleted; drops what is cached of it. */
type TenantListener = (id: TenantId) => void | Promise<void>;

const MAIN: Tenant = { id: MAIN_TENANT, name: "Main" };

/** Deletes of one entry: so many of the longest keys (2 KiB) fit into one commit. */
const DELETES_PER_ENTRY = 30;
/** Keys that are read and deleted together. */
const DELETES_PER_ROUND = 16 * DELETES_PER_ENTRY;

/** All tenants in memory; changes are written through. */
export class Tenants {
  readonly #deps: TenantsDeps;
  readonly #lock = new KeyedLock();
  readonly #tenants = new Map<TenantId, Tenant>([[MAIN_TENANT, MAIN]]);
  readonly #removing = new Set<TenantId>();
  readonly #listeners: TenantListener[] = [];

  constructor(deps: TenantsDeps) {
    this.#deps = deps;
  }

  /** Reads all tenants and completes removals that a crash interrupted. Must run before anything else reads data of tenants. */
  async start(): Promise<void> {
    for (const { tenant, isRemoved } of await readTenants(this.#deps.store)) {
      if (isRemoved) await this.#purge(tenant.id);
      else this.#tenants.set(tenant.id, tenant);
    }
  }

  /** Adds a listener for removals. */
  onRemove(listener: TenantListener): void {
    this.#listeners.push(listener);
  }

  /** True if the tenant exists; called for each request. */
  has(id: TenantId): boolean {
    return this.#tenants.has(id);
  }

  /** Number of tenants, `main` included. */
  get count(): number {
    return this.#tenants.size;
  }

  /** All tenants, `main` first, then by id. */
  list(): Tenant[] {
    const others = [...this.#tenants.values()].filter((tenant) => tenant !== MAIN);
    return [MAIN, ...others.sort((a, b) => a.id < b.id ? -1 : 1)];
  }

  /** The tenant. @throws DomainError not_found */
  get(id: TenantId): Tenant {
    const tenant = this.#tenants.get(id);
    if (tenant) return tenant;
    throw notFound(`there is no tenant "${id}"`);
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
      await this.#deps.committer.commit({ mutations: [setTenant({ tenant, isRemoved: false })] });
      this.#tenants.set(tenant.id, tenant);
      return tenant;
    });
  }

  /**
   * Removes a tenant and all its data; resolves once nothing is left. It is not found from the start of the removal on,
   * also after a crash.
   * @throws DomainError not_found; conflict for `main`
   */
  remove(id: TenantId): Promise<void> {
    return this.#lock.run(id, async () => {
      const tenant = this.get(id);
      if (tenant === MAIN) {
        throw new DomainError(
          "conflict",
          `Cannot delete tenant "${id}": it is the default tenant, used by paths without a tenant`,
        );
      }
      await this.#deps.committer.commit({ mutations: [setTenant({ tenant, isRemoved: true })] });
      this.#tenants.delete(id);
      this.#removing.add(id);
      for (const listener of this.#listeners) await listener(id);
      await this.#purge(id);
      this.#removing.delete(id);
    });
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
