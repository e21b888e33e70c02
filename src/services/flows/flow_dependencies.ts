/** The dependency graph of flows: edges are tasks that start a flow and triggers that wait for one. */
import type { JsonObject } from "../../base/json.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import { isWithinNamespace } from "../../model/namespaces/namespace_name.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";
import { flowName } from "./flow_heads.ts";
import { isAwaited, onlyFlowsOf } from "./awaited_flows.ts";
import { type FlowLinks, linksOf } from "./flow_links.ts";
import type { Flows } from "./flows.ts";

/** How far dependencies are followed. */
export interface DependencyOptions {
  /** Only downstream flows. */
  readonly destinationOnly: boolean;
  /** Follows dependencies transitively. */
  readonly expandAll: boolean;
}

type Relation = "FLOW_TASK" | "FLOW_TRIGGER";

/** `target` runs because of `source`. */
interface Edge {
  readonly source: FlowHead;
  readonly target: FlowHead;
  readonly relation: Relation;
}

/** The flows connected with a flow, including itself. */
interface Subgraph {
  readonly nodes: ReadonlySet<FlowHead>;
  readonly edges: ReadonlySet<Edge>;
}

/** The use cases of dependencies. Links are read once per revision. */
export class FlowDependencies {
  readonly #flows: Flows;
  readonly #links = new WeakMap<FlowHead, FlowLinks>();

  constructor(flows: Flows) {
    this.#flows = flows;
  }

  /** A flow and the flows connected with it. @throws DomainError not_found */
  async ofFlow(actor: Actor, key: FlowKey, options: DependencyOptions): Promise<JsonObject> {
    const { nodes, edges } = await this.#connected(actor, key, options);
    return response(nodes, edges);
  }

  /** Names of a flow and of the flows connected with it, each as `namespace/id`. @throws DomainError not_found */
  async connectedNames(actor: Actor, key: FlowKey, options: DependencyOptions): Promise<ReadonlySet<string>> {
    const { nodes } = await this.#connected(actor, key, options);
    return new Set([...nodes].map(flowName));
  }

  async #connected(actor: Actor, key: FlowKey, options: DependencyOptions): Promise<Subgraph> {
    return connected(this.#flows.head(actor, key), await this.#edges(actor), options);
  }

  /** The flows of a namespace and of the namespaces below it, with the flows connected with them. */
  async ofNamespace(actor: Actor, namespace: string, destinationOnly: boolean): Promise<JsonObject> {
    const isInside = (head: FlowHead) => isWithinNamespace(head.namespace, namespace);
    const edges = (await this.#edges(actor)).filter(({ source, target }) =>
      isInside(source) || !destinationOnly && isInside(target)
    );
    const inside = this.#flows.select(actor, isInside);
    return response([...inside, ...edges.flatMap(({ source, target }) => [source, target])], edges);
  }

  /** All flows with a dependency. */
  async ofTenant(actor: Actor): Promise<JsonObject> {
    const edges = await this.#edges(actor);
    return response(edges.flatMap(({ source, target }) => [source, target]), edges);
  }

  async #edges(actor: Actor): Promise<Edge[]> {
    const heads = this.#flows.select(actor, () => true);
    const byName = new Map(heads.map((head) => [flowName(head), head]));
    const edges = new Map<string, Edge>();
    const add = (source: FlowHead, target: FlowHead | undefined, relation: Relation) => {
      // Executions of its own flow do not fire a trigger.
      if (target && target !== source) {
        edges.set(`${flowName(source)} ${flowName(target)} ${relation}`, { source, target, relation });
      }
    };
    for (const head of heads) {
      const { starts, awaits } = await this.#linksOf(head);
      for (const key of starts) add(head, byName.get(flowName(key)), "FLOW_TASK");
      for (const awaited of awaits) {
        const named = onlyFlowsOf(awaited)?.flatMap((key) => byName.get(flowName(key)) ?? []);
        for (const source of named ?? heads) {
          if (isAwaited(source, awaited)) add(source, head, "FLOW_TRIGGER");
        }
      }
    }
    return [...edges.values()];
  }

  /** Cached per head object, which is replaced with each revision; for all actors, so not as one of them may see the flow. */
  async #linksOf(head: FlowHead): Promise<FlowLinks> {
    const known = this.#links.get(head);
    if (known) return known;
    const links = linksOf(await this.#flows.read({ tenant: head.tenant, user: "" }, head));
    this.#links.set(head, links);
    return links;
  }
}

/**
 * The neighbours of a flow, or with `expandAll` all flows reachable from it. With `destinationOnly` edges are followed
 * downstream only, else both ways, so that flows with a common origin are found too.
 */
function connected(
  start: FlowHead,
  edges: readonly Edge[],
  { destinationOnly, expandAll }: DependencyOptions,
): Subgraph {
  const down = Map.groupBy(edges, ({ source }) => source);
  const up = destinationOnly ? new Map<FlowHead, Edge[]>() : Map.groupBy(edges, ({ target }) => target);
  const nodes = new Set([start]), visited = new Set([start]), kept = new Set<Edge>();
  for (const head of visited) { // grows while it is walked
    for (const edge of [...down.get(head) ?? [], ...up.get(head) ?? []]) {
      const other = edge.source === head ? edge.target : edge.source;
      kept.add(edge);
      nodes.add(other);
      if (expandAll) visited.add(other);
    }
  }
  return { nodes, edges: kept };
}

function response(heads: Iterable<FlowHead>, edges: Iterable<Edge>): JsonObject {
  return {
    nodes: [...new Set(heads)].map((head) => ({
      uid: flowName(head),
      namespace: head.namespace,
      id: head.id,
    })),
    edges: [...edges].map(({ source, target, relation }) => ({
      source: flowName(source),
      target: flowName(target),
      relation,
    })),
  };
}
