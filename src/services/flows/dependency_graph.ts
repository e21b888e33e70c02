/** The edges between the flows of a tenant. Each is found when it is asked for: with N flows there may be N² of them. */
import {
  flowPattern,
  isOneFlow,
  PatternIndex,
  patternsOfNamespace,
} from "../../model/triggers/flow_patterns.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";
import { type AwaitedFlows, awaitedPatterns, isAwaited } from "./awaited_flows.ts";
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

/** What a trigger waits for, and patterns of the flows that can fire it. */
interface Awaiting {
  readonly awaited: AwaitedFlows;
  readonly patterns: readonly string[];
}

/** Flows by the patterns of what triggers wait for. */
export class SourceFlows {
  readonly #byPattern: ReadonlyMap<string, FlowNode[]>;
  /** Of the patterns that match all flows of a namespace. */
  readonly #byNamespace = new Map<string, FlowNode[][]>();

  /** For these patterns only. */
  constructor(patterns: Iterable<string>) {
    this.#byPattern = new Map(Array.from(patterns, (pattern) => [pattern, []]));
  }

  /** Adds a flow; to be called in the order of their places. */
  add(node: FlowNode): void {
    const { namespace, id } = node.head;
    let lists = this.#byNamespace.get(namespace);
    if (!lists) this.#byNamespace.set(namespace, lists = this.#listsOf(patternsOfNamespace(namespace)));
    for (const list of lists) list.push(node);
    const own = [flowPattern({ namespace, id }), flowPattern({ id })];
    for (const list of this.#listsOf(own)) list.push(node);
  }

  /** The flows of a pattern. */
  of(pattern: string): readonly FlowNode[] {
    return this.#byPattern.get(pattern) ?? [];
  }

  #listsOf(patterns: readonly string[]): FlowNode[][] {
    return patterns.flatMap((pattern) => {
      const list = this.#byPattern.get(pattern);
      return list ? [list] : [];
    });
  }
}

/** The links of flows both ways. An edge may come more than once. */
export class DependencyGraph {
  /** In the order of the heads. */
  readonly nodes: readonly FlowNode[];
  readonly #byName: ReadonlyMap<string, FlowNode>;
  readonly #starts: FlowNode[][] = [];
  readonly #awaits: Awaiting[][] = [];
  /** Flows whose tasks start a flow. */
  readonly #startedBy = new Map<FlowNode, FlowNode[]>();
  /** Flows by what their triggers wait for. */
  readonly #waiting = new PatternIndex<FlowNode>();

  constructor(heads: readonly FlowHead[]) {
    this.nodes = heads.map((head, index) => ({ head, name: flowName(head), index }));
    this.#byName = new Map(this.nodes.map((node) => [node.name, node]));
  }

  /** The flow with that name, as `namespace/id`. */
  named(name: string): FlowNode | undefined {
    return this.#byName.get(name);
  }

  /** Adds the links of the next node; to be called for each node in order. */
  add(node: FlowNode, { starts, awaits }: FlowLinks): void {
    const targets = starts.flatMap((key) => this.named(flowName(key)) ?? []);
    const awaitings = awaits.map((awaited) => ({
      awaited,
      patterns: [...new Set(awaitedPatterns(awaited))],
    }));
    this.#starts.push(targets);
    this.#awaits.push(awaitings);
    for (const target of targets) addTo(this.#startedBy, target, node);
    this.#waiting.add(awaitings.flatMap(({ patterns }) => patterns), node);
  }

  /** Of no flows yet, for all triggers that were added. */
  sources(): SourceFlows {
    return new SourceFlows(this.#waiting.patterns);
  }

  /** The edges that the flow declares: from it to flows that it starts, then to it from those of `sources` that it waits for. */
  *declaredBy(node: FlowNode, sources: SourceFlows): EdgeSteps {
    yield* this.#startsOf(node);
    yield* this.#awaitsOf(node, sources);
  }

  /** The edges from the flow, in the order in which flows declare them. */
  *from(node: FlowNode): EdgeSteps {
    for (const owner of inOrder([node, ...this.#waiting.of(node.head)])) {
      yield* owner === node ? this.#startsOf(node) : this.#edgeBetween(node, owner);
    }
  }

  /** The edges to the flow from those that start it and those of `sources`, in the order in which flows declare them. */
  *to(node: FlowNode, sources: SourceFlows): EdgeSteps {
    for (const owner of inOrder([node, ...this.#startedBy.get(node) ?? []])) {
      if (owner === node) yield* this.#awaitsOf(node, sources);
      else yield { source: owner, target: node, relation: "FLOW_TASK" };
    }
  }

  *#startsOf(source: FlowNode): EdgeSteps {
    for (const target of this.#starts[source.index] ?? []) {
      yield target === source ? undefined : { source, target, relation: "FLOW_TASK" };
    }
  }

  *#edgeBetween(source: FlowNode, target: FlowNode): EdgeSteps {
    for (const { awaited } of this.#awaits[target.index] ?? []) yield edgeOf(source, target, awaited);
  }

  *#awaitsOf(target: FlowNode, sources: SourceFlows): EdgeSteps {
    for (const { awaited, patterns } of this.#awaits[target.index] ?? []) {
      const found = new Set<FlowNode>();
      for (const pattern of patterns) {
        for (const source of sources.of(pattern)) yield void found.add(source);
      }
      // Those of several names come in the order of the names.
      const ordered = patterns.every(isOneFlow) ? found : inOrder([...found]);
      for (const source of ordered) yield edgeOf(source, target, awaited);
    }
  }
}

/** Executions of its own flow do not fire a trigger. */
function edgeOf(source: FlowNode, target: FlowNode, awaited: AwaitedFlows): Edge | undefined {
  const isEdge = source !== target && isAwaited(source.head, awaited);
  return isEdge ? { source, target, relation: "FLOW_TRIGGER" } : undefined;
}

function addTo(lists: Map<FlowNode, FlowNode[]>, key: FlowNode, node: FlowNode): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [node]);
  else if (list.at(-1) !== node) list.push(node);
}

function inOrder(nodes: FlowNode[]): Iterable<FlowNode> {
  return new Set(nodes.sort((a, b) => a.index - b.index));
}
