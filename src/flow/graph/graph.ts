/**
 * A flow as a graph: nodes for tasks and triggers, a cluster for each flowable task, edges in execution order. Every
 * cluster has a first and a last node, so that it can be drawn and folded as one node.
 */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import type { TaskRun } from "../../model/executions/execution.ts";
import type { Flow, Task } from "../../model/flows/flow.ts";
import type { DrawnRuns, DrawnValue, RunPlace } from "./drawn_runs.ts";
import {
  blocksOf,
  type FlowGraph,
  GraphParts,
  type Relation,
  relationOf,
  type RelationType,
  SUBFLOW_KINDS,
} from "./parts.ts";

/** The parts of a flow that the graph shows. */
export interface DrawnFlow
  extends Pick<Flow, "tasks" | "errors" | "finally" | "afterExecution" | "triggers"> {
  /** JSON of the states of its triggers, by id. */
  readonly triggerStates?: ReadonlyMap<string, JsonObject>;
}

interface GraphOptions {
  /** Flows to draw instead of the task that starts them, by the uid of its node. */
  readonly subflows?: ReadonlyMap<string, DrawnFlow>;
  /** The task runs of an execution of the flow: nodes show them, each task of a loop has a node for each value. */
  readonly runs?: DrawnRuns;
  /** Draws a cluster for each value of a loop instead. */
  readonly hasValueClusters?: boolean;
}

/** Uid of the flow; the uids of its tasks begin with it. */
export const ROOT_UID = "root";

/** The cluster and the uid below which something is drawn. */
interface Place {
  readonly cluster: string;
  readonly parents: readonly string[];
  readonly uid: string;
  /** What the uids of its nodes end with: the values of the loops around it. */
  readonly suffix: string;
  /** Absent where the execution has no task runs. */
  readonly run?: RunPlace;
}

interface Ends {
  readonly first: string;
  readonly last: string;
}

/** Tasks between two nodes; `relation` is that of the edge to the first task. */
interface Group {
  readonly place: Place;
  readonly from: string;
  readonly to: string;
  /** Absent for the tasks of a flow. */
  readonly relation?: Relation;
}

/** Values of loops in one graph; further ones are counted at their loop. */
const MAX_DRAWN_VALUES = 500;
/** Of a value in a uid. */
const MAX_VALUE_CHARS = 200;

/** The graph of a flow. */
export function flowGraph(flow: DrawnFlow, options: GraphOptions = {}): FlowGraph {
  return new Drawing(options).draw(flow);
}

class Drawing {
  readonly #parts = new GraphParts();
  readonly #subflows: ReadonlyMap<string, DrawnFlow>;
  readonly #runs: DrawnRuns | undefined;
  readonly #hasValueClusters: boolean;
  /** Uids of loops with the suffixes of their values, which may begin alike. */
  readonly #suffixes = new Set<string>();
  #valuesLeft = MAX_DRAWN_VALUES;

  constructor({ subflows = new Map(), runs, hasValueClusters = false }: GraphOptions) {
    this.#subflows = subflows;
    this.#runs = runs;
    this.#hasValueClusters = hasValueClusters;
  }

  draw(flow: DrawnFlow): FlowGraph {
    const place: Place = { cluster: ROOT_UID, parents: [], uid: ROOT_UID, suffix: "", run: {} };
    const ends = this.#parts.openRoot(ROOT_UID);
    this.#flow(flow, place, { ...ends, from: ends.first });
    return this.#parts;
  }

