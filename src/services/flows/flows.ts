/** Flows: saves, reads, deletes, lists. All heads are in memory; revisions are read on demand and cached. */
import type { Clock } from "../../base/time/clock.ts";
import { stringifyJson } from "../../base/json.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import { RecentCache } from "../../base/lru.ts";
import { type FlowPlan, planFlow } from "../../engine/plan.ts";
import {
  buildFlow,
  type Catalogs,
  isSameSource,
  jsonAsYaml,
  type ParsedSource,
  parseFlowSource,
  setDisabled,
  setNamespace,
  withoutSource,
  withoutWebhookKeys,
} from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { Quotas } from "../access/quotas.ts";
import type { NamespaceDefaults } from "./namespace_defaults.ts";
import {
  DomainError,
  type ErrorItem,
  invalidEntity,
  notFound,
  undefinedIfMissing,
} from "../../model/errors.ts";
import type { Flow, FlowKey, TenantId, Trigger } from "../../model/flows/flow.ts";
import type { InheritedDefaults } from "../../model/flows/inherited_defaults.ts";
import type { Problem } from "../../model/flows/problem.ts";
import { filterInTurns } from "../../model/list_filter.ts";
import { isWithinNamespace } from "../../model/namespaces/namespace_name.ts";
import type { Entry } from "../../store/committer.ts";
import type { FlowHead, FlowRecords, FlowRevisionRecord } from "../../store/records/flow_records.ts";
import { FlowChecks, type ValidSource } from "./flow_checks.ts";
import { type FlowHeads, type FlowSortKey, sortHeads } from "./flow_heads.ts";

interface FlowsDeps {
  readonly records: FlowRecords;
  readonly heads: FlowHeads;
  readonly catalogs: Catalogs;
  readonly clock: Clock;
  /** Names of host functions. */
  readonly functions: ReadonlySet<string>;
  /** Commits the save or deletion of a flow in one entry with its consequences. */
  readonly commit: (flow: Flow, entry: Entry) => Promise<void>;
  readonly quotas?: Quotas;
  /** What the flows of a namespace inherit. */
  readonly defaults: Pick<NamespaceDefaults, "of" | "renamedTo">;
}

/** Selects a revision of a flow; default: the latest one. */
export interface GetFlowOptions {
  readonly revision?: number;
  readonly allowDeleted?: boolean;
}

/** How a given source is saved. */
export interface SaveOptions {
  /** The source was sent as JSON: what is JSON is saved as YAML. Places of problems are those of the JSON. */
  readonly isJson?: boolean;
}

interface UpdateOptions extends SaveOptions {
  /** The expected revision. */
  readonly ifMatch?: number;
}

interface FlowSearch {
  readonly page: number;
  readonly size: number;
  readonly sort: readonly FlowSortKey[];
  readonly matches: (head: FlowHead) => boolean;
}

/** A saved flow. */
export interface SavedFlow {
  readonly flow: Flow;
  /** Of its source. */
  readonly warnings: readonly Problem[];
}

/** A source that may be saved: the flow that it declares, and its text as it is stored. */
export interface CheckedSource extends FlowKey, ValidSource {
  readonly source: string;
}

/** Weight of all cached plans of revisions. A usual plan has some 10 KB; a large one several times its source. */
const MAX_PLAN_BYTES = 32 * 1024 * 1024;
const MIN_BYTES_OF_PLAN = 16 * 1024;
const PLAN_BYTES_PER_CHAR = 8;
/** Flows that a list reads together, each with up to 512 KiB of source. */
const FLOWS_PER_PIECE = 16;
const BY_NAME = [{ field: "namespace", descending: false }, { field: "id", descending: false }];

/** The use cases of flows. */
export class Flows {
  /** Checks of sources. */
  readonly checks: FlowChecks;
  readonly #deps: FlowsDeps;
  readonly #heads: FlowHeads;
  readonly #plans = new RecentCache<string, FlowPlan>(MAX_PLAN_BYTES, bytesOfPlan);
  readonly #locks = new KeyedLock();

  constructor(deps: FlowsDeps) {
    this.#deps = deps;
    this.#heads = deps.heads;
    this.checks = new FlowChecks(deps);
  }

