/** Moves the flows of a namespace that is renamed, with all their revisions; the old ones stay as deleted flows, for their executions. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { parseFlowSource, renameNamespaces } from "../../flow/mod.ts";
import type { Flow, FlowKey, TenantId } from "../../model/flows/flow.ts";
import type { Entry } from "../../store/committer.ts";
import type { FlowHead, FlowRecords, FlowRevisionRecord } from "../../store/records/flow_records.ts";
import type { NamespaceMove, RenameRecords } from "../../store/records/rename_records.ts";
import type { FlowHeads } from "./flow_heads.ts";
import type { Flows } from "./flows.ts";

interface FlowMovesDeps {
  readonly flows: Flows;
  readonly heads: FlowHeads;
  readonly flowRecords: FlowRecords;
  readonly renames: Pick<RenameRecords, "batch">;
  /** Commits the move of a flow in one entry with its consequences. */
  readonly commitMove: (from: FlowKey & Pick<Flow, "tenant">, flow: Flow, entry: Entry) => Promise<void>;
}

/** Moves flows. */
export class FlowMoves {
  readonly #deps: FlowMovesDeps;

  constructor(deps: FlowMovesDeps) {
    this.#deps = deps;
  }

  /** Moves the flows that are still under the old name. `renamed` are all namespaces of the rename. */
  async move(
    tenant: TenantId,
    [from, to]: NamespaceMove,
    renamed: ReadonlyMap<string, string>,
  ): Promise<void> {
    const heads = [...this.#deps.heads.of(tenant)].filter((head) => head.namespace === from && !head.deleted);
    for (const head of heads) await this.#moveFlow(head, to, renamed);
  }

  /** First its revisions are written under the new name, where no head refers to them; then one entry makes them a flow. */
  async #moveFlow(old: FlowHead, to: string, renamed: ReadonlyMap<string, string>): Promise<void> {
    const { flows, heads, flowRecords, commitMove } = this.#deps;
    const { tenant, id } = old;
    // A flow of that name that was deleted: the revisions continue after its own, which its executions refer to.
    const previous = heads.get(tenant, { namespace: to, id });
    const offset = previous?.revision ?? 0;
    const latest = await this.#copyRevisions(old, { namespace: to, renamed, offset });
    const head = { ...old, namespace: to, revision: latest.revision };
    const moved = { ...head, flowNo: previous?.flowNo ?? heads.nextNumber() };
    const flow = await flows.flowOf(moved, latest);
    const gone = { ...old, revision: old.revision + 1, deleted: true };
    const last = await this.#latestOf(old);
    await commitMove({ tenant, namespace: old.namespace, id }, flow, {
      mutations: [
        flowRecords.saveHead(moved),
        ...flowRecords.save(gone, { ...last, revision: gone.revision, deleted: true }),
      ],
      committed: () => {
        heads.put(moved);
        heads.put(gone);
      },
      isRename: true,
    });
  }

  /** Writes all revisions under the new name; returns the latest. */
  async #copyRevisions(
    old: FlowHead,
    { namespace, renamed, offset }: {
      readonly namespace: string;
      readonly renamed: ReadonlyMap<string, string>;
      readonly offset: number;
    },
  ): Promise<FlowRevisionRecord> {
    const { flowRecords, renames } = this.#deps;
    const batch = renames.batch();
    let latest: FlowRevisionRecord | undefined;
    for await (const record of flowRecords.revisions(old)) {
      const edited = renamedRevision(record, namespace, renamed);
      latest = { ...record, ...edited, revision: record.revision + offset };
      for (const part of flowRecords.saveRevision({ ...old, namespace }, latest)) await batch.add([part]);
    }
    await batch.flush();
    if (latest) return latest;
    throw new Error(`Cannot move flow "${old.namespace}.${old.id}": it has no revision`);
  }

  async #latestOf(head: FlowHead): Promise<FlowRevisionRecord> {
    const record = await this.#deps.flowRecords.revision(head, head.revision);
    if (record) return record;
    throw new Error(`Cannot move flow "${head.namespace}.${head.id}": its latest revision is missing`);
  }
}

/** A revision in the new namespace. The source of one that cannot be edited stays as it is. */
export function renamedRevision(
  { source, definition }: Pick<FlowRevisionRecord, "source" | "definition">,
  namespace: string,
  renamed: ReadonlyMap<string, string>,
): { readonly source: string; readonly definition: JsonObject } {
  const edited = renameNamespaces(source, renamed, namespace);
  const { document } = parseFlowSource(edited);
  return isJsonObject(document) && document.namespace === namespace && document.id === definition.id
    ? { source: edited, definition: document }
    : { source, definition: { ...definition, namespace } };
}
