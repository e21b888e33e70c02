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
  /** Commits the move of a flow in one entry with its consequences; `batch` is for what is written before. */
  readonly commitMove: (
    from: FlowKey & Pick<Flow, "tenant">,
    flow: Flow,
    move: { readonly entry: Entry; readonly batch: ReturnType<RenameRecords["batch"]> },
  ) => Promise<void>;
}

/** A flow, and what it becomes. */
interface Move {
  readonly old: FlowHead;
  readonly moved: FlowHead;
  readonly latest: FlowRevisionRecord;
}

/** Flows, each with up to 512 KiB of source, whose moves share commits. */
const FLOWS_AT_ONCE = 16;

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
    for (let start = 0; start < heads.length; start += FLOWS_AT_ONCE) {
      await this.#moveFlows(heads.slice(start, start + FLOWS_AT_ONCE), to, renamed);
    }
  }

  /** First the revisions are written under the new name, where no head refers to them; then an entry each makes them flows. */
  async #moveFlows(
    heads: readonly FlowHead[],
    to: string,
    renamed: ReadonlyMap<string, string>,
  ): Promise<void> {
    const batch = this.#deps.renames.batch();
    const moves: Move[] = [];
    for (const old of heads) moves.push(await this.#copyRevisions(old, { to, renamed, batch }));
    await batch.flush();
    // Each has ended before an error is thrown: what is repeated then must not meet itself.
    const ended = await Promise.allSettled(moves.map((move) => this.#moveFlow(move)));
    for (const each of ended) if (each.status === "rejected") throw each.reason;
  }

  async #moveFlow({ old, moved, latest }: Move): Promise<void> {
    const { flows, heads, flowRecords, renames, commitMove } = this.#deps;
    const { tenant, namespace, id } = old;
    const flow = await flows.flowOf(moved, latest);
    const gone = { ...old, revision: old.revision + 1, deleted: true };
    const last = await this.#latestOf(old);
    const entry: Entry = {
      mutations: [
        flowRecords.saveHead(moved),
        ...flowRecords.save(gone, { ...last, revision: gone.revision, deleted: true }),
      ],
      committed: () => {
        heads.put(moved);
        heads.put(gone);
      },
      isRename: true,
    };
    await commitMove({ tenant, namespace, id }, flow, { entry, batch: renames.batch() });
  }

  /** Adds all revisions under the new name to the batch. */
  async #copyRevisions(
    old: FlowHead,
    { to, renamed, batch }: {
      readonly to: string;
      readonly renamed: ReadonlyMap<string, string>;
      readonly batch: ReturnType<RenameRecords["batch"]>;
    },
  ): Promise<Move> {
    const { flowRecords, heads } = this.#deps;
    // A flow of that name that was deleted: the revisions continue after its own, which its executions refer to.
    const previous = heads.get(old.tenant, { namespace: to, id: old.id });
    const offset = previous?.revision ?? 0;
    let latest: FlowRevisionRecord | undefined;
    for await (const record of flowRecords.revisions(old)) {
      const edited = renamedRevision(record, to, renamed);
      latest = { ...record, ...edited, revision: record.revision + offset };
      for (const part of flowRecords.saveRevision({ ...old, namespace: to }, latest)) await batch.add([part]);
    }
    if (!latest) throw new Error(`Cannot move flow "${old.namespace}.${old.id}": it has no revision`);
    const flowNo = previous?.flowNo ?? heads.nextNumber();
    return { old, moved: { ...old, namespace: to, flowNo, revision: latest.revision }, latest };
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