  /** Draws the blocks of a flow between a node and the end of its cluster. */
  #flow(flow: DrawnFlow, place: Place, { first, last, from }: Ends & { readonly from: string }): void {
    const after = this.#gate(place, "afterExecution", flow.afterExecution, last);
    const end = this.#gate(place, "finally", flow.finally, after);
    this.#triggers(flow, place, first);
    this.#chain(flow.tasks, { place, from, to: end });
    this.#chain(flow.errors, { place, from: first, to: end, relation: relationOf("ERROR") });
    this.#chain(flow.finally, { place, from: end, to: after, relation: relationOf("FINALLY") });
    const relation = relationOf("AFTER_EXECUTION");
    this.#chain(flow.afterExecution, { place, from: after, to: last, relation });
  }

  /** The node before a block; `next` when the block is empty. */
  #gate(place: Place, name: "finally" | "afterExecution", tasks: readonly Task[], next: string): string {
    return tasks.length === 0 ? next : this.#parts.addGate(place.cluster, place.uid + place.suffix, name);
  }

  #triggers(flow: DrawnFlow, place: Place, to: string): void {
    if (flow.triggers.length === 0) return;
    const uid = `${place.uid}${place.suffix}.${triggersName(flow)}`;
    const cluster = `cluster_${uid}`;
    const { first, last } = this.#parts.openCluster({ uid: cluster, parents: ancestors(place) });
    for (const { id, properties } of flow.triggers) {
      const state = flow.triggerStates?.get(id);
      const facts = { triggerDeclaration: properties, ...(state && { trigger: state }) };
      const node = this.#parts.addNode(cluster, `${uid}.${id}`, "GraphTrigger", facts);
      this.#parts.addEdge(first, node);
      this.#parts.addEdge(node, last);
    }
    this.#parts.addEdge(last, to);
  }

  #chain(tasks: readonly Task[], { place, from, to, relation }: Group): void {
    let previous = from;
    const type = relation?.relationType;
    const isBranch = type === undefined || type === "CHOICE";
    const following = isBranch ? relationOf("SEQUENTIAL", relation?.value) : relation;
    for (const [index, task] of tasks.entries()) {
      const { first, last } = this.#task(task, place, BLOCK_TYPES.has(type) ? type : undefined);
      this.#parts.addEdge(previous, first, index === 0 ? relation : following);
      previous = last;
    }
    if (tasks.length > 0) this.#parts.addEdge(previous, to);
  }

  #parallel(tasks: readonly Task[], { place, from, to, relation }: Group): void {
    for (const task of tasks) {
      const { first, last } = this.#task(task, place, "PARALLEL");
      this.#parts.addEdge(from, first, relation);
      this.#parts.addEdge(last, to);
    }
  }

  #dag(tasks: readonly Task[], { place, from, to, relation }: Group): void {
    const drawn = new Map(tasks.map((task) => [task.id, this.#task(task, place)]));
    const needed = new Set(tasks.flatMap(({ dependsOn = [] }) => dependsOn));
    for (const { id, dependsOn = [] } of tasks) {
      const ends = drawn.get(id) as Ends;
      const before = dependsOn.flatMap((name) => drawn.get(name) ?? []);
      for (const { last } of before) this.#parts.addEdge(last, ends.first, relation);
      if (before.length === 0) this.#parts.addEdge(from, ends.first, relation);
      if (!needed.has(id)) this.#parts.addEdge(ends.last, to);
    }
  }

  #task(task: Task, place: Place, relationType: RelationType = "SEQUENTIAL"): Ends {
    const uid = `${place.uid}.${task.id}`;
    const subflow = this.#subflows.get(uid);
    if (subflow) return this.#subflow(task, subflow, { ...place, uid });
    const isSubflow = SUBFLOW_KINDS.has(task.kind);
    const hasTasks = [...blocksOf(task).values()].some((tasks) => tasks.length > 0);
    if (hasTasks) return this.#flowable(task, { ...place, uid });
    const type = isSubflow ? "SubflowGraphTask" : "GraphTask";
    const facts = { ...this.#facts(task, this.#runOf(task, place)), relationType };
    const node = this.#parts.addNode(place.cluster, uid + place.suffix, type, facts);
    return { first: node, last: node };
  }

  #flowable(task: Task, place: Place): Ends {
    const { uid, suffix } = place;
    const node = uid + suffix;
    const taskRun = this.#runOf(task, place);
    const run = taskRun && { parent: taskRun.ordinal };
    const inner: Place = { cluster: `cluster_${node}`, parents: ancestors(place), uid, suffix, run };
    const { relation, layout } = LAYOUTS.get(task.kind) ?? SEQUENCE;
    const values = taskRun && LOOPS.has(task.kind) ? this.#valuesOf(taskRun) : undefined;
    const hidden: JsonObject = values?.hidden ? { hiddenValues: values.hidden } : {};
    const ends = this.#open(task, inner, { relation, facts: { ...this.#facts(task, taskRun), ...hidden } });
    this.#parts.flowables.push(node);
    const last = this.#gate(inner, "finally", task.blocks.get("finally") ?? [], ends.last);
    for (const [name, tasks] of blocksOf(task)) {
      const group = { place: inner, from: node, to: last };
      if (name === "errors") {
        this.#chain(tasks, { ...group, from: ends.first, relation: relationOf("ERROR") });
      } else if (name === "finally") {
        this.#chain(tasks, { ...group, from: last, to: ends.last, relation: relationOf("FINALLY") });
      } else if (values?.shown.length && this.#hasValueClusters) {
        this.#valueClusters(task, tasks, { ...group, values: values.shown });
      } else if (values?.shown.length) this.#values(task, tasks, { ...group, values: values.shown });
      else if (layout === "parallel") this.#parallel(tasks, { ...group, relation: relationOf(relation) });
      else if (layout === "dag") this.#dag(tasks, { ...group, relation: relationOf(relation) });
      else this.#chain(tasks, { ...group, relation: relationOf(relation, branchName(relation, name)) });
    }
    return ends;
  }

  #subflow(task: Task, flow: DrawnFlow, place: Place): Ends {
    const { uid, suffix } = place;
    const inner: Place = { cluster: `cluster_${uid}${suffix}`, parents: ancestors(place), uid, suffix };
    const facts = this.#facts(task, this.#runOf(task, place));
    const ends = this.#open(task, inner, { relation: "SEQUENTIAL", isSubflow: true, facts });
    this.#flow(flow, inner, { ...ends, from: uid + suffix });
    return ends;
  }

  /** Draws each task for each value: one after the other, or beside each other. The edge to a node is labelled with its value. */
  #values(task: Task, tasks: readonly Task[], { place, from, to, values }: ValueGroup): void {
    const isParallel = isConcurrent(task);
    const begun = values.map((drawn) => {
      const run = { parent: place.run?.parent, iteration: drawn.iteration };
      return { at: { ...place, suffix: this.#suffixOf(drawn, place), run }, value: drawn.value };
    });
    const notBegun = [{ at: { ...place, run: undefined }, value: undefined }];
    let previous = from;
    for (const [index, inner] of tasks.entries()) {
      const nodes = begun.filter(({ at }) => this.#runOf(inner, at));
      for (const { at, value } of nodes.length === 0 ? notBegun : nodes) {
        const { first, last } = this.#task(inner, at, isParallel ? "PARALLEL" : "SEQUENTIAL");
        this.#parts.addEdge(previous, first, relationOf("DYNAMIC", value));
        if (isParallel || index === tasks.length - 1) this.#parts.addEdge(last, to);
        if (!isParallel) previous = last;
      }
    }
  }

  /** The suffix of the nodes of a value; with its iteration, if another value begins alike. */
  #suffixOf({ iteration, value }: DrawnValue, place: Place): string {
    let suffix = `${place.suffix}_${value.slice(0, MAX_VALUE_CHARS)}`;
    while (this.#suffixes.has(place.uid + suffix)) suffix += `@${iteration}`;
    this.#suffixes.add(place.uid + suffix);
    return suffix;
  }

  /** Draws a cluster for each value: one after the other, or beside each other. The edge to a value is labelled with it. */
  #valueClusters(task: Task, tasks: readonly Task[], { place, from, to, values }: ValueGroup): void {
    const { layout } = LAYOUTS.get(task.kind) ?? SEQUENCE;
    const isParallel = isConcurrent(task);
    let previous = from;
    for (const { iteration, value } of values) {
      const uid = `${place.uid}@${iteration}`;
      const cluster = `cluster_${uid}`;
      const parents = ancestors(place);
      const run = { parent: place.run?.parent, iteration };
      const ends = this.#parts.openCluster({ uid: cluster, parents, relation: "DYNAMIC" });
      this.#parts.addEdge(isParallel ? from : previous, ends.first, relationOf("DYNAMIC", value));
      const group = { place: { cluster, parents, uid, suffix: "", run }, from: ends.first, to: ends.last };
      if (layout === "parallel") this.#parallel(tasks, { ...group, relation: relationOf("PARALLEL") });
      else this.#chain(tasks, { ...group, relation: relationOf("SEQUENTIAL") });
      if (isParallel) this.#parts.addEdge(ends.last, to);
      previous = ends.last;
    }
    if (!isParallel) this.#parts.addEdge(previous, to);
  }

  /** The values of a loop that fit into the graph, and the number of the others. */
  #valuesOf(taskRun: TaskRun): { readonly shown: readonly DrawnValue[]; readonly hidden: number } {
    const values = this.#runs?.valuesOf(taskRun) ?? [];
    const shown = values.slice(0, this.#valuesLeft);
    this.#valuesLeft -= shown.length;
    return { shown, hidden: values.length - shown.length };
  }

  #runOf({ id }: Task, { run }: Place): TaskRun | undefined {
    return run && this.#runs?.find(id, run);
  }

  #facts(task: Task, taskRun: TaskRun | undefined): JsonObject {
    const shown = taskRun && this.#runs?.jsonOf(taskRun);
    return { task: task.properties, ...(shown && { taskRun: shown }) };
  }

  /** Opens the cluster of a task; the node of the task follows the first node. */
  #open(
    task: Task,
    { cluster, parents, uid, suffix }: Place,
    { relation, facts, isSubflow = false }: {
      readonly relation: RelationType;
      readonly facts: JsonObject;
      readonly isSubflow?: boolean;
    },
  ): Ends {
    const { properties } = task;
    const ends = this.#parts.openCluster({ uid: cluster, parents, relation, task: properties, isSubflow });
    const type = isSubflow ? "SubflowGraphTask" : "GraphTask";
    const node = this.#parts.addNode(cluster, uid + suffix, type, { ...facts, relationType: relation });
    this.#parts.addEdge(ends.first, node);
    return ends;
  }
}

