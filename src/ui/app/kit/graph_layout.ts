/** Places the graph of a flow, as the API gives it: which nodes are drawn, where they are, and how edges run between them. */
import { Graph, layout } from "@dagrejs/dagre";
import type { State } from "../../../model/executions/state.ts";

/** The graph of a flow or an execution in a response. */
export interface FlowGraph {
  readonly nodes: readonly {
    readonly uid: string;
    readonly task?: { readonly id: string; readonly type: string };
    readonly triggerDeclaration?: { readonly id: string; readonly type: string };
    readonly taskRun?: { readonly state: { readonly current: State } };
  }[];
  readonly edges: readonly {
    readonly source: string;
    readonly target: string;
    readonly relation?: { readonly relationType?: string; readonly value?: string };
  }[];
  readonly clusters: readonly {
    readonly cluster: {
      readonly uid: string;
      readonly taskNode?: { readonly task: { readonly id: string } };
    };
    /** Uids of its own nodes, without those of clusters within. */
    readonly nodes: readonly string[];
    /** Uids of the clusters around it, outermost first. */
    readonly parents: readonly string[];
  }[];
}

/** A rectangle; `x` and `y` are its upper left corner. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A node with its place. Points are the beginning, the end and the junctions of a flow. */
export interface PlacedNode extends Box {
  readonly uid: string;
  readonly kind: "task" | "trigger" | "point";
  /** Id of the task or trigger. */
  readonly id: string;
  readonly type: string;
  readonly state?: State;
  /** Uids of the nodes that follow. */
  readonly next: readonly string[];
}

/** A frame around the tasks of a flowable task. */
interface PlacedCluster extends Box {
  readonly uid: string;
  readonly title: string;
}

/** An edge as an SVG path; its text stands at (`x`, `y`). */
interface PlacedEdge {
  readonly key: string;
  readonly path: string;
  readonly tone: "plain" | "error" | "late";
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

/** A graph that can be drawn. */
export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly clusters: readonly PlacedCluster[];
}

type Edge = FlowGraph["edges"][number];

/** Direction of the graph: from left to right, or from top to bottom. */
export type Direction = "LR" | "TB";

const NODE_HEIGHT = 46;
const MIN_NODE_WIDTH = 130;
const MAX_NODE_WIDTH = 260;
const CHARACTER_WIDTH = 7.4;
const POINT = 12;
const MARGIN = 16;
const FIRST = "@root";
const LAST = "@end";

/** Places all parts of a graph. */
export function placeGraph(flow: FlowGraph, direction: Direction): PlacedGraph {
  const { nodes, edges } = withoutJunctions(flow);
  const graph = new Graph({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 22, ranksep: 38, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.uid, sizeOf(node));
  nestClusters(graph, flow);
  edges.forEach((edge, index) => {
    const text = textOf(edge);
    const label = { width: text.length * CHARACTER_WIDTH, height: text === "" ? 0 : 14, labelpos: "c" };
    graph.setEdge(edge.source, edge.target, label, String(index));
  });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: nodes.map((node) => placedNode(node, graph, edges)),
    edges: edges.map((edge, index) => placedEdge(edge, graph, index)),
    clusters: flow.clusters.filter(({ cluster }) => graph.hasNode(cluster.uid)).map(({ cluster }) => ({
      uid: cluster.uid,
      title: cluster.taskNode?.task.id ?? "",
      ...boxOf(graph.node(cluster.uid)),
    })),
  };
}

/**
 * The graph without the first and last nodes of clusters that only pass on one edge to one or many, or many to one: their
 * neighbours are joined.
 */
export function withoutJunctions({ nodes, edges }: FlowGraph): Pick<FlowGraph, "nodes" | "edges"> {
  let left = [...edges];
  const removed = new Set<string>();
  for (const { uid } of nodes) {
    if (!uid.endsWith(`.${FIRST}`) && !uid.endsWith(`.${LAST}`)) continue;
    const before = left.filter(({ target }) => target === uid);
    const after = left.filter(({ source }) => source === uid);
    if (isOfFlow(uid) || (before.length > 1 && after.length > 1)) continue;
    removed.add(uid);
    const joined = before.flatMap((first) => after.map((second) => join(first, second)));
    left = [...left.filter(({ source, target }) => source !== uid && target !== uid), ...joined];
  }
  return { nodes: nodes.filter(({ uid }) => !removed.has(uid)), edges: left };
}

