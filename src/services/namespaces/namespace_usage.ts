/** What a namespace holds, and what refers to it: asked before it is renamed or deleted. */
import { stringifyJson } from "../../base/json.ts";
import { namespaceReferences } from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { EXECUTION_KINDS } from "../../model/executions/execution.ts";
import type { ExecutionCondition } from "../../model/executions/execution_query.ts";
import { TERMINAL_STATES } from "../../model/executions/state.ts";
import { checkNamespace, isWithinNamespace } from "../../model/namespaces/namespace_name.ts";
import type { TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { DashboardRecords } from "../../store/records/dashboard_records.ts";
import type { FlowRecords } from "../../store/records/flow_records.ts";
import type { NamespaceRecords } from "../../store/records/namespace_records.ts";
import type { RenameRecords } from "../../store/records/rename_records.ts";
import { isAwaited, namespacePatternsIn } from "../flows/awaited_flows.ts";
import { hasFlowTrigger, linksOf } from "../flows/flow_links.ts";
import type { Flows } from "../flows/flows.ts";

interface NamespaceUsageDeps {
  readonly flows: Flows;
  readonly flowRecords: Pick<FlowRecords, "revision">;
  readonly catalog: Pick<Catalog, "query">;
  readonly triggerTypes: TriggerCatalog;
  readonly dashboards: Pick<DashboardRecords, "list">;
  readonly namespaceRecords: Pick<NamespaceRecords, "list">;
  readonly renames: Pick<RenameRecords, "contentBelow">;
}

/** What names a namespace; of another namespace its variables and plugin defaults. */
interface Referrer {
  readonly kind: "FLOW" | "TRIGGER" | "DASHBOARD" | "NAMESPACE";
  /** `namespace.flow`, the id of the dashboard, or the namespace. */
  readonly id: string;
  /** Of its source, from 1; absent for a namespace, and for a trigger that waits for flows by a pattern. */
  readonly line?: number;
  /** A rename changes it, too: it is a property of a flow that is renamed with its namespace. */
  readonly isEdited: boolean;
}

/** What is in a namespace and those below it, and what would be affected by its removal. */
export interface NamespaceUsage {
  /** The namespaces below it that hold something. */
  readonly below: readonly string[];
  /** Flows that have a webhook, whose address contains the namespace. */
  readonly webhooks: readonly string[];
  /** Executions that have not ended: their number, and the ids of some. */
  readonly unfinished: { readonly total: number; readonly ids: readonly string[] };
  readonly references: readonly Referrer[];
  /** There are more references than listed. */
  readonly isCut: boolean;
}

/** Executions that have not ended of which the ids are given. */
export const SHOWN_EXECUTIONS = 5;
const MAX_REFERENCES = 200;

/** Finds the usage of namespaces. */
export class NamespaceUsages {
  readonly #deps: NamespaceUsageDeps;

  constructor(deps: NamespaceUsageDeps) {
    this.#deps = deps;
  }

  /** The usage of a namespace and, unless `isAlone`, of those below it. @throws DomainError invalid_argument */
  async of(actor: Actor, namespace: string, isAlone = false): Promise<NamespaceUsage> {
    checkNamespace(namespace);
    const below = await this.below(actor, namespace);
    const names = isAlone ? [namespace] : [namespace, ...below];
    const references = await this.#references(actor, names);
    return {
      below,
      webhooks: await this.#webhooks(actor, names),
      unfinished: await this.unfinished(actor, names),
      references: references.slice(0, MAX_REFERENCES),
      isCut: references.length > MAX_REFERENCES,
    };
  }

  /** The namespaces below one that hold flows or anything else, sorted. */
  async below({ tenant, ...actor }: Actor, parent: string): Promise<string[]> {
    const isBelow = (name: string) => name !== parent && isWithinNamespace(name, parent);
    const ofFlows = this.#deps.flows.namespaces({ tenant, ...actor }).filter(isBelow);
    const others = await this.#deps.renames.contentBelow(tenant, parent, isBelow);
    const created = (await this.#deps.namespaceRecords.list(tenant)).filter(({ id, isDeleted }) =>
      !isDeleted && isBelow(id)
    );
    return [...new Set([...ofFlows, ...others, ...created.map(({ id }) => id)])].sort();
  }

  /** The executions of these namespaces that have not ended. */
  async unfinished({ tenant }: Actor, names: readonly string[]): Promise<NamespaceUsage["unfinished"]> {
    const conditions: ExecutionCondition[] = [
      { field: "kind", kinds: EXECUTION_KINDS, negated: false },
      { field: "namespace", operator: "IN", values: names },
      { field: "state", states: [...TERMINAL_STATES], negated: true },
    ];
    const query = { conditions, groups: [], sort: [], page: 1, size: SHOWN_EXECUTIONS };
    const { ids, total } = await this.#deps.catalog.query(tenant, query);
    return { total, ids };
  }

  async #webhooks(actor: Actor, names: readonly string[]): Promise<string[]> {
    const { flows, triggerTypes } = this.#deps;
    const heads = flows.select(actor, ({ namespace }) => names.includes(namespace));
    const found: string[] = [];
    for await (const piece of flows.pieces(actor, heads)) {
      for (const { namespace, id, triggers } of piece) {
        if (triggers.some(({ kind }) => triggerTypes.find(kind)?.form === "webhook")) {
          found.push(`${namespace}.${id}`);
        }
      }
    }
    return found;
  }

  async #references(actor: Actor, names: readonly string[]): Promise<Referrer[]> {
    const { flows, flowRecords, dashboards, namespaceRecords } = this.#deps;
    const inside = flows.select(actor, ({ namespace }) => names.includes(namespace));
    const found: Referrer[] = [];
    for (const head of flows.select(actor, () => true)) {
      if (found.length > MAX_REFERENCES) return found;
      // Most need not be built: 10,000 took two seconds of the processor.
      const record = await flowRecords.revision(head, head.revision);
      if (!record) continue;
      const id = `${head.namespace}.${head.id}`;
      const isMoved = names.includes(head.namespace);
      const named = namespaceReferences(record.source, names);
      for (const { line, isEditable } of named) {
        found.push({ kind: "FLOW", id, line, isEdited: isMoved && isEditable });
      }
      // A pattern such as a prefix, or a filter of preconditions, matches flows without a member that names their namespace.
      if (!hasFlowTrigger(record.definition)) continue;
      const { awaits } = linksOf(await flows.flowOf(head, record));
      const patterns = awaits.flatMap((awaited) => namespacePatternsIn(awaited, names));
      const isPattern = patterns.some((awaited) => inside.some((each) => isAwaited(each, awaited)));
      if (isPattern) found.push({ kind: "TRIGGER", id, isEdited: false });
    }
    for await (const { id, source } of dashboards.list(actor.tenant)) {
      for (const { line } of namespaceMentions(source, names)) {
        found.push({ kind: "DASHBOARD", id, line, isEdited: false });
      }
    }
    for (
      const { id, isDeleted, variables = {}, pluginDefaults = [] } of await namespaceRecords.list(
        actor.tenant,
      )
    ) {
      // JSON is YAML, too.
      const declared = stringifyJson({ variables, pluginDefaults: [...pluginDefaults] });
      if (isDeleted || namespaceReferences(declared, names).length === 0) continue;
      found.push({ kind: "NAMESPACE", id, isEdited: false });
    }
    return found;
  }
}

/** The lines of a text that contain one of the names as a whole. */
function namespaceMentions(source: string, names: readonly string[]): { readonly line: number }[] {
  return source.split("\n").flatMap((text, index) =>
    text.split(/[^a-z0-9._-]+/).some((word) => names.includes(word)) ? [{ line: index + 1 }] : []
  );
}