/** Blocks whose nodes name the block; others are in a sequence. */
const BLOCK_TYPES: ReadonlySet<RelationType | undefined> = new Set([
  "ERROR",
  "FINALLY",
  "AFTER_EXECUTION",
]);

/** What the uid of the triggers of a flow ends with. Existing clients know the first; the uid of a task never contains "@". */
function triggersName({ tasks, errors, finally: last, afterExecution }: DrawnFlow): string {
  const isTaken = [tasks, errors, last, afterExecution].some((block) =>
    block.some(({ id }) => id === "Triggers")
  );
  return isTaken ? "@triggers" : "Triggers";
}

/** The values of a loop between two nodes. */
interface ValueGroup extends Omit<Group, "relation"> {
  readonly values: readonly DrawnValue[];
}

/** Loops whose task runs name the values. */
const LOOPS: ReadonlySet<string> = new Set([
  "core.flow.ForEach",
  "core.flow.EachSequential",
  "core.flow.EachParallel",
]);

/** True if several values run at the same time; an expression is taken for a limit above 1. */
function isConcurrent({ kind, properties }: Task): boolean {
  return LAYOUTS.get(kind)?.layout === "parallel" ||
    Number(ownProperty(properties, "concurrencyLimit") ?? 1) !== 1;
}

interface Layout {
  readonly relation: RelationType;
  readonly layout: "chain" | "parallel" | "dag";
}

