/** Nodes, edges and clusters of one graph, in the form of the API. */
import type { JsonObject } from "../../base/json.ts";
import { illegalArgument } from "../../model/errors.ts";
import { FOR_EACH_ITEM, ITEM_PARTS, itemParts } from "../../model/executions/for_each_item.ts";
import type { Task } from "../../model/flows/flow.ts";

/** How a task follows the one before it. */
export type RelationType =
  | "SEQUENTIAL"
  | "PARALLEL"
  | "CHOICE"
  | "DYNAMIC"
  | "ERROR"
  | "FINALLY"
  | "AFTER_EXECUTION";

/** What an edge means. */
export interface Relation {
  readonly relationType: RelationType;
  /** Name of a branch. */
  readonly value?: string;
}

/** Kinds of tasks in whose place another flow can be drawn. */
export const SUBFLOW_KINDS: ReadonlySet<string> = new Set(["core.flow.Subflow", ITEM_PARTS.items]);

/** The tasks within a task by block; a ForEachItem has its parts, too. */
export function blocksOf(task: Task): ReadonlyMap<string, readonly Task[]> {
  if (task.kind !== FOR_EACH_ITEM) return task.blocks;
  return new Map([["tasks", itemParts(task).map(shownPart)], ...task.blocks]);
}

/** Members of a ForEachItem that its parts do not show. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(["id", "type", "errors", "finally"]);

function shownPart(part: Task): Task {
  const { id, type } = part;
  const members = Object.entries(part.properties).filter(([name, value]) =>
    !OWN_MEMBERS.has(name) && value !== null
  );
  return { ...part, properties: { id, type, ...Object.fromEntries(members) } };
}

/** Creates a relation; `value` is the name of a branch. */
export function relationOf(relationType: RelationType, value?: string): Relation {
  return value === undefined ? { relationType } : { relationType, value };
}

/** Names of node types that existing clients compare. */
const TYPE_PREFIX = "io.kestra.core.models.hierarchies.";

const CLUSTER_PREFIX = /^cluster_/;
/** Of the uids of a graph, each of which has those around it: few tasks with long ids within each other are gigabytes. */
const MAX_UID_CHARS = 32 * 1024 * 1024;

/** The graph of a flow. */
export interface FlowGraph {
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
  /** All but the cluster of the flow itself. */
  readonly clusters: readonly JsonObject[];
  /** Uids of flowable tasks. */
  readonly flowables: readonly string[];
}

interface ClusterFacts {
  readonly uid: string;
  /** Uids of its ancestor clusters, outermost first. */
  readonly parents: readonly string[];
  readonly relation?: RelationType;
  /** The task of the cluster; absent for the triggers of a flow and for a value of a loop. */
  readonly task?: JsonObject;
  /** The cluster shows the flow that the task starts. */
  readonly isSubflow?: boolean;
}

/** Builder of a graph. */
export class GraphParts implements FlowGraph {
  readonly nodes: JsonObject[] = [];
  readonly edges: JsonObject[] = [];
  readonly clusters: JsonObject[] = [];
  readonly flowables: string[] = [];
  /** Uids of the nodes of each cluster. */
  readonly #members = new Map<string, string[]>();
  #uidChars = 0;

  /** Adds the first and last node of the flow itself, whose cluster is not listed. */
  openRoot(uid: string): { first: string; last: string } {
    this.#members.set(uid, []);
    return this.#addEnds(uid);
  }

  /** Adds a cluster with its first and last node. @throws DomainError as {@link addNode} */
  openCluster(
    { uid, parents, relation, task, isSubflow = false }: ClusterFacts,
  ): { first: string; last: string } {
    const nodes: string[] = [];
    this.#members.set(uid, nodes);
    const ends = this.#addEnds(uid);
    const cluster: JsonObject = { uid, type: `${TYPE_PREFIX}${isSubflow ? "Subflow" : ""}GraphCluster` };
    if (relation) cluster.relationType = relation;
    if (task) {
      const type = `${TYPE_PREFIX}${isSubflow ? "Subflow" : ""}GraphTask`;
      cluster.taskNode = { uid: uid.replace(CLUSTER_PREFIX, ""), type, task };
    }
    const { first: start, last: end } = ends;
    for (const parent of parents) this.#count(parent);
    this.clusters.push({ cluster, nodes, parents: [...parents], start, end });
    return ends;
  }

  /** Adds a node to a cluster; returns its uid. @throws DomainError invalid_argument: the graph is too large */
  addNode(cluster: string, uid: string, type: string, facts: JsonObject = {}): string {
    this.#count(uid, uid);
    this.nodes.push({ uid, type: TYPE_PREFIX + type, ...facts });
    this.#members.get(cluster)?.push(uid);
    return uid;
  }

  /** Adds the node before a `finally` or `afterExecution` block; returns its uid. */
  addGate(cluster: string, uid: string, name: "finally" | "afterExecution"): string {
    const type = name === "finally" ? "GraphClusterFinally" : "GraphClusterAfterExecution";
    return this.addNode(cluster, `${uid}.@${name}`, type);
  }

  /** Adds an edge. @throws DomainError as {@link addNode} */
  addEdge(source: string, target: string, relation?: Relation): void {
    this.#count(source, target);
    this.edges.push({ source, target, relation: { ...relation } });
  }

  #count(...uids: readonly string[]): void {
    for (const { length } of uids) this.#uidChars += length;
    if (this.#uidChars <= MAX_UID_CHARS) return;
    throw illegalArgument(
      "Can't draw the flow because its graph is too large: use shorter ids or fewer levels.",
    );
  }

  #addEnds(cluster: string): { first: string; last: string } {
    const base = cluster.replace(CLUSTER_PREFIX, "");
    const first = this.addNode(cluster, `${base}.@root`, "GraphClusterRoot");
    const last = this.addNode(cluster, `${base}.@end`, "GraphClusterEnd");
    return { first, last };
  }
}
