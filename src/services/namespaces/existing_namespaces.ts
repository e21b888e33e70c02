/** Which namespaces exist: created ones, those of flows, their parents, and that of the system. */
import { SYSTEM_NAMESPACE } from "../../model/executions/execution_query.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { isWithinNamespace } from "../../model/namespaces/namespace_name.ts";
import type { NamespaceRecords } from "../../store/records/namespace_records.ts";
import type { FlowHeads } from "../flows/flow_heads.ts";

interface ExistingNamespacesDeps {
  readonly flowHeads: Pick<FlowHeads, "of">;
  readonly namespaceRecords: Pick<NamespaceRecords, "get">;
}

/** Tells whether a namespace exists. */
export class ExistingNamespaces {
  readonly #deps: ExistingNamespacesDeps;

  constructor(deps: ExistingNamespacesDeps) {
    this.#deps = deps;
  }

  /** True for a namespace that was created, or that {@link isNamed}. */
  async has(tenant: TenantId, id: string): Promise<boolean> {
    const record = await this.#deps.namespaceRecords.get(tenant, id);
    return (record !== undefined && !record.isDeleted) || this.isNamed(tenant, id);
  }

  /** True for a namespace that has flows, in itself or below, and for that of the system. */
  isNamed(tenant: TenantId, id: string): boolean {
    if (id === SYSTEM_NAMESPACE) return true;
    for (const { deleted, namespace } of this.#deps.flowHeads.of(tenant)) {
      if (!deleted && isWithinNamespace(namespace, id)) return true;
    }
    return false;
  }
}
