/** Places the graph of a flow, as the API gives it: which nodes are drawn, where they are, and how edges run between them. */
import type { State } from "../../../model/executions/state.ts";
import { type LayerItem, type LayerPoint, placeLayers } from "./graph_layers.ts";

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

/** An edge; the nodes that it passes are not drawn. */
interface Edge {
  readonly source: string;
  readonly target: string;
  readonly relation?: FlowGraph["edges"][number]["relation"];
  readonly via?: readonly string[];
}

/** Direction of the graph: from left to right, or from top to bottom. */
export type Direction = "LR" | "TB";

const NODE_HEIGHT = 46;
const MIN_NODE_WIDTH = 130;
const MAX_NODE_WIDTH = 260;
const CHARACTER_WIDTH = 7.4;
/** Room for the mark and the padding; the ends of a trigger are round. */
const BESIDE_TEXT = { task: 54, trigger: 66 };
const POINT = 12;
const MARGIN = 16;
const CLUSTER_PADDING = 14;
const FIRST = "@root";
const LAST = "@end";

/** Places all parts of a graph. */
export function placeGraph(graph: FlowGraph, direction: Direction): PlacedGraph {
  const flow = withHandlersAtTasks(graph);
  const drawn = withoutJunctions(flow);
  const places = new Places(flow, new Set(drawn.nodes.map(({ uid }) => uid)), direction);
  const targets = Map.groupBy(drawn.edges, ({ source }) => source);
  return {
    ...places.size,
    nodes: drawn.nodes.map((node) => ({
      ...describe(node),
      next: targets.get(node.uid)?.map(({ target }) => target) ?? [],
      ...places.boxOf(node.uid),
    })),
    edges: drawn.edges.map((edge, index) => placedEdge(edge, index, places, direction)),
    clusters: flow.clusters.map(({ cluster }) => ({
      uid: cluster.uid,
      title: cluster.taskNode?.task.id ?? "",
      ...places.boxOf(cluster.uid),
    })),
  };
}

/**
 * The graph with the edges to `errors` of a flowable task at the task itself: from the first node of its cluster, they
 * would seem to come from the task before.
 */
function withHandlersAtTasks(graph: FlowGraph): FlowGraph {
  const uids = new Set(graph.nodes.map(({ uid }) => uid));
  const edges = graph.edges.map((edge) => {
    const task = edge.source.slice(0, -FIRST.length - 1);
    const isMoved = isFirst(edge.source) && edge.relation?.relationType === "ERROR" && uids.has(task);
    return isMoved ? { ...edge, source: task } : edge;
  });
  return { ...graph, edges };
}

/** True for the first node of a flow or of a cluster. */
function isFirst(uid: string): boolean {
  return uid.endsWith(`.${FIRST}`);
}

/**
 * The graph without the first and last nodes of clusters that only pass on one edge to one or many, or many to one: their
 * neighbours are joined.
 */
export function withoutJunctions({ nodes, edges }: FlowGraph): {
  readonly nodes: FlowGraph["nodes"];
  readonly edges: readonly Edge[];
} {
  let left: readonly Edge[] = edges;
  const removed = new Set<string>();
  for (const { uid } of nodes) {
    if (!isFirst(uid) && !uid.endsWith(`.${LAST}`)) continue;
    const before = left.filter(({ target }) => target === uid);
    const after = left.filter(({ source }) => source === uid);
    if (isOfFlow(uid) || (before.length > 1 && after.length > 1)) continue;
    removed.add(uid);
    const joined = before.flatMap((first) => after.map((second) => join(first, uid, second)));
    left = [...left.filter(({ source, target }) => source !== uid && target !== uid), ...joined];
  }
  return { nodes: nodes.filter(({ uid }) => !removed.has(uid)), edges: left };
}

/** The beginning and the end of the flow itself are always drawn. */
function isOfFlow(uid: string): boolean {
  return uid.split(".").length <= 2;
}

function join(first: Edge, junction: string, second: Edge): Edge {
  const relation = first.relation?.relationType ? first.relation : second.relation;
  const via = [...first.via ?? [], junction, ...second.via ?? []];
  return { source: first.source, target: second.target, relation, via };
}

/** The outermost scope; clusters have their uids. */
const WHOLE = "";

/** Where the parts of a graph are. Each cluster is placed by itself, then it is one box among those around it. */
class Places {
  readonly #direction: Direction;
  readonly #drawn: ReadonlySet<string>;
  readonly #nodes: ReadonlyMap<string, FlowGraph["nodes"][number]>;
  /** The clusters around a node or a cluster, innermost first. */
  readonly #scopes = new Map<string, readonly string[]>();
  readonly #members: ReadonlyMap<string, readonly string[]>;
  readonly #links: ReadonlyMap<string, readonly ScopedEdge[]>;
  readonly #boxes = new Map<string, Box>();
  /** Points between the ends of an edge, by source and target. */
  readonly #routes = new Map<string, readonly LayerPoint[]>();

