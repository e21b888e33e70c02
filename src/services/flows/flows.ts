/** Flows: saving, reading, deleting, listing. All heads are in memory; revisions are read when needed and kept while used. */
import type { Clock } from "../../base/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import { RecentCache } from "../../base/lru.ts";
import { type FlowPlan, planFlow } from "../../engine/plan.ts";
import {
  buildFlow,
  type Catalogs,
  isSameSource,
  type ParsedSource,
  parseFlowSource,
  problemsError,
  setNamespace,
  splitDocuments,
  validateFlow,
  type ValidateOptions,
  validateTask,
  validateTrigger,
} from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import type { Flow, FlowKey, TenantId } from "../../model/flows/flow.ts";
import type { Problem } from "../../model/flows/problem.ts";
import type { Entry } from "../../store/committer.ts";
import type { FlowHead, FlowRecords, FlowRevisionRecord } from "../../store/records/flow_records.ts";
import type { FlowHeads } from "./flow_heads.ts";
import { type FlowSortKey, sortHeads } from "./flow_order.ts";

/** What the flows service works with. */
interface FlowsDeps {
  readonly records: FlowRecords;
  readonly heads: FlowHeads;
  readonly catalogs: Catalogs;
  readonly clock: Clock;
  /** Functions that expressions may call beside the built-in ones. */
  readonly functions: ReadonlySet<string>;
  /** Commits the save or deletion of a flow together with what follows from it. */
  readonly commit: (flow: Flow, entry: Entry) => Promise<void>;
}

/** What a caller wants of a stored flow. */
export interface GetFlowOptions {
  readonly revision?: number;
  readonly allowDeleted?: boolean;
}

/** Which flows to list. */
interface FlowSearch {
  readonly page: number;
  readonly size: number;
  readonly sort: readonly FlowSortKey[];
  readonly matches: (head: FlowHead) => boolean;
}

/** One document of a validation request. */
export interface FlowCheck {
  readonly index: number;
  readonly id?: string;
  readonly namespace?: string;
  readonly problems: readonly Problem[];
  /** The revision that the document names is not the one that saving it would replace. */
  readonly isOutdated: boolean;
}

/** Plans of revisions in use: a number of flows, each some 10 KB. */
const MAX_PLANS = 2_000;

/** The use cases of flows. */
export class Flows {
  readonly #deps: FlowsDeps;
  readonly #heads: FlowHeads;
  readonly #plans = new RecentCache<string, FlowPlan>(MAX_PLANS, () => 1);
  readonly #locks = new KeyedLock();

  constructor(deps: FlowsDeps) {
    this.#deps = deps;
    this.#heads = deps.heads;
  }

