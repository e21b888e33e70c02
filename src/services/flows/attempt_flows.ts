/** Flows as attempts read and change them. */
import type { Actor } from "../../model/access/actor.ts";
import { undefinedIfMissing } from "../../model/errors.ts";
import { setNamespace } from "../../flow/mod.ts";
import type { FlowKey, TenantId } from "../../model/flows/flow.ts";
import { isWithinNamespace } from "../../model/namespaces/namespace_name.ts";
import type { PurgeCaller } from "../../model/ports/executions.ts";
import type { FlowChange, FlowPort, FlowSource, FlowWrite, RevisionPurge } from "../../model/ports/flows.ts";
import type { FlowRevisions } from "./flow_revisions.ts";
import type { Flows } from "./flows.ts";

interface AttemptFlowsDeps {
  readonly flows: Flows;
  readonly revisions: FlowRevisions;
  /** The user in whose name tasks act. */
  readonly user: string;
}

/** The flow port of tasks. */
export class AttemptFlows implements FlowPort {
  readonly #deps: AttemptFlowsDeps;

  constructor(deps: AttemptFlowsDeps) {
    this.#deps = deps;
  }

  /** @inheritdoc */
  async sources(
    tenant: TenantId,
    namespace: string,
    { withChildren }: { readonly withChildren: boolean },
  ): Promise<FlowSource[]> {
    const { flows } = this.#deps;
    const actor = this.#actor(tenant);
    const heads = flows.select(
      actor,
      (head) => withChildren ? isWithinNamespace(head.namespace, namespace) : head.namespace === namespace,
    );
    const sources: FlowSource[] = [];
    for await (const piece of flows.pieces(actor, heads)) {
      for (const { namespace, id, revision, source } of piece) {
        sources.push({ namespace, id, revision, source });
      }
    }
    return sources;
  }

  /** @inheritdoc */
  async put(tenant: TenantId, { source, namespace, dryRun }: FlowWrite): Promise<FlowChange> {
    const { flows } = this.#deps;
    const actor = this.#actor(tenant);
    const given = setNamespace(source, namespace);
    const draft = await flows.draft(actor, given);
    const before = await undefinedIfMissing(() => flows.get(actor, draft));
    const isSame = before?.source === given;
    const after = isSame || dryRun ? draft : await flows.put(actor, given);
    const isUnchanged = isSame || after.revision === before?.revision;
    return {
      namespace: after.namespace,
      id: after.id,
      revision: isUnchanged ? before?.revision ?? after.revision : after.revision,
      change: !before ? "ADDED" : isUnchanged ? "UNCHANGED" : "UPDATED",
    };
  }

  /** @inheritdoc */
  async delete(tenant: TenantId, key: FlowKey): Promise<void> {
    await this.#deps.flows.delete(this.#actor(tenant), key);
  }

  /** @inheritdoc */
  async purgeRevisions(caller: PurgeCaller, purge: RevisionPurge): Promise<number> {
    return await this.#deps.revisions.purge(caller, purge);
  }

  #actor(tenant: TenantId): Actor {
    return { tenant, user: this.#deps.user };
  }
}