  constructor(flow: FlowGraph, drawn: ReadonlySet<string>, direction: Direction) {
    this.#direction = direction;
    this.#drawn = drawn;
    this.#nodes = new Map(flow.nodes.map((node) => [node.uid, node]));
    for (const { cluster, nodes, parents } of flow.clusters) {
      const around = [...parents.toReversed(), WHOLE];
      this.#scopes.set(cluster.uid, around);
      for (const uid of nodes) this.#scopes.set(uid, [cluster.uid, ...around]);
    }
    const all = [...flow.nodes.map(({ uid }) => uid), ...flow.clusters.map(({ cluster }) => cluster.uid)];
    this.#members = Map.groupBy(all, (uid) => this.#around(uid)[0] ?? WHOLE);
    this.#links = Map.groupBy(flow.edges.map((edge) => this.#scoped(edge)), ({ scope }) => scope);
    this.#place(WHOLE, { along: MARGIN, across: MARGIN });
  }

  /** Size of the drawing. */
  get size(): { readonly width: number; readonly height: number } {
    const { width, height } = this.boxOf(WHOLE);
    return { width: width + 2 * MARGIN, height: height + 2 * MARGIN };
  }

  /** The box of a node or a cluster. */
  boxOf(uid: string): Box {
    return this.#boxes.get(uid) ?? { x: 0, y: 0, width: 0, height: 0 };
  }

  /** Points from one node to the next. */
  pointsBetween(source: string, target: string): Point[] {
    const between = this.#routes.get(routeKey(source, target)) ?? [];
    return [this.#end(source, 1), ...between.map((point) => this.#point(point)), this.#end(target, 0)];
  }

  #around(uid: string): readonly string[] {
    return this.#scopes.get(uid) ?? [WHOLE];
  }

  /** An edge between the parts of the innermost scope that holds both ends. */
  #scoped({ source, target }: Edge): ScopedEdge {
    const [from, to] = [[source, ...this.#around(source)], [target, ...this.#around(target)]];
    const scope = this.#around(source).find((each) => this.#around(target).includes(each)) ?? WHOLE;
    const partOf = (chain: readonly string[]) => chain[chain.indexOf(scope) - 1] ?? WHOLE;
    return { scope, source, target, from: partOf(from), to: partOf(to) };
  }

  #sizeOf(uid: string): LayerItem {
    const node = this.#nodes.get(uid);
    const layout = node ? undefined : this.#layoutOf(uid);
    const { width, height } = node ? sizeOf(node, this.#drawn.has(uid)) : layout?.size ?? {};
    const [along = 0, across = 0] = this.#direction === "TB" ? [height, width] : [width, height];
    return { key: uid, along, across, anchor: layout?.anchor };
  }

  readonly #layouts = new Map<string, ScopeLayout>();

  /** The parts of a scope, relative to it. */
  #layoutOf(scope: string): ScopeLayout {
    const known = this.#layouts.get(scope);
    if (known) return known;
    const links = this.#links.get(scope) ?? [];
    const items = (this.#members.get(scope) ?? []).map((uid) => this.#sizeOf(uid));
    const { along, across, centres, routes } = placeLayers(items, links);
    const padding = scope === WHOLE ? 0 : 2 * CLUSTER_PADDING;
    const [height, width] = this.#direction === "TB" ? [along, across] : [across, along];
    const size = { width: width + padding, height: height + padding };
    const [entry] = items;
    const anchor = (entry && centres.get(entry.key)?.across || 0) - across / 2;
    const layout = { size, items, links, centres, routes, anchor };
    this.#layouts.set(scope, layout);
    return layout;
  }

  /** Gives all parts of a scope their places, from its upper left corner. */
  #place(scope: string, corner: LayerPoint): void {
    const { size, items, links, centres, routes } = this.#layoutOf(scope);
    this.#boxes.set(scope, { ...this.#point(corner), ...size });
    const padding = scope === WHOLE ? 0 : CLUSTER_PADDING;
    const moved = ({ along, across }: LayerPoint) => ({
      along: corner.along + padding + along,
      across: corner.across + padding + across,
    });
    links.forEach(({ source, target }, index) =>
      this.#routes.set(routeKey(source, target), routes[index]?.map(moved) ?? [])
    );
    for (const { key, along, across } of items) {
      const centre = moved(centres.get(key) ?? { along: 0, across: 0 });
      const start = { along: centre.along - along / 2, across: centre.across - across / 2 };
      if (!this.#nodes.has(key)) this.#place(key, start);
      else this.#boxes.set(key, { ...this.#point(start), ...this.#extent(along, across) });
    }
  }

  /** Where edges begin (`side` 1) or end (0). */
  #end(uid: string, side: 0 | 1): Point {
    const { x, y, width, height } = this.boxOf(uid);
    return this.#direction === "TB"
      ? { x: x + width / 2, y: y + side * height }
      : { x: x + side * width, y: y + height / 2 };
  }

