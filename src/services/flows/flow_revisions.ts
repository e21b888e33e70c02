/** Removes old revisions of a flow, except the latest one and those of executions that have not ended. */
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Actor } from "../../model/access/actor.ts";
import { illegalArgument, illegalState, notFound, undefinedIfMissing } from "../../model/errors.ts";
import type { ExecutionConditions } from "../../model/executions/execution_query.ts";
import { executionSelectionQuery } from "../../model/executions/execution_selection.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { PurgeCaller } from "../../model/ports/executions.ts";
import type { RevisionPurge } from "../../model/ports/flows.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import { TERMINAL_STATES } from "../../model/executions/state.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { Committer } from "../../store/committer.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import type { FlowHead, FlowRecords } from "../../store/records/flow_records.ts";
import type { Flows } from "./flows.ts";

interface FlowRevisionsDeps {
  readonly flows: Flows;
  readonly records: FlowRecords;
  readonly executions: ExecutionRecords;
  readonly catalog: Catalog;
  readonly committer: Committer;
}

/** Revisions that one request may remove. */
const MAX_REVISIONS_REMOVED = 100;
const IDS_PER_PIECE = 2_000;

/** The use case of removing revisions. */
export class FlowRevisions {
  readonly #deps: FlowRevisionsDeps;
  readonly #locks = new KeyedLock();

  constructor(deps: FlowRevisionsDeps) {
    this.#deps = deps;
  }

  /**
   * Removes revisions; none if one of them must stay. Ended executions stay, but operations that need their revision, such as a replay, are refused.
   * @throws DomainError not_found: the flow or a revision; invalid_argument: the latest one, or too many; conflict: one
   * is in use
   */
  async remove(actor: Actor, key: FlowKey, revisions: readonly number[]): Promise<void> {
    const wanted = [...new Set(revisions)];
    if (wanted.length > MAX_REVISIONS_REMOVED) {
      throw illegalArgument(
        `${wanted.length} revisions were named; at most ${MAX_REVISIONS_REMOVED} can be removed at once`,
      );
    }
    await this.#locks.run(actor.tenant, async () => {
      const head = this.#deps.flows.head(actor, key);
      await this.#check(head, wanted);
      for (const revision of wanted) await this.#removeOne(head, revision);
    });
  }

  /**
   * Removes all revisions of matching flows but the newest ones; one that an execution needs which has not ended stays.
   * Returns the number of removed ones. Stops between two flows when the caller aborts. @throws DomainError when the database refuses
   */
  async purge(caller: PurgeCaller, { namespaces, flowIds, keep }: RevisionPurge): Promise<number> {
    const actor = { tenant: caller.tenant, user: "purge" };
    const { flows } = this.#deps;
    const heads = flows.namespaces(actor).filter(namespaces).flatMap((namespace) =>
      flows.inNamespace(actor, namespace).filter(({ id }) => flowIds(id))
    );
    let count = 0;
    for (const head of heads) {
      if (caller.signal.aborted) break;
      if (head.revision <= keep) continue;
      count += await this.#locks.run(caller.tenant, () => this.#purgeOne(actor, head, keep));
    }
    return count;
  }

  async #purgeOne(actor: Actor, key: FlowKey, keep: number): Promise<number> {
    // It may have been deleted or saved again since it was listed.
    const head = await undefinedIfMissing(async () => await this.#deps.flows.head(actor, key));
    if (!head) return 0;
    const numbers: number[] = [];
    for await (const { revision } of this.#deps.records.revisions(head)) numbers.push(revision);
    const old = numbers.slice(0, -keep).filter((revision) => revision !== head.revision);
    if (old.length === 0) return 0;
    const needed = new Set<number>();
    for await (const { flowRevision } of this.#open(head)) needed.add(flowRevision);
    const removed = old.filter((revision) => !needed.has(revision));
    for (const revision of removed) await this.#removeOne(head, revision);
    return removed.length;
  }

  async #check(head: FlowHead, revisions: readonly number[]): Promise<void> {
    const name = `flow "${head.namespace}.${head.id}"`;
    if (revisions.includes(head.revision)) {
      throw illegalArgument(`revision ${head.revision} is the latest of ${name}; delete the flow instead`);
    }
    for (const revision of revisions) {
      if (await this.#deps.records.revision(head, revision)) continue;
      throw notFound(`${name} has no revision ${revision}`);
    }
    const used = await this.#usedBy(head, new Set(revisions));
    if (used === undefined) return;
    throw illegalState(`Cannot remove a revision of ${name}: execution "${used}" has not ended and needs it`);
  }

  /** An execution of one of the revisions that has not ended. */
  async #usedBy(head: FlowHead, revisions: ReadonlySet<number>): Promise<string | undefined> {
    for await (const { id, flowRevision } of this.#open(head)) if (revisions.has(flowRevision)) return id;
    return undefined;
  }

  /** The executions of a flow that have not ended. */
  async *#open(head: FlowHead): AsyncGenerator<Execution> {
    const { catalog, executions } = this.#deps;
    for await (const ids of catalog.ids(head.tenant, openExecutions(head), IDS_PER_PIECE)) {
      for (const id of ids) {
        const execution = await executions.header(head.tenant, id);
        if (execution) yield execution;
      }
    }
  }

  async #removeOne(head: FlowHead, revision: number): Promise<void> {
    const mutations = await this.#deps.records.removal(head, revision);
    const committed = () => this.#deps.flows.forgetRevision(head, revision);
    await this.#deps.committer.commit({ mutations, bulk: true, committed });
  }
}

function openExecutions({ namespace, id }: FlowHead): ExecutionConditions {
  const query = executionSelectionQuery({ namespace, flowId: id, ofAllKinds: true });
  const open = { field: "state", states: [...TERMINAL_STATES], negated: true } as const;
  return { ...query, conditions: [...query.conditions, open] };
}
