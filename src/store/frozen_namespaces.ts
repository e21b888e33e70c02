/** Namespaces that are being renamed: entries that would change their data are refused until that is done. */
import { DomainError } from "../model/errors.ts";
import type { TenantId } from "../model/flows/flow.ts";
import { isBlobKey, namespaceOfKey, tenantOfKey } from "./keys.ts";
import type { Mutation } from "./store.ts";

/** The frozen namespaces of all tenants. */
export class FrozenNamespaces {
  readonly #reasons = new Map<TenantId, ReadonlyMap<unknown, string>>();

  /** True if no namespace is frozen. */
  get isEmpty(): boolean {
    return this.#reasons.size === 0;
  }

  /** Freezes both namespaces of each move; a tenant has one rename at a time. */
  freeze(tenant: TenantId, moves: readonly (readonly [from: string, to: string])[]): void {
    const reasons = moves.flatMap(([from, to]) => {
      const text = `namespace "${from}" is being renamed to "${to}"; try again when that is done`;
      return [[from, text], [to, text]] as const;
    });
    this.#reasons.set(tenant, new Map(reasons));
  }

  /** Ends the freeze of a tenant. */
  thaw(tenant: TenantId): void {
    this.#reasons.delete(tenant);
  }

  /** Refuses to start something in a frozen namespace. @throws DomainError conflict */
  checkOpen(tenant: TenantId, namespace: string): void {
    const reason = this.#reasons.get(tenant)?.get(namespace);
    if (reason !== undefined) throw refusal(reason);
  }

  /** The refusal of an entry that changes data of a frozen namespace. Parts of values that nothing refers to may be removed. */
  refusalOfEntry(mutations: readonly Mutation[]): DomainError | undefined {
    for (const { type, key } of mutations) {
      if (type === "delete" && isBlobKey(key)) continue;
      const reason = this.#reasons.get(String(tenantOfKey(key)))?.get(namespaceOfKey(key));
      if (reason !== undefined) return refusal(reason);
    }
    return undefined;
  }
}

function refusal(reason: string): DomainError {
  return new DomainError("conflict", `Illegal state: ${reason}`, { retryAfter: 1 });
}
