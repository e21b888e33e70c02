/** Collects nodes, edges and clusters of one graph, in the form in which clients get them. */
import type { JsonObject } from "../../base/json.ts";
import type { Relation, RelationType } from "./relations.ts";

/** Names of node types that existing clients compare. */
const TYPE_PREFIX = "io.kestra.core.models.hierarchies.";

const CLUSTER_PREFIX = /^cluster_/;

/** A flow's graph as clients get it. */
export interface FlowGraph {
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
  /** Without that of the flow itself. */
  readonly clusters: readonly JsonObject[];
  /** Uids of flowable tasks. */
  readonly flowables: readonly string[];
}

/** A cluster to be drawn. */
interface ClusterFacts {
  readonly uid: string;
  /** Uids of the clusters around it, outermost first. */
  readonly parents: readonly string[];
  readonly relation: RelationType | undefined;
  /** The task it stands for. */
  readonly task: JsonObject | undefined;
}

/** What has been drawn so far. No uid is given twice: task ids hold no "@". */
export class GraphParts {
  readonly #nodes: JsonObject[] = [];
  readonly #edges: JsonObject[] = [];
  readonly #clusters: JsonObject[] = [];
  readonly #flowables: string[] = [];
  /** Uids of the nodes of each cluster. */
  readonly #members = new Map<string, string[]>();

  /** The cluster of the flow itself, which is not listed. */
  openRoot(uid: string): { first: string; last: string } {
    this.#members.set(uid, []);
    return this.#addEnds(uid);
  }

  /** Adds a cluster with its first and last node. */
  openCluster({ uid, parents, relation, task }: ClusterFacts): { first: string; last: string } {
    const nodes: string[] = [];
    this.#members.set(uid, nodes);
    const ends = this.#addEnds(uid);
    const cluster: JsonObject = { uid, type: `${TYPE_PREFIX}GraphCluster` };
    if (relation) cluster.relationType = relation;
    if (task) {
      cluster.taskNode = { uid: uid.replace(CLUSTER_PREFIX, ""), type: `${TYPE_PREFIX}GraphTask`, task };
    }
    const { first: start, last: end } = ends;
    this.#clusters.push({ cluster, nodes, parents: [...parents], start, end });
    return ends;
  }

  /** Adds a node to a cluster; its uid. */
  addNode(cluster: string, uid: string, type: string, facts: JsonObject = {}): string {
    this.#nodes.push({ uid, type: TYPE_PREFIX + type, ...facts });
    this.#members.get(cluster)?.push(uid);
    return uid;
  }

  /** Adds the node before tasks that run in any case; its uid. */
  addGate(cluster: string, uid: string, name: "finally" | "afterExecution"): string {
    const type = name === "finally" ? "GraphClusterFinally" : "GraphClusterAfterExecution";
    return this.addNode(cluster, `${uid}.@${name}`, type);
  }

  /** Adds an edge. */
  addEdge(source: string, target: string, relation?: Relation): void {
    this.#edges.push({ source, target, relation: { ...relation } });
  }

  /** Notes a flowable task. */
  addFlowable(uid: string): void {
    this.#flowables.push(uid);
  }

  /** All of it. */
  result(): FlowGraph {
    return {
      nodes: this.#nodes,
      edges: this.#edges,
      clusters: this.#clusters,
      flowables: this.#flowables,
    };
  }

  #addEnds(cluster: string): { first: string; last: string } {
    const base = cluster.replace(CLUSTER_PREFIX, "");
    const first = this.addNode(cluster, `${base}.@root`, "GraphClusterRoot");
    const last = this.addNode(cluster, `${base}.@end`, "GraphClusterEnd");
    return { first, last };
  }
}