  /** Reads the heads of these tenants. */
  async load(tenants: Iterable<TenantId>): Promise<void> {
    for (const tenant of tenants) {
      for await (const head of this.#deps.records.heads(tenant)) this.#heads.put(head);
    }
  }

  /** The head with that flow number, deleted or not. */
  byNumber(flowNo: number): FlowHead | undefined {
    return this.#heads.byNumber(flowNo);
  }

  /** Upper bound, exclusive, of all flow numbers. */
  get numberLimit(): number {
    return this.#heads.numberLimit;
  }

  /** All heads of a tenant, deleted ones included. */
  heads(tenant: TenantId): Iterable<FlowHead> {
    return this.#heads.of(tenant);
  }

  /** Drops what is cached of a deleted tenant. */
  forget(tenant: TenantId): void {
    this.#heads.forget(tenant);
    this.#plans.clear();
  }

  /** Drops the cached plan of a removed revision. */
  forgetRevision(head: FlowHead, revision: number): void {
    this.#plans.delete(this.#planKey(head, revision));
  }

  /** Saves a new flow. @throws DomainError invalid_entity, also if the id exists */
  async create(actor: Actor, given: string, options?: SaveOptions): Promise<SavedFlow> {
    const { parsed, warnings, source } = await this.check(actor, given, options);
    const key = keyOf(parsed);
    return await this.#locks.run(lockKey(actor, key), async () => {
      const head = this.#heads.get(actor.tenant, key);
      if (head && !head.deleted) {
        throw invalidFlow([{ path: "flow.id", message: "Flow id already exists" }]);
      }
      return { flow: await this.#save(actor.tenant, key, parsed, source), warnings };
    });
  }