const SEQUENCE: Layout = { relation: "SEQUENTIAL", layout: "chain" };
/** Layout of the tasks within a flowable task, by its kind; others are a {@link SEQUENCE}. */
const LAYOUTS: ReadonlyMap<string, Layout> = new Map<string, Layout>([
  ["core.flow.Parallel", { relation: "PARALLEL", layout: "parallel" }],
  ["core.flow.EachParallel", { relation: "DYNAMIC", layout: "parallel" }],
  ["core.flow.EachSequential", { relation: "DYNAMIC", layout: "chain" }],
  ["core.flow.ForEach", { relation: "DYNAMIC", layout: "chain" }],
  ["core.flow.Loop", { relation: "DYNAMIC", layout: "chain" }],
  ["core.flow.Dag", { relation: "PARALLEL", layout: "dag" }],
  ["core.flow.If", { relation: "CHOICE", layout: "chain" }],
  ["core.flow.Switch", { relation: "CHOICE", layout: "chain" }],
]);

/** The ancestor clusters of a place, without that of the flow itself. */
function ancestors({ cluster, parents }: Place): string[] {
  return cluster === ROOT_UID ? [] : [...parents, cluster];
}

/** Name of a branch: `then`, `else`, `defaults`, or the value of a case. */
function branchName(relation: RelationType, block: string): string | undefined {
  return relation === "CHOICE" ? block.replace(/^cases\./, "") : undefined;
}

/** The graph as JSON of the API. */
export function graphResponse({ nodes, edges, clusters, flowables }: FlowGraph): JsonObject {
  return { nodes: [...nodes], edges: [...edges], clusters: [...clusters], flowables: [...flowables] };
}
