/** Which flows depend on which: by tasks that start a flow, and by triggers that wait for one. */
import type { JsonObject } from "../../base/json.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";
import { type FlowLinks, isAwaited, linksOf } from "./flow_links.ts";
import type { Flows } from "./flows.ts";

/** How far dependencies are followed. */
export interface DependencyOptions {
  /** Only flows that come after the flow. */
  readonly destinationOnly: boolean;
  /** Also what is reached through others. */
  readonly expandAll: boolean;
}

type Relation = "FLOW_TASK" | "FLOW_TRIGGER";

/** `target` runs because of `source`. */
interface Edge {
  readonly source: FlowHead;
  readonly target: FlowHead;
  readonly relation: Relation;
}

/** What is reached from a flow, and by which edges. */
interface Surroundings {
  readonly reached: ReadonlySet<FlowHead>;
  readonly kept: ReadonlySet<Edge>;
}

/** The use cases of dependencies. Links are read once for each revision. */
export class FlowDependencies {
  readonly #flows: Flows;
  readonly #links = new WeakMap<FlowHead, FlowLinks>();

  constructor(flows: Flows) {
    this.#flows = flows;
  }

  /** A flow with those around it. @throws DomainError not_found */
  async ofFlow(actor: Actor, key: FlowKey, options: DependencyOptions): Promise<JsonObject> {
    const { reached, kept } = await this.#around(actor, key, options);
    return response(reached, kept);
  }

  /** Names of a flow and of those around it, each as `namespace/id`. @throws DomainError not_found */
  async namesAround(actor: Actor, key: FlowKey, options: DependencyOptions): Promise<ReadonlySet<string>> {
    const { reached } = await this.#around(actor, key, options);
    return new Set([...reached].map(nameOf));
  }

  async #around(actor: Actor, key: FlowKey, options: DependencyOptions): Promise<Surroundings> {
    return follow(this.#flows.head(actor, key), await this.#edges(actor), options);
  }

  /** The flows of a namespace and of those below it, with those around them. */
  async ofNamespace(actor: Actor, namespace: string, destinationOnly: boolean): Promise<JsonObject> {
    const isInside = (head: FlowHead) =>
      head.namespace === namespace || head.namespace.startsWith(`${namespace}.`);
    const edges = (await this.#edges(actor)).filter(({ source, target }) =>
      isInside(source) || !destinationOnly && isInside(target)
    );
    const inside = this.#flows.select(actor, isInside);
    return response([...inside, ...edges.flatMap(({ source, target }) => [source, target])], edges);
  }

  /** All flows that have to do with another one. */
  async ofTenant(actor: Actor): Promise<JsonObject> {
    const edges = await this.#edges(actor);
    return response(edges.flatMap(({ source, target }) => [source, target]), edges);
  }

  async #edges(actor: Actor): Promise<Edge[]> {
    const heads = this.#flows.select(actor, () => true);
    const byName = new Map(heads.map((head) => [nameOf(head), head]));
    const edges = new Map<string, Edge>();
    const add = (source: FlowHead, target: FlowHead | undefined, relation: Relation) => {
      if (target) edges.set(`${nameOf(source)} ${nameOf(target)} ${relation}`, { source, target, relation });
    };
    for (const head of heads) {
      const { starts, awaits } = await this.#linksOf(head);
      for (const key of starts) add(head, byName.get(nameOf(key)), "FLOW_TASK");
      for (const awaited of awaits) {
        for (const source of heads) if (isAwaited(source, awaited)) add(source, head, "FLOW_TRIGGER");
      }
    }
    return [...edges.values()];
  }

  /** A head is replaced with each revision, so that what is kept for it never is of another one. */
  async #linksOf(head: FlowHead): Promise<FlowLinks> {
    const known = this.#links.get(head);
    if (known) return known;
    const links = linksOf(await this.#flows.read(head));
    this.#links.set(head, links);
    return links;
  }
}

/**
 * What is reached from a flow, and by which edges: neighbours, or with `expandAll` also those of each of them. With
 * `destinationOnly` edges are followed one way; else both ways, so that what shares an origin is found, too.
 */
function follow(
  start: FlowHead,
  edges: readonly Edge[],
  { destinationOnly, expandAll }: DependencyOptions,
): Surroundings {
  const down = Map.groupBy(edges, ({ source }) => source);
  const up = destinationOnly ? new Map<FlowHead, Edge[]>() : Map.groupBy(edges, ({ target }) => target);
  const reached = new Set([start]), visited = new Set([start]), kept = new Set<Edge>();
  for (const head of visited) { // grows while it is walked
    for (const edge of [...down.get(head) ?? [], ...up.get(head) ?? []]) {
      const other = edge.source === head ? edge.target : edge.source;
      kept.add(edge);
      reached.add(other);
      if (expandAll) visited.add(other);
    }
  }
  return { reached, kept };
}

function response(heads: Iterable<FlowHead>, edges: Iterable<Edge>): JsonObject {
  return {
    nodes: [...new Set(heads)].map((head) => ({
      uid: nameOf(head),
      namespace: head.namespace,
      id: head.id,
    })),
    edges: [...edges].map(({ source, target, relation }) => ({
      source: nameOf(source),
      target: nameOf(target),
      relation,
    })),
  };
}

/** Names a flow within its tenant; neither part holds a slash. */
function nameOf({ namespace, id }: FlowKey): string {
  return `${namespace}/${id}`;
}