  /** Saves a new revision; an identical source keeps the number. @throws DomainError not_found, precondition_failed, invalid_entity */
  async update(actor: Actor, key: FlowKey, given: string, options: UpdateOptions = {}): Promise<SavedFlow> {
    this.#head(actor.tenant, key); // A missing flow is the first thing to say.
    const { parsed, warnings, source } = await this.check(actor, given, options);
    return await this.#locks.run(lockKey(actor, key), async () => {
      return {
        flow: await this.#saveNext(await this.#latest(actor, key, options.ifMatch), parsed, source),
        warnings,
      };
    });
  }

  /** Saves what `change` makes of the latest source; no other save comes between. @throws as {@link update}, and `change` */
  async edit(
    actor: Actor,
    key: FlowKey,
    change: (flow: Flow) => string,
    ifMatch?: number,
  ): Promise<Flow> {
    return await this.#locks.run(lockKey(actor, key), async () => {
      const current = await this.#latest(actor, key, ifMatch);
      const source = change(current);
      return await this.#saveNext(current, (await this.checks.valid(actor.tenant, source)).parsed, source);
    });
  }

  /**
   * Disables or enables a flow by a new revision. A flow that is no longer valid can be disabled: what it inherits may
   * have changed.
   * @throws DomainError not_found, conflict; invalid_entity for a flow that is enabled
   */
  async setDisabled(actor: Actor, key: FlowKey, disabled: boolean): Promise<Flow> {
    return await this.#locks.run(lockKey(actor, key), async () => {
      const current = await this.#latest(actor, key, undefined);
      const source = setDisabled(current.source, disabled);
      const { parsed } = disabled
        ? { parsed: parseFlowSource(source) }
        : await this.checks.valid(actor.tenant, source);
      return await this.#saveNext(current, parsed, source);
    });
  }

  /** The latest revision, if it is the expected one. */
  async #latest(actor: Actor, key: FlowKey, expected: number | undefined): Promise<Flow> {
    // Not as the actor may see it: it is written back.
    const { flow: current } = await this.plan(actor.tenant, key);
    if (expected === undefined || expected === current.revision) return current;
    const message =
      `Cannot update flow "${key.id}": revision ${expected} was expected, but the latest is ${current.revision}`;
    throw new DomainError("precondition_failed", message);
  }

  /** Saves a source after the current one; an identical source keeps the revision. */
  async #saveNext(current: Flow, parsed: ParsedSource, source: string): Promise<Flow> {
    const { tenant, namespace, id } = current;
    checkSameKey(keyOf(parsed), current);
    const isSame = isSameSource({ document: current.definition, source: current.source }, {
      document: parsed.document ?? {},
      source,
    });
    return isSame ? current : await this.#save(tenant, { namespace, id }, parsed, source);
  }

  /** Checks a source that {@link putChecked} may save. @throws DomainError invalid_entity */
  async check(
    { tenant }: Actor,
    given: string,
    { isJson }: SaveOptions = {},
  ): Promise<CheckedSource> {
    await this.#deps.catalogs.scriptPlaces?.containers.refresh();
    const { parsed, warnings } = await this.checks.valid(tenant, isJson ? withoutSource(given) : given);
    return { ...keyOf(parsed), parsed, warnings, source: isJson ? jsonAsYaml(parsed) : given };
  }

  /** Creates or updates a flow. @throws DomainError invalid_entity */
  async put(actor: Actor, given: string, options?: SaveOptions): Promise<Flow> {
    return await this.putChecked(actor, await this.check(actor, given, options));
  }

  /** As {@link put}, of a checked source. */
  async putChecked(actor: Actor, checked: CheckedSource): Promise<Flow> {
    const { parsed, source } = checked;
    const key = keyOf(parsed);
    return await this.#locks.run(lockKey(actor, key), async () => {
      const head = this.#heads.get(actor.tenant, key);
      if (!head || head.deleted) return await this.#save(actor.tenant, key, parsed, source);
      return await this.#saveNext(await this.#latest(actor, key, undefined), parsed, source);
    });
  }

  /** As {@link put}, with the namespace of the source replaced. @throws DomainError invalid_entity */
  async putInto(actor: Actor, namespace: string, source: string): Promise<Flow> {
    return await this.put(actor, setNamespace(source, namespace));
  }

  /** A flow as the actor may see it. @throws DomainError not_found */
  async get(actor: Actor, key: FlowKey, options: GetFlowOptions = {}): Promise<Flow> {
    return shownTo(actor, (await this.plan(actor.tenant, key, options)).flow);
  }

  /** The latest revision of a flow as the actor may see it, without filling the cache: for reads of many flows. */
  async read(actor: Actor, head: FlowHead): Promise<Flow> {
    const known = this.#plans.get(this.#planKey(head, head.revision));
    if (known) return shownTo(actor, known.flow);
    const record = await this.#deps.records.revision(head, head.revision);
    if (!record) throw missingFlow(head);
    return shownTo(actor, await this.flowOf(head, record));
  }

  /** The flow of a stored revision, or of one that is about to be stored. */
  async flowOf({ tenant, namespace, flowNo }: FlowHead, record: FlowRevisionRecord): Promise<Flow> {
    const { revision, deleted, source } = record;
    // Not the source: it may write the name of a type with escapes.
    await this.#deps.catalogs.tasks.load(stringifyJson(record.definition));
    const inherited = this.#inherited(tenant, namespace);
    const identity = { tenant, revision, flowNo, deleted, source, ...inherited };
    return buildFlow(record.definition, identity, this.#deps.catalogs);
  }

  /** Resolves once the saves and deletions of flows of a namespace that run or wait now have ended. */
  settled(tenant: TenantId, namespace: string): Promise<void> {
    return this.#locks.settled(`${tenant}/${namespace}/`);
  }

  /** The namespace that an announcement or a link to a flow of this one means now; `undefined` if it was not renamed. */
  renamedTo(tenant: TenantId, namespace: string): string | undefined {
    return this.#deps.defaults.renamedTo(tenant, namespace);
  }

  /** The plan of the latest revision, if it is cached and the flow is not deleted. */
  knownPlan(tenant: TenantId, key: FlowKey): FlowPlan | undefined {
    const head = this.#heads.get(tenant, key);
    return head && !head.deleted ? this.#plans.get(this.#planKey(head, head.revision)) : undefined;
  }

  /** A flow prepared for the engine. Synchronous if it is cached. @throws DomainError not_found */
  plan(tenant: TenantId, key: FlowKey, options: GetFlowOptions = {}): FlowPlan | Promise<FlowPlan> {
    const head = this.#head(tenant, key, options.allowDeleted);
    const revision = options.revision ?? head.revision;
    return this.#plans.get(this.#planKey(head, revision)) ?? this.#loadPlan(head, revision);
  }

  /**
   * All saved revisions, oldest first, also of a deleted flow; with `allowDeleted` those too that mark a deletion. Each is
   * read on demand.
   * @throws DomainError not_found
   */
  revisions(actor: Actor, key: FlowKey, allowDeleted: boolean): AsyncGenerator<Flow[]> {
    return this.#revisionsOf(actor, this.#head(actor.tenant, key, true), allowDeleted);
  }

  async *#revisionsOf(actor: Actor, head: FlowHead, allowDeleted: boolean): AsyncGenerator<Flow[]> {
    for await (const record of this.#deps.records.revisions(head)) {
      if (allowDeleted || !record.deleted) yield [shownTo(actor, await this.flowOf(head, record))];
    }
  }

  /** The flows with these heads as the actor may see them, in pieces that are read on demand; without those that are deleted meanwhile. */
  async *pieces(actor: Actor, heads: readonly FlowHead[]): AsyncGenerator<Flow[]> {
    for (let i = 0; i < heads.length; i += FLOWS_PER_PIECE) {
      const flows = heads.slice(i, i + FLOWS_PER_PIECE).map((head) =>
        undefinedIfMissing(async () => {
          const options = { revision: head.revision, allowDeleted: true };
          return shownTo(actor, (await this.plan(head.tenant, head, options)).flow);
        })
      );
      yield (await Promise.all(flows)).filter((flow) => flow !== undefined);
    }
  }

  /** Deletes a flow by a new revision that marks the deletion; returns its head. @throws DomainError not_found */
  async delete(actor: Actor, key: FlowKey): Promise<FlowHead> {
    return await this.#locks.run(lockKey(actor, key), async () => {
      const flow = await this.get(actor, key);
      const { definition, source } = flow;
      const head = this.#heads.get(actor.tenant, key) as FlowHead;
      const deleted = { ...head, revision: head.revision + 1, deleted: true };
      const record = { revision: deleted.revision, deleted: true, source, definition };
      await this.#commit(deleted, record, { ...flow, ...deleted });
      this.#deps.quotas?.removed(actor.tenant, "flows");
      return deleted;
    });
  }

  /**
   * Derives the states of triggers again, for the flows of a namespace and those below it with an affected trigger: what
   * they inherit has changed.
   */
  async renewTriggers(
    actor: Actor,
    namespace: string,
    isAffected: (trigger: Trigger) => boolean = () => true,
  ): Promise<void> {
    for (const head of this.select(actor, (each) => isWithinNamespace(each.namespace, namespace))) {
      await this.#locks.run(lockKey(actor, head), async () => {
        const flow = await undefinedIfMissing(() => this.get(actor, head));
        if (flow?.triggers.some(isAffected)) await this.#deps.commit(flow, { mutations: [] });
      });
    }
  }

  /** What the flows of a namespace inherit. */
  inherited(tenant: TenantId, namespace: string): InheritedDefaults {
    return this.#deps.defaults.of(tenant, namespace);
  }

  /** Heads of the flows of that namespace, not of those below it. */
  inNamespace(actor: Actor, namespace: string): FlowHead[] {
    return this.#existing(actor, (head) => head.namespace === namespace);
  }

  /** Heads of one page of flows, and the number of all matching ones. @throws DomainError invalid_argument, invalid_filter */
  async search(actor: Actor, search: FlowSearch): Promise<{ heads: FlowHead[]; total: number }> {
    const found = await filterInTurns(this.#existing(actor), search.matches, this.#deps.clock);
    const sorted = sortHeads(found, search.sort);
    const first = (search.page - 1) * search.size;
    return { heads: sorted.slice(first, first + search.size), total: found.length };
  }

  /** Namespaces of the flows, sorted. */
  namespaces(actor: Actor): string[] {
    return [...new Set(this.#existing(actor).map(({ namespace }) => namespace))].sort();
  }

  /** The flow of a source, without saving it. @throws DomainError invalid_entity */
  async draft({ tenant }: Pick<Actor, "tenant">, source: string): Promise<Flow> {
    const { parsed } = await this.checks.valid(tenant, source);
    const previous = this.#heads.get(tenant, keyOf(parsed));
    const ids = {
      tenant,
      revision: (previous?.revision ?? 0) + 1,
      flowNo: previous?.flowNo ?? 0,
      deleted: false,
      ...this.#inherited(tenant, keyOf(parsed).namespace),
    };
    return buildFlow(parsed.document ?? {}, { ...ids, source }, this.#deps.catalogs);
  }

  /** Heads of the matching flows, ordered by namespace and id; deleted ones are left out. */
  select(actor: Actor, matches: (head: FlowHead) => boolean): FlowHead[] {
    return sortHeads(this.#existing(actor, matches), BY_NAME);
  }

  /**
   * As {@link select}, for the filters and the sort order of a request.
   * @throws DomainError invalid_argument; invalid_filter: the filters take too long
   */
  async filter(
    actor: Actor,
    matches: (head: FlowHead) => boolean,
    sort: readonly FlowSortKey[] = [],
  ): Promise<FlowHead[]> {
    const found = await filterInTurns(this.#existing(actor), matches, this.#deps.clock);
    return sortHeads(found, [...sort, ...BY_NAME]);
  }

  /** The head of a flow that is not deleted. @throws DomainError not_found */
  head({ tenant }: Actor, key: FlowKey): FlowHead {
    return this.#head(tenant, key);
  }

  #head(tenant: TenantId, key: FlowKey, allowDeleted = false): FlowHead {
    const head = this.#heads.get(tenant, key);
    if (!head || (head.deleted && !allowDeleted)) {
      throw missingFlow(key, this.renamedTo(tenant, key.namespace));
    }
    return head;
  }

  #existing({ tenant }: Actor, matches: (head: FlowHead) => boolean = () => true): FlowHead[] {
    return [...this.#heads.of(tenant)].filter((head) => !head.deleted && matches(head));
  }

  /** The member of a flow that has what it inherits; no member if it inherits nothing. */
  #inherited(tenant: TenantId, namespace: string): Pick<Flow, "inherited"> {
    const inherited = this.inherited(tenant, namespace);
    return inherited.version === 0 ? {} : { inherited };
  }

  /** Another key whenever the flow would be built from other defaults. */
  #planKey({ tenant, namespace, flowNo }: FlowHead, revision: number): string {
    const { version } = this.inherited(tenant, namespace);
    const key = `${tenant}/${flowNo}/${revision}`;
    return version === 0 ? key : `${key}/${version}`;
  }

  async #save(tenant: TenantId, key: FlowKey, parsed: ParsedSource, source: string): Promise<Flow> {
    const previous = this.#heads.get(tenant, key);
    const definition = parsed.document ?? {};
    const revision = (previous?.revision ?? 0) + 1;
    const flowNo = previous?.flowNo ?? this.#heads.nextNumber();
    const inherited = this.#inherited(tenant, key.namespace);
    const ids = { tenant, revision, flowNo, deleted: false, source, ...inherited };
    const flow = buildFlow(definition, ids, this.#deps.catalogs);
    const head = {
      tenant,
      ...key,
      flowNo,
      revision,
      disabled: flow.disabled,
      deleted: false,
      labels: flow.labels,
    };
    const { quotas } = this.#deps;
    const commit = () => this.#commit(head, { revision, deleted: false, source, definition }, flow);
    const isNew = !previous || previous.deleted;
    await (quotas && isNew ? quotas.within(tenant, "flows", 1, commit) : commit());
    return flow;
  }

  async #commit(head: FlowHead, record: FlowRevisionRecord, flow: Flow): Promise<void> {
    await this.#deps.commit(flow, {
      mutations: this.#deps.records.save(head, record),
      committed: () => this.#heads.put(head),
    });
  }

  async #loadPlan(head: FlowHead, revision: number): Promise<FlowPlan> {
    const record = await this.#deps.records.revision(head, revision);
    if (!record) {
      throw notFound(`flow "${head.namespace}.${head.id}" has no revision ${revision}`);
    }
    // Read before the flow is built from it: a change meanwhile has another key.
    const key = this.#planKey(head, revision);
    const plan = planFlow(await this.flowOf(head, record));
    this.#plans.set(key, plan);
    return plan;
  }
}

