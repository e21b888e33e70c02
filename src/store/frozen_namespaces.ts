/** Namespaces that are being renamed: entries that would change their data are refused until that is done. */
import { DomainError } from "../model/errors.ts";
import type { TenantId } from "../model/flows/flow.ts";
import { tenantOfKey } from "./keys.ts";
import type { Key, KeyPart, Mutation } from "./store.ts";

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

/** Kinds of keys of a tenant whose third part is a namespace, or the owner of large values. */
const NAMESPACE_KINDS = new Set("b f fc fr kv nf ns s tc ti tr tw".split(" "));

/** The namespace whose data the key is; for large values their owner. `undefined` for data of no namespace. */
function namespaceOfKey(key: Key): KeyPart | undefined {
  if (key[0] === "td") return key[3];
  if (key[0] === "bi") return key[2];
  if (key[1] === "kx" || key[1] === "te") return key[3];
  return NAMESPACE_KINDS.has(String(key[1])) ? key[2] : undefined;
}

/** True for a part of a large value, or its intent. */
function isBlobKey(key: Key): boolean {
  return key[0] === "bi" || key[1] === "b";
}
