/** The dependency graph of flows: edges are tasks that start a flow and triggers that wait for one. */
import type { JsonObject } from "../../base/json.ts";
import type { Clock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import type { Actor } from "../../model/access/actor.ts";
import { publicTenantId } from "../../model/access/tenant.ts";
import { illegalArgument } from "../../model/errors.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import { MAX_DEPENDENCIES } from "../../model/limits.ts";
import { isWithinNamespace } from "../../model/namespaces/namespace_name.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";
import { DependencyGraph, type Edge, type FlowNode, type SourceFlows } from "./dependency_graph.ts";
import { flowName } from "./flow_heads.ts";
import { type FlowLinks, linksOf } from "./flow_links.ts";
import type { Flows } from "./flows.ts";

/** How far dependencies are followed. */
export interface DependencyOptions {
  /** Only downstream flows. */
  readonly destinationOnly: boolean;
  /** Follows dependencies transitively. */
  readonly expandAll: boolean;
}

interface FlowDependenciesDeps {
  readonly flows: Pick<Flows, "select" | "head" | "read">;
  readonly clock: Clock;
  readonly maxEdges?: number;
}

const TURN_MS = 4;
/** Comparisons before the clock is read; one may have a thousand conditions. */
const STEPS_AT_ONCE = 64;
/** Above the index of any flow; the key of an edge, which has two, is an exact number. */
const INDEX_LIMIT = 2 ** 26;

/** The use cases of dependencies. Links are read once per revision. */
export class FlowDependencies {
  readonly #deps: FlowDependenciesDeps;
  readonly #links = new WeakMap<FlowHead, FlowLinks>();

  constructor(deps: FlowDependenciesDeps) {
    this.#deps = deps;
  }

  /** A flow and the flows connected with it. @throws DomainError not_found; invalid_argument: too many */
  async ofFlow(actor: Actor, key: FlowKey, options: DependencyOptions): Promise<JsonObject> {
    return (await this.#connected(actor, key, options)).response();
  }

  /**
   * Names of a flow and of the flows connected with it, each as `namespace/id`.
   * @throws DomainError not_found; invalid_argument: too many
   */
  async connectedNames(actor: Actor, key: FlowKey, options: DependencyOptions): Promise<ReadonlySet<string>> {
    const { nodes } = await this.#connected(actor, key, options);
    return new Set([...nodes].map(({ name }) => name));
  }

  /** The flows of a namespace and of the namespaces below it, with the flows connected with them. @throws DomainError invalid_argument: too many */
  async ofNamespace(actor: Actor, namespace: string, destinationOnly: boolean): Promise<JsonObject> {
    const remedy = "read those of a namespace below it, or of a flow";
    const found = this.#subgraph(`the namespace "${namespace}"`, remedy);
    const graph = await this.#graph(actor, found.turns);
    const inside = new Set(graph.nodes.filter(({ head }) => isWithinNamespace(head.namespace, namespace)));
    for (const node of inside) found.nodes.add(node);
    const ofInside = await this.#sources(graph, inside, found.turns);
    const ofAll = destinationOnly ? ofInside : await this.#sources(graph, graph.nodes, found.turns);
    for (const node of graph.nodes) {
      const edges = graph.declaredBy(node, inside.has(node) ? ofAll : ofInside);
      await found.add(
        edges,
        ({ source, target }) => inside.has(source) || !destinationOnly && inside.has(target),
      );
    }
    return found.response();
  }

  /** All flows with a dependency. @throws DomainError invalid_argument: too many */
  async ofTenant(actor: Actor): Promise<JsonObject> {
    const subject = `the tenant "${publicTenantId(actor.tenant)}"`;
    const found = this.#subgraph(subject, "read those of a namespace or of a flow");
    const graph = await this.#graph(actor, found.turns);
    const sources = await this.#sources(graph, graph.nodes, found.turns);
    for (const node of graph.nodes) await found.add(graph.declaredBy(node, sources));
    return found.response();
  }

  /**
   * The neighbours of a flow, or with `expandAll` all flows reachable from it. With `destinationOnly` edges are followed
   * downstream only, else both ways, so that flows with a common origin are found too.
   */
  async #connected(
    actor: Actor,
    key: FlowKey,
    { destinationOnly, expandAll }: DependencyOptions,
  ): Promise<Subgraph> {
    const head = this.#deps.flows.head(actor, key);
    const remedy = "destinationOnly=true lists those downstream, expandAll=false those of the flow itself";
    const found = this.#subgraph(`the flow "${key.namespace}.${key.id}"`, remedy);
    const graph = await this.#graph(actor, found.turns);
    const sources = destinationOnly ? undefined : await this.#sources(graph, graph.nodes, found.turns);
    const start = graph.named(flowName(head));
    if (start) found.nodes.add(start);
    for (const node of found.nodes) { // grows while it is walked
      if (node !== start && !expandAll) break;
      await found.add(graph.from(node));
      if (sources) await found.add(graph.to(node, sources));
    }
    return found;
  }

  #subgraph(subject: string, remedy: string): Subgraph {
    const { clock, maxEdges = MAX_DEPENDENCIES } = this.#deps;
    return new Subgraph({ subject, remedy, maxEdges, turns: new Turns(clock, TURN_MS) });
  }

  async #graph(actor: Actor, turns: Turns): Promise<DependencyGraph> {
    const graph = new DependencyGraph(this.#deps.flows.select(actor, () => true));
    for (const node of graph.nodes) {
      graph.add(node, this.#links.get(node.head) ?? await this.#readLinks(node.head));
      await turns.next();
    }
    return graph;
  }

  async #sources(graph: DependencyGraph, nodes: Iterable<FlowNode>, turns: Turns): Promise<SourceFlows> {
    const sources = graph.sources();
    for (const node of nodes) {
      sources.add(node);
      await turns.next();
    }
    return sources;
  }

  /** Kept per head object, which is replaced with each revision; for all actors, so not as one of them may see the flow. */
  async #readLinks(head: FlowHead): Promise<FlowLinks> {
    const links = linksOf(await this.#deps.flows.read({ tenant: head.tenant, user: "" }, head));
    this.#links.set(head, links);
    return links;
  }
}