function bytesOfPlan({ flow }: FlowPlan): number {
  return Math.max(MIN_BYTES_OF_PLAN, flow.source.length * PLAN_BYTES_PER_CHAR);
}

function shownTo({ hidesKeys }: Actor, flow: Flow): Flow {
  return hidesKeys ? withoutWebhookKeys(flow) : flow;
}

function lockKey(actor: Actor, key: FlowKey): string {
  return `${actor.tenant}/${key.namespace}/${key.id}`;
}

function keyOf(parsed: ParsedSource): FlowKey {
  return { namespace: String(parsed.document?.namespace), id: String(parsed.document?.id) };
}

function checkSameKey(given: FlowKey, key: FlowKey): void {
  const items: ErrorItem[] = [];
  if (given.id !== key.id) {
    items.push({ path: "flow.id", message: `Illegal flow id update from "${key.id}" to "${given.id}"` });
  }
  if (given.namespace !== key.namespace) {
    const message = `Illegal namespace update from "${key.namespace}" to "${given.namespace}"`;
    items.push({ path: "flow.namespace", message });
  }
  if (items.length > 0) throw invalidFlow(items);
}

/** The refusal of a flow for these reasons. */
export function invalidFlow(items: readonly ErrorItem[]): DomainError {
  return invalidEntity(items.map(({ path, message }) => `${path}: ${message}`).join(", "), { items });
}

function missingFlow({ namespace, id }: FlowKey, renamedTo?: string): DomainError {
  const hint = renamedTo === undefined ? "" : `; its namespace was renamed to "${renamedTo}"`;
  return notFound(`flow "${namespace}.${id}" does not exist${hint}`);
}
