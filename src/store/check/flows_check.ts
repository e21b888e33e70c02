/** Checks flows: heads, revisions, numbers; and says which revisions are stored. */
import { joinBytes } from "../../base/bytes.ts";
import type { FlowKey, TenantId } from "../../model/flows/flow.ts";
import { decodeJson } from "../codec.ts";
import { flowKey, flowRevisionKey, flowsOf, keysOfKind } from "../keys.ts";
import { decodeHead, type FlowHead } from "../records/flow_records.ts";
import type { StoredEntry } from "../store.ts";
import type { CheckContext } from "./context.ts";

/** The flows of all tenants. */
export class CheckedFlows {
  readonly #byNumber = new Map<number, FlowHead>();
  readonly #byName = new Map<string, FlowHead>();
  /** Stored revisions by flow. */
  readonly #revisions = new Map<string, Set<number>>();

  /** The flow with a number. */
  ofNumber(flowNo: number): FlowHead | undefined {
    return this.#byNumber.get(flowNo);
  }

  /** The flow of a name, also a deleted one. */
  ofName(tenant: TenantId, flow: FlowKey): FlowHead | undefined {
    return this.#byName.get(nameOf(tenant, flow));
  }

  /** True when a revision is stored. */
  hasRevision(tenant: TenantId, flow: FlowKey, revision: number): boolean {
    return this.#revisions.get(nameOf(tenant, flow))?.has(revision) ?? false;
  }

  /** Reads and checks the flows of a tenant. */
  async read(tenant: TenantId, context: CheckContext): Promise<void> {
    for await (const entry of context.read(flowsOf(tenant), "flows")) {
      const head = context.decode(entry, (stored) => decodeHead(tenant, stored));
      if (!head) continue;
      const other = this.#byNumber.get(head.flowNo);
      if (other) {
        context.found("flow_number_taken", entry.key, `number ${head.flowNo} is that of "${other.id}"`);
      }
      this.#byNumber.set(head.flowNo, head);
      this.#byName.set(nameOf(tenant, head), head);
    }
    await this.#readRevisions(tenant, context);
    for (const head of this.#byName.values()) {
      if (head.tenant !== tenant || this.hasRevision(tenant, head, head.revision)) continue;
      context.found("revision_missing", flowKey(tenant, head), `revision ${head.revision}`);
    }
  }

  async #readRevisions(tenant: TenantId, context: CheckContext): Promise<void> {
    let parts: StoredEntry[] = [];
    for await (const entry of context.read(keysOfKind(tenant, "fr"), "parts of flow revisions")) {
      const [first] = parts;
      if (first && !isSameRevision(first, entry)) {
        this.#addRevision(tenant, parts, context);
        parts = [];
      }
      parts.push(entry);
    }
    this.#addRevision(tenant, parts, context);
  }

  #addRevision(tenant: TenantId, parts: readonly StoredEntry[], context: CheckContext): void {
    const [first] = parts;
    if (!first) return;
    const flow = { namespace: String(first.key[2]), id: String(first.key[3]) };
    const revision = Number(first.key[4]);
    const isWhole = parts.every(({ key }, part) => Number(key[5]) === part);
    const whole = { ...first, value: joinBytes(parts.map(({ value }) => value)) };
    const isRead = context.decode(whole, ({ value }) => {
      if (!isWhole) throw new Error("a part of the revision is missing");
      return decodeJson(value) !== null;
    });
    if (!this.ofName(tenant, flow)) {
      context.found("record_stray", flowRevisionKey(tenant, flow, revision, 0), "there is no such flow");
    }
    if (!isRead) return;
    const name = nameOf(tenant, flow);
    this.#revisions.set(name, (this.#revisions.get(name) ?? new Set()).add(revision));
  }
}

function isSameRevision({ key: a }: StoredEntry, { key: b }: StoredEntry): boolean {
  return a[2] === b[2] && a[3] === b[3] && a[4] === b[4];
}

function nameOf(tenant: TenantId, { namespace, id }: FlowKey): string {
  return `${tenant}/${namespace}/${id}`;
}