  /** Reads the heads of these tenants. */
  async load(tenants: Iterable<TenantId>): Promise<void> {
    for (const tenant of tenants) {
      for await (const head of this.#deps.records.heads(tenant)) this.#heads.put(head);
    }
  }

  /** The flow behind a number, deleted or not. */
  byNumber(flowNo: number): FlowHead | undefined {
    return this.#heads.byNumber(flowNo);
  }

  /** All flow numbers given so far are below it. */
  get numberLimit(): number {
    return this.#heads.numberLimit;
  }

  /** All heads of a tenant, deleted ones included. */
  heads(tenant: TenantId): Iterable<FlowHead> {
    return this.#heads.of(tenant);
  }

  /** Forgets a tenant that was deleted. */
  forget(tenant: TenantId): void {
    this.#heads.forget(tenant);
    this.#plans.clear();
  }

  /** Forgets what it keeps of a revision that was removed. */
  forgetRevision(head: FlowHead, revision: number): void {
    this.#plans.delete(planKey(head, revision));
  }

  /** Saves a new flow. @throws DomainError invalid_entity, also for an id that exists */
  async create(actor: Actor, source: string): Promise<Flow> {
    const parsed = this.#parseValid(source);
    const key = keyOf(parsed);
    return await this.#locks.run(lockKey(actor, key), () => {
      const head = this.#heads.get(actor.tenant, key);
      if (head && !head.deleted) {
        const item = { path: "flow.id", message: "Flow id already exists" };
        throw new DomainError("invalid_entity", "Invalid entity: flow.id: Flow id already exists", {
          items: [item],
        });
      }
      return this.#save(actor.tenant, key, parsed, source);
    });
  }

  /** Saves a new revision; an identical source keeps the number. @throws DomainError not_found, precondition_failed, invalid_entity */
  async update(actor: Actor, key: FlowKey, source: string, ifMatch?: number): Promise<Flow> {
    const parsed = this.#parseValid(source);
    return await this.#locks.run(lockKey(actor, key), async () => {
      const current = await this.get(actor, key);
      if (ifMatch !== undefined && ifMatch !== current.revision) {
        const message =
          `Cannot update flow "${key.id}": revision ${ifMatch} was expected, but the latest is ${current.revision}`;
        throw new DomainError("precondition_failed", message);
      }
      checkSameKey(keyOf(parsed), key);
      const isSame = isSameSource({ document: current.definition, source: current.source }, {
        document: parsed.document ?? {},
        source,
      });
      return isSame ? current : await this.#save(actor.tenant, key, parsed, source);
    });
  }

  /** Creates or updates, whichever applies: for imports. @throws DomainError invalid_entity */
  async put(actor: Actor, source: string): Promise<Flow> {
    const key = keyOf(this.#parseValid(source));
    const head = this.#heads.get(actor.tenant, key);
    return await (head && !head.deleted ? this.update(actor, key, source) : this.create(actor, source));
  }

  /** As {@link put}, whatever namespace the source names. @throws DomainError invalid_entity */
  async putInto(actor: Actor, namespace: string, source: string): Promise<Flow> {
    return await this.put(actor, setNamespace(source, namespace));
  }

  /** A flow. @throws DomainError not_found */
  async get(actor: Actor, key: FlowKey, options: GetFlowOptions = {}): Promise<Flow> {
    return (await this.plan(actor.tenant, key, options)).flow;
  }

  /** The latest revision of a flow, not kept in memory: for those who read many. */
  async read(head: FlowHead): Promise<Flow> {
    const known = this.#plans.get(planKey(head, head.revision));
    if (known) return known.flow;
    const record = await this.#deps.records.revision(head, head.revision);
    if (!record) throw notFound(head);
    return this.#flowOf(head, record);
  }

  /** A flow prepared for the engine, when it is at hand: the latest revision of one that is not deleted. */
  knownPlan(tenant: TenantId, key: FlowKey): FlowPlan | undefined {
    const head = this.#heads.get(tenant, key);
    return head && !head.deleted ? this.#plans.get(planKey(head, head.revision)) : undefined;
  }

  /** A flow prepared for the engine. @throws DomainError not_found */
  plan(tenant: TenantId, key: FlowKey, options: GetFlowOptions = {}): FlowPlan | Promise<FlowPlan> {
    const head = this.#heads.get(tenant, key);
    const isHidden = head?.deleted && !options.allowDeleted;
    if (!head || isHidden) throw notFound(key);
    const revision = options.revision ?? head.revision;
    return this.#plans.get(planKey(head, revision)) ?? this.#loadPlan(head, revision);
  }

  /** All saved revisions, oldest first; those that mark a deletion only when asked for. @throws DomainError not_found */
  async revisions(actor: Actor, key: FlowKey, allowDeleted: boolean): Promise<Flow[]> {
    const head = this.#heads.get(actor.tenant, key);
    if (!head || (head.deleted && !allowDeleted)) throw notFound(key);
    const records = await this.#deps.records.revisions(head);
    return records.filter((record) => allowDeleted || !record.deleted).map((record) =>
      this.#flowOf(head, record)
    );
  }

  /** Deletes a flow: one more revision says so. @throws DomainError not_found */
  async delete(actor: Actor, key: FlowKey): Promise<void> {
    await this.#locks.run(lockKey(actor, key), async () => {
      const flow = await this.get(actor, key);
      const { definition, source } = flow;
      const head = this.#heads.get(actor.tenant, key) as FlowHead;
      const deleted = { ...head, revision: head.revision + 1, deleted: true };
      const record = { revision: deleted.revision, deleted: true, source, definition };
      await this.#commit(deleted, record, { ...flow, ...deleted });
    });
  }

  /** Flows of exactly that namespace. */
  async inNamespace(actor: Actor, namespace: string): Promise<Flow[]> {
    const heads = [...this.#heads.of(actor.tenant)].filter((head) =>
      !head.deleted && head.namespace === namespace
    );
    return await this.#flowsOf(heads);
  }

  /** One page of flows, and how many there are. @throws DomainError invalid_argument */
  async search(actor: Actor, search: FlowSearch): Promise<{ results: Flow[]; total: number }> {
    const found = [...this.#heads.of(actor.tenant)].filter((head) => !head.deleted && search.matches(head));
    const sorted = sortHeads(found, search.sort);
    const first = (search.page - 1) * search.size;
    return { results: await this.#flowsOf(sorted.slice(first, first + search.size)), total: found.length };
  }

  /** Namespaces that hold a flow, in order. */
  namespaces(actor: Actor): string[] {
    const names = new Set<string>();
    for (const head of this.#heads.of(actor.tenant)) if (!head.deleted) names.add(head.namespace);
    return [...names].sort();
  }

  /** Checks documents without saving them; a text without any is one that is empty. */
  validate(actor: Actor, text: string): FlowCheck[] {
    const documents = splitDocuments(text);
    return (documents.length > 0 ? documents : [text]).map((source, index) => {
      const parsed = parseFlowSource(source);
      const problems = validateFlow(parsed, this.#deps.catalogs, this.#withExpressions);
      const { id, namespace, revision } = parsed.document ?? {};
      const key = { id: String(id), namespace: String(namespace) };
      const next = (this.#heads.get(actor.tenant, key)?.revision ?? 0) + 1;
      const isOutdated = typeof revision === "number" && revision !== next;
      return { index, id: textOf(id), namespace: textOf(namespace), problems, isOutdated };
    });
  }

  /** Checks a source that holds one task, or one trigger, and nothing else. */
  validatePart(source: string, part: "task" | "trigger"): FlowCheck {
    const parsed = parseFlowSource(source);
    const check = part === "task" ? validateTask : validateTrigger;
    return {
      index: 0,
      problems: check(parsed, this.#deps.catalogs, this.#withExpressions),
      isOutdated: false,
    };
  }

  /** A source as the flow it would be; nothing is saved. @throws DomainError invalid_entity */
  draft({ tenant }: Actor, source: string): Flow {
    const parsed = this.#parseValid(source);
    const previous = this.#heads.get(tenant, keyOf(parsed));
    const ids = {
      tenant,
      revision: (previous?.revision ?? 0) + 1,
      flowNo: previous?.flowNo ?? 0,
      deleted: false,
    };
    return buildFlow(parsed.document ?? {}, { ...ids, source }, this.#deps.catalogs);
  }

  /** Heads of the flows that are wanted, by namespace and id; deleted ones are left out. */
  select({ tenant }: Actor, matches: (head: FlowHead) => boolean): FlowHead[] {
    const found = [...this.#heads.of(tenant)].filter((head) => !head.deleted && matches(head));
    return sortHeads(found, [{ field: "namespace", descending: false }, { field: "id", descending: false }]);
  }

  /** The head of a flow that is not deleted. @throws DomainError not_found */
  head({ tenant }: Actor, key: FlowKey): FlowHead {
    const head = this.#heads.get(tenant, key);
    if (!head || head.deleted) throw notFound(key);
    return head;
  }

  /** Warnings about expressions are for those who ask what is wrong, not for those who save. */
  get #withExpressions(): ValidateOptions {
    return { expressions: { functions: this.#deps.functions } };
  }

  #parseValid(source: string): ParsedSource {
    const parsed = parseFlowSource(source);
    const problems = validateFlow(parsed, this.#deps.catalogs);
    const errors = problems.filter((problem) => problem.severity === "error");
    if (errors.length > 0) throw problemsError(errors);
    return parsed;
  }

  async #save(tenant: TenantId, key: FlowKey, parsed: ParsedSource, source: string): Promise<Flow> {
    const previous = this.#heads.get(tenant, key);
    const definition = parsed.document ?? {};
    const revision = (previous?.revision ?? 0) + 1;
    const flowNo = previous?.flowNo ?? this.#heads.nextNumber();
    const ids = { tenant, revision, flowNo, deleted: false, source };
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
    await this.#commit(head, { revision, deleted: false, source, definition }, flow);
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
      throw new DomainError(
        "not_found",
        `Not Found: flow "${head.namespace}.${head.id}" has no revision ${revision}`,
      );
    }
    const plan = planFlow(this.#flowOf(head, record));
    this.#plans.set(planKey(head, revision), plan);
    return plan;
  }

  #flowOf({ tenant, flowNo }: FlowHead, record: FlowRevisionRecord): Flow {
    const { revision, deleted, source } = record;
    const identity = { tenant, revision, flowNo, deleted, source };
    return buildFlow(record.definition, identity, this.#deps.catalogs);
  }

  #flowsOf(heads: readonly FlowHead[]): Promise<Flow[]> {
    return Promise.all(heads.map(async (head) => (await this.plan(head.tenant, head)).flow));
  }
}

function planKey(head: FlowHead, revision: number): string {
  return `${head.tenant}/${head.flowNo}/${revision}`;
}

function lockKey(actor: Actor, key: FlowKey): string {
  return `${actor.tenant}/${key.namespace}/${key.id}`;
}

function keyOf(parsed: ParsedSource): FlowKey {
  return { namespace: String(parsed.document?.namespace), id: String(parsed.document?.id) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function checkSameKey(given: FlowKey, key: FlowKey): void {
  const problems: [path: string, message: string][] = [];
  if (given.id !== key.id) {
    problems.push(["flow.id", `Illegal flow id update from "${key.id}" to "${given.id}"`]);
  }
  if (given.namespace !== key.namespace) {
    const names = `from "${key.namespace}" to "${given.namespace}"`;
    problems.push(["flow.namespace", `Illegal namespace update ${names}`]);
  }
  if (problems.length === 0) return;
  const text = problems.map(([path, message]) => `${path}: ${message}`).join(", ");
  const items = problems.map(([path, message]) => ({ path, message }));
  throw new DomainError("invalid_entity", `Invalid entity: ${text}`, { items });
}

function notFound(key: FlowKey): DomainError {
  return new DomainError("not_found", `Not Found: flow "${key.namespace}.${key.id}" does not exist`);
}