/** The beginning and the end of the flow itself are always drawn. */
function isOfFlow(uid: string): boolean {
  return uid.split(".").length <= 2;
}

function join(first: Edge, second: Edge): Edge {
  const relation = first.relation?.relationType ? first.relation : second.relation;
  return { source: first.source, target: second.target, relation };
}

function nestClusters(graph: Graph, { clusters }: FlowGraph): void {
  for (const { cluster, nodes } of clusters) {
    if (nodes.some((uid) => graph.hasNode(uid))) graph.setNode(cluster.uid, {});
  }
  for (const { cluster, nodes, parents } of clusters) {
    if (!graph.hasNode(cluster.uid)) continue;
    const parent = parents.findLast((uid) => graph.hasNode(uid));
    if (parent !== undefined) graph.setParent(cluster.uid, parent);
    for (const uid of nodes) if (graph.hasNode(uid)) graph.setParent(uid, cluster.uid);
  }
}

function sizeOf({ uid, task, triggerDeclaration }: FlowGraph["nodes"][number]) {
  const declared = task ?? triggerDeclaration;
  if (!declared) return { width: POINT, height: POINT, uid };
  const longest = Math.max(declared.id.length, shortType(declared.type).length);
  const width = Math.min(MAX_NODE_WIDTH, Math.max(MIN_NODE_WIDTH, longest * CHARACTER_WIDTH + 52));
  return { width, height: NODE_HEIGHT, uid };
}

/** The last part of a type. */
export function shortType(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

function placedNode(node: FlowGraph["nodes"][number], graph: Graph, edges: readonly Edge[]): PlacedNode {
  const { uid, task, triggerDeclaration, taskRun } = node;
  const declared = task ?? triggerDeclaration;
  return {
    uid,
    kind: task ? "task" : triggerDeclaration ? "trigger" : "point",
    id: declared?.id ?? uid.slice(uid.lastIndexOf(".") + 1).replace("@", ""),
    type: declared?.type ?? "",
    state: taskRun?.state.current,
    next: edges.filter(({ source }) => source === uid).map(({ target }) => target),
    ...boxOf(graph.node(uid)),
  };
}

/** The layout gives centres. */
function boxOf({ x = 0, y = 0, width = 0, height = 0 }: Partial<Box>): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function placedEdge(edge: Edge, graph: Graph, index: number): PlacedEdge {
  const { points = [], x = 0, y = 0 } = graph.edge(edge.source, edge.target, String(index)) as {
    points?: { x: number; y: number }[];
    x?: number;
    y?: number;
  };
  const type = edge.relation?.relationType;
  const tone = type === "ERROR"
    ? "error"
    : type === "FINALLY" || type === "AFTER_EXECUTION"
    ? "late"
    : "plain";
  return {
    key: `${edge.source}→${edge.target}#${index}`,
    path: pathOf(points),
    tone,
    text: textOf(edge),
    x,
    y,
  };
}

function textOf({ relation }: Edge): string {
  if (relation?.value !== undefined) return relation.value;
  return relation?.relationType === "ERROR" ? "error" : "";
}

/** A line through the points, rounded at each. */
function pathOf(points: readonly { readonly x: number; readonly y: number }[]): string {
  const [start, ...rest] = points;
  const end = rest.at(-1);
  if (!start || !end) return "";
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? end;
    return `Q${round(point.x)} ${round(point.y)} ${round((point.x + next.x) / 2)} ${
      round((point.y + next.y) / 2)
    }`;
  });
  return `M${round(start.x)} ${round(start.y)}${bends.join("")}L${round(end.x)} ${round(end.y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