interface SubgraphOptions {
  /** Whose dependencies they are, and what to do if they are too many. */
  readonly subject: string;
  readonly remedy: string;
  readonly maxEdges: number;
  readonly turns: Turns;
}

/** The edges that were found, and their flows. */
class Subgraph {
  readonly nodes = new Set<FlowNode>();
  readonly turns: Turns;
  readonly #options: SubgraphOptions;
  /** By the places of their flows. */
  readonly #edges = new Map<number, Edge>();
  #steps = 0;

  constructor(options: SubgraphOptions) {
    this.#options = options;
    this.turns = options.turns;
  }

  /** Adds those that are wanted, and their flows, in turns. @throws DomainError invalid_argument: too many */
  async add(
    edges: Iterable<Edge | undefined>,
    isWanted: (edge: Edge) => boolean = () => true,
  ): Promise<void> {
    for (const edge of edges) {
      if (++this.#steps % STEPS_AT_ONCE === 0) await this.turns.next();
      if (edge && isWanted(edge)) this.#add(edge);
    }
  }

  #add(edge: Edge): void {
    const { source, target } = edge;
    const key = edgeKey(edge);
    if (this.#edges.has(key)) return;
    const { subject, remedy, maxEdges } = this.#options;
    if (this.#edges.size >= maxEdges) {
      throw illegalArgument(`the dependencies of ${subject} are more than ${maxEdges}; ${remedy}`);
    }
    this.#edges.set(key, edge);
    this.nodes.add(source).add(target);
  }

  /** As responses show it. */
  response(): JsonObject {
    return {
      nodes: [...this.nodes].map(({ name, head: { namespace, id } }) => ({ uid: name, namespace, id })),
      edges: [...this.#edges.values()].map(({ source, target, relation }) => ({
        source: source.name,
        target: target.name,
        relation,
      })),
    };
  }
}

function edgeKey({ source, target, relation }: Edge): number {
  return (source.index * INDEX_LIMIT + target.index) * 2 + (relation === "FLOW_TASK" ? 0 : 1);
}
