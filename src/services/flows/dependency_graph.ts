/** The edges between the flows of a tenant. Each is found when it is asked for: with N flows there may be N² of them. */
import type { FlowHead } from "../../store/records/flow_records.ts";
import { type AwaitedFlows, isAwaited, onlyFlowsOf } from "./awaited_flows.ts";
import { flowName } from "./flow_heads.ts";
import type { FlowLinks } from "./flow_links.ts";

/** A flow, and its place among those of the graph. */
export interface FlowNode {
  readonly head: FlowHead;
  readonly name: string;
  readonly index: number;
}

/** `target` runs because of `source`. */
export interface Edge {
  readonly source: FlowNode;
  readonly target: FlowNode;
  readonly relation: "FLOW_TASK" | "FLOW_TRIGGER";
}

/** Edges, with `undefined` for each comparison that gave none: a caller can pause in long runs without an edge. */
type EdgeSteps = Generator<Edge | undefined>;

/** What a trigger waits for, and the only flows that can fire it if it names them. */
interface Awaiting {
  readonly awaited: AwaitedFlows;
  readonly named?: readonly FlowNode[];
}

/** The links of flows both ways. An edge may come more than once. */
export class DependencyGraph {
  /** In the order of the heads. */
  readonly nodes: readonly FlowNode[];
  readonly #byName: ReadonlyMap<string, FlowNode>;
  readonly #all: ReadonlySet<FlowNode>;
  readonly #starts: FlowNode[][] = [];
  readonly #awaits: Awaiting[][] = [];
  /** Flows whose tasks start a flow, and those whose triggers name it. */
  readonly #startedBy = new Map<FlowNode, FlowNode[]>();
  readonly #namedBy = new Map<FlowNode, FlowNode[]>();
  /** Flows with a trigger that any flow may fire. */
  readonly #open: FlowNode[] = [];

  constructor(heads: readonly FlowHead[]) {
    this.nodes = heads.map((head, index) => ({ head, name: flowName(head), index }));
    this.#byName = new Map(this.nodes.map((node) => [node.name, node]));
    this.#all = new Set(this.nodes);
  }

  /** The flow with that name, as `namespace/id`. */
  named(name: string): FlowNode | undefined {
    return this.#byName.get(name);
  }

  /** Adds the links of the next node; to be called for each node in order. */
  add(node: FlowNode, { starts, awaits }: FlowLinks): void {
    const targets = starts.flatMap((key) => this.named(flowName(key)) ?? []);
    const awaitings = awaits.map((awaited) => {
      const named = onlyFlowsOf(awaited)?.flatMap((key) => this.named(flowName(key)) ?? []);
      return { awaited, named };
    });
    this.#starts.push(targets);
    this.#awaits.push(awaitings);
    for (const target of targets) addTo(this.#startedBy, target, node);
    for (const { named = [] } of awaitings) for (const source of named) addTo(this.#namedBy, source, node);
    if (awaitings.some(({ named }) => !named)) this.#open.push(node);
  }

  /** The edges that the flow declares: from it to flows that it starts, then to it from those of `sources` that it waits for. */
  *declaredBy(node: FlowNode, sources: ReadonlySet<FlowNode> = this.#all): EdgeSteps {
    yield* this.#startsOf(node);
    yield* this.#awaitsOf(node, sources);
  }

  /** The edges from the flow, in the order in which flows declare them. */
  *from(node: FlowNode): EdgeSteps {
    const sources = new Set([node]);
    for (const owner of inOrder([node, ...this.#namedBy.get(node) ?? [], ...this.#open])) {
      yield* owner === node ? this.#startsOf(node) : this.#awaitsOf(owner, sources);
    }
  }

  /** The edges to the flow, in the order in which flows declare them. */
  *to(node: FlowNode): EdgeSteps {
    for (const owner of inOrder([node, ...this.#startedBy.get(node) ?? []])) {
      if (owner === node) yield* this.#awaitsOf(node, this.#all);
      else yield { source: owner, target: node, relation: "FLOW_TASK" };
    }
  }

  *#startsOf(source: FlowNode): EdgeSteps {
    for (const target of this.#starts[source.index] ?? []) {
      yield target === source ? undefined : { source, target, relation: "FLOW_TASK" };
    }
  }

  *#awaitsOf(target: FlowNode, sources: ReadonlySet<FlowNode>): EdgeSteps {
    for (const { awaited, named } of this.#awaits[target.index] ?? []) {
      for (const source of named ?? sources) {
        // Executions of its own flow do not fire a trigger.
        const isEdge = source !== target && sources.has(source) && isAwaited(source.head, awaited);
        yield isEdge ? { source, target, relation: "FLOW_TRIGGER" } : undefined;
      }
    }
  }
}

function addTo(lists: Map<FlowNode, FlowNode[]>, key: FlowNode, node: FlowNode): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [node]);
  else if (list.at(-1) !== node) list.push(node);
}

function inOrder(nodes: FlowNode[]): Iterable<FlowNode> {
  return new Set(nodes.sort((a, b) => a.index - b.index));
}