  #point({ along, across }: LayerPoint): Point {
    return this.#direction === "TB" ? { x: across, y: along } : { x: along, y: across };
  }

  #extent(along: number, across: number): Pick<Box, "width" | "height"> {
    return this.#direction === "TB" ? { width: across, height: along } : { width: along, height: across };
  }
}

type Point = Pick<Box, "x" | "y">;

/** An edge, and the parts of `scope` that hold its ends. */
interface ScopedEdge {
  readonly scope: string;
  readonly source: string;
  readonly target: string;
  readonly from: string;
  readonly to: string;
}

interface ScopeLayout extends Pick<ReturnType<typeof placeLayers>, "centres" | "routes"> {
  readonly size: Pick<Box, "width" | "height">;
  readonly items: readonly LayerItem[];
  readonly links: readonly ScopedEdge[];
  /** Where its first node is, from the centre across. */
  readonly anchor: number;
}

function routeKey(source: string, target: string): string {
  return `${source}→${target}`;
}

function sizeOf({ task, triggerDeclaration }: FlowGraph["nodes"][number], isDrawn: boolean) {
  const declared = task ?? triggerDeclaration;
  const point = isDrawn ? POINT : 0;
  if (!declared) return { width: point, height: point };
  const beside = task ? BESIDE_TEXT.task : BESIDE_TEXT.trigger;
  const longest = Math.max(declared.id.length, shortType(declared.type).length);
  const width = Math.min(MAX_NODE_WIDTH, Math.max(MIN_NODE_WIDTH, longest * CHARACTER_WIDTH + beside));
  return { width, height: NODE_HEIGHT };
}

/** The last part of a type. */
export function shortType(type: string): string {
  return type.slice(Math.max(type.lastIndexOf("."), type.lastIndexOf("$")) + 1);
}

function describe({ uid, task, triggerDeclaration, taskRun }: FlowGraph["nodes"][number]) {
  const declared = task ?? triggerDeclaration;
  return {
    uid,
    kind: task ? "task" as const : triggerDeclaration ? "trigger" as const : "point" as const,
    id: declared?.id ?? uid.slice(uid.lastIndexOf(".") + 1).replace("@", ""),
    type: declared?.type ?? "",
    state: taskRun?.state.current,
  };
}

function placedEdge(edge: Edge, index: number, places: Places, direction: Direction): PlacedEdge {
  const { source, target, relation, via = [] } = edge;
  const stops = [source, ...via, target];
  const points = stops.slice(1).flatMap((stop, at) => places.pointsBetween(stops[at] ?? source, stop));
  const type = relation?.relationType;
  const tone = type === "ERROR"
    ? "error"
    : type === "FINALLY" || type === "AFTER_EXECUTION"
    ? "late"
    : "plain";
  const [first, second] = points.slice(-2);
  return {
    key: `${routeKey(source, target)}#${index}`,
    path: pathOf(points, direction),
    tone,
    text: textOf(edge),
    x: ((first?.x ?? 0) + (second?.x ?? 0)) / 2,
    y: ((first?.y ?? 0) + (second?.y ?? 0)) / 2,
  };
}

/** The edge to the first task of a branch or of a handler has the text; those to the following tasks have none. */
function textOf({ source, target, relation }: Edge): string {
  const { relationType, value = "" } = relation ?? {};
  if (relationType !== "ERROR") return relationType === "SEQUENTIAL" ? "" : value;
  return isFirst(source) || target.startsWith(`${source}.`) ? "error" : "";
}

/** A curve that leaves and reaches each layer along the direction of the layers. */
function pathOf(points: readonly Point[], direction: Direction): string {
  const [start, ...rest] = points;
  if (!start) return "";
  let from = start;
  const parts = rest.map((to) => {
    const [dx, dy] = direction === "TB" ? [0, (to.y - from.y) / 2] : [(to.x - from.x) / 2, 0];
    const isStraight = direction === "TB" ? to.x === from.x : to.y === from.y;
    const bend = `C${pair(from.x + dx, from.y + dy)} ${pair(to.x - dx, to.y - dy)} `;
    from = to;
    return `${isStraight ? "L" : bend}${pair(to.x, to.y)}`;
  });
  return `M${pair(start.x, start.y)}${parts.join("")}`;
}

function pair(x: number, y: number): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
