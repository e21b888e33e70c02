/** The graph finds the edges that a comparison of each trigger with each flow would find, without these comparisons. */
import { assertEquals } from "@std/assert";
import type { AwaitedFlows } from "../../../src/services/flows/awaited_flows.ts";
import { isAwaited } from "../../../src/services/flows/awaited_flows.ts";
import { DependencyGraph, type Edge } from "../../../src/services/flows/dependency_graph.ts";
import type { FlowHead } from "../../../src/store/records/flow_records.ts";
import fc from "../../support/fast_check.ts";

const NAMESPACES = ["a", "a.b", "ab", "b", "b.a"];
const IDS = ["f", "g"];
const NAMES = NAMESPACES.flatMap((namespace) => IDS.map((id) => ({ namespace, id })));

const text = fc.constantFrom(...NAMESPACES, ...IDS, "", "a.", "c");
const pattern = fc.record({
  namespace: fc.option(text, { nil: undefined }),
  flowId: fc.option(fc.constantFrom(...IDS, "c"), { nil: undefined }),
  comparison: fc.constantFrom("EQUALS" as const, "EQUALS" as const, "PREFIX" as const, "SUFFIX" as const),
});
const field = fc.record({
  field: fc.constantFrom("id" as const, "namespace" as const),
  type: fc.constantFrom(
    ..."EQUAL_TO NOT_EQUAL_TO IN NOT_IN STARTS_WITH ENDS_WITH CONTAINS".split(" "),
  ),
  value: text,
  values: fc.array(text, { maxLength: 2 }),
});
const { awaited } = fc.letrec<{ awaited: AwaitedFlows; list: AwaitedFlows[] }>((tie) => ({
  awaited: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 3, arbitrary: pattern },
    { weight: 2, arbitrary: field },
    fc.record({ all: tie("list") }),
    fc.record({ any: tie("list") }),
    fc.record({ none: tie("list") }),
    fc.record({ all: fc.tuple(fc.record({ any: tie("list") }), pattern) }),
  ),
  list: fc.array(tie("awaited"), { maxLength: 3 }),
}));
const links = fc.record({
  revision: fc.constant(1),
  starts: fc.array(fc.constantFrom(...NAMES), { maxLength: 1 }),
  awaits: fc.array(awaited, { maxLength: 2 }),
});

const textOf = ({ source, target, relation }: Edge) => `${source.name} ${relation} ${target.name}`;
const edgesIn = (steps: Iterable<Edge | undefined>) =>
  [...new Set([...steps].flatMap((edge) => edge ? [textOf(edge)] : []))].sort();

Deno.test("DependencyGraph finds the edges of all comparisons", () => {
  let found = 0;
  const all = fc.array(links, { minLength: NAMES.length, maxLength: NAMES.length });
  fc.assert(
    fc.property(all, fc.subarray([...NAMES.keys()]), (each, inside) => {
      const graph = new DependencyGraph(NAMES as unknown as FlowHead[]);
      for (const [index, node] of graph.nodes.entries()) graph.add(node, each[index] as typeof each[0]);
      const sources = graph.sources(), some = graph.sources();
      for (const node of graph.nodes) sources.add(node);
      for (const node of graph.nodes) if (inside.includes(node.index)) some.add(node);
      const edges: Edge[] = graph.nodes.flatMap((node, index) => [
        ...(each[index]?.starts ?? []).flatMap((key): Edge[] => {
          const target = graph.named(`${key.namespace}/${key.id}`);
          return target && target !== node ? [{ source: node, target, relation: "FLOW_TASK" }] : [];
        }),
        ...graph.nodes
          .filter(({ head }) =>
            node.head !== head && each[index]?.awaits.some((part) => isAwaited(head, part))
          )
          .map((source): Edge => ({ source, target: node, relation: "FLOW_TRIGGER" })),
      ]);
      found += edges.length;
      const expected = (matches: (edge: Edge) => boolean) => edgesIn(edges.filter(matches));
      for (const node of graph.nodes) {
        assertEquals(edgesIn(graph.from(node)), expected(({ source }) => source === node));
        assertEquals(edgesIn(graph.to(node, sources)), expected(({ target }) => target === node));
        const isDeclared = ({ source, target, relation }: Edge) =>
          relation === "FLOW_TASK" ? source === node : target === node && inside.includes(source.index);
        assertEquals(edgesIn(graph.declaredBy(node, some)), expected(isDeclared));
      }
    }),
    { numRuns: 1_000 },
  );
  assertEquals(found > 1_000, true, `${found} edges`);
});

/** What a trigger of flow `a/f` waits for, and its edges in their order. */
const ORDERS: readonly (readonly [AwaitedFlows, string])[] = [
  [{ namespace: "b", comparison: "PREFIX" }, "b/f b/g b.a/f b.a/g"],
  [
    { any: [{ namespace: "b.a", comparison: "EQUALS" }, { namespace: "a.b", comparison: "EQUALS" }] },
    "a.b/f a.b/g b.a/f b.a/g",
  ],
  [
    {
      any: [
        { namespace: "b", flowId: "g", comparison: "EQUALS" },
        { namespace: "a.b", flowId: "f", comparison: "EQUALS" },
      ],
    },
    "b/g a.b/f",
  ],
];
for (const [awaited, order] of ORDERS) {
  Deno.test(`DependencyGraph gives the edges of ${JSON.stringify(awaited)} in the order of flows or of names`, () => {
    const graph = new DependencyGraph(NAMES as unknown as FlowHead[]);
    for (const node of graph.nodes) {
      graph.add(node, { revision: 1, starts: [], awaits: node.index === 0 ? [awaited] : [] });
    }
    const sources = graph.sources();
    for (const node of graph.nodes) sources.add(node);
    const [first] = graph.nodes;
    const edges = first ? [...graph.declaredBy(first, sources)] : [];
    assertEquals(edges.flatMap((edge) => edge ? [edge.source.name] : []).join(" "), order);
  });
}
