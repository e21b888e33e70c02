import { assert, assertEquals, fail } from "@std/assert";
import { type FlowGraph, placeGraph, withoutJunctions } from "../../../../src/ui/app/kit/graph_layout.ts";

function task(uid: string): FlowGraph["nodes"][number] {
  return { uid, task: { id: uid.split(".").at(-1) ?? "", type: "core.log.Log" } };
}

/** `all` runs `a` and `b` at the same time; `end` follows. */
const PARALLEL: FlowGraph = {
  nodes: [
    { uid: "root.@root" },
    { uid: "root.@end" },
    { uid: "root.all.@root" },
    { uid: "root.all.@end" },
    ...["root.all", "root.all.a", "root.all.b", "root.end"].map(task),
  ],
  edges: [
    { source: "root.@root", target: "root.all.@root", relation: { relationType: "SEQUENTIAL" } },
    { source: "root.all.@root", target: "root.all" },
    { source: "root.all", target: "root.all.a", relation: { relationType: "PARALLEL" } },
    { source: "root.all", target: "root.all.b", relation: { relationType: "PARALLEL" } },
    { source: "root.all.a", target: "root.all.@end" },
    { source: "root.all.b", target: "root.all.@end" },
    { source: "root.all.@end", target: "root.end", relation: { relationType: "SEQUENTIAL" } },
    { source: "root.end", target: "root.@end" },
  ],
  clusters: [{
    cluster: { uid: "cluster_root.all", taskNode: { task: { id: "all" } } },
    nodes: ["root.all.@root", "root.all.@end", "root.all", "root.all.a", "root.all.b"],
    parents: [],
  }],
};

Deno.test("withoutJunctions() joins the neighbours of the ends of clusters and keeps those of the flow", () => {
  const { nodes, edges } = withoutJunctions(PARALLEL);
  assertEquals(nodes.map(({ uid }) => uid).sort(), [
    "root.@end",
    "root.@root",
    "root.all",
    "root.all.a",
    "root.all.b",
    "root.end",
  ]);
  assertEquals(edges.map(({ source, target }) => `${source} ${target}`).sort(), [
    "root.@root root.all",
    "root.all root.all.a",
    "root.all root.all.b",
    "root.all.a root.end",
    "root.all.b root.end",
    "root.end root.@end",
  ]);
});

Deno.test("withoutJunctions() keeps a junction between many and many", () => {
  const uids = ["root.p.@end", "root.a", "root.b", "root.c", "root.d"];
  const nodes = uids.map((uid) => ({ uid }));
  const edges = [["root.a", "root.p.@end"], ["root.b", "root.p.@end"], ["root.p.@end", "root.c"], [
    "root.p.@end",
    "root.d",
  ]].map(([source = "", target = ""]) => ({ source, target }));
  assertEquals(withoutJunctions({ nodes, edges, clusters: [] }), { nodes, edges });
});

Deno.test("placeGraph() keeps tasks apart, in order, and within their cluster", () => {
  const { nodes, clusters, width, height } = placeGraph(PARALLEL, "TB");
  const at = (id: string) => nodes.find((node) => node.id === id) ?? fail(`"${id}" has no place`);
  assert(at("all").y + at("all").height < at("a").y);
  assertEquals(at("a").y, at("b").y);
  assert(at("a").x + at("a").width <= at("b").x || at("b").x + at("b").width <= at("a").x);
  assert(at("b").y < at("end").y);
  const [frame] = clusters;
  assert(frame && frame.title === "all");
  for (const id of ["all", "a", "b"]) {
    assert(at(id).x >= frame.x && at(id).x + at(id).width <= frame.x + frame.width);
  }
  assert(at("end").y >= frame.y + frame.height);
  for (const { x, y, width: w, height: h } of nodes) {
    assert(x >= 0 && y >= 0 && x + w <= width && y + h <= height);
  }
});

/** Edges as `source > target tone text`, without the uid of the flow. */
function drawnEdges(graph: FlowGraph): string[] {
  const { nodes, edges } = placeGraph(graph, "TB");
  const ids = new Map(nodes.map(({ uid, id }) => [uid, id]));
  return edges.map(({ key, tone, text }) => {
    const [source = "", target = ""] = key.slice(0, key.indexOf("#")).split("→");
    return `${ids.get(source)} > ${ids.get(target)} ${tone} ${text}`.trim();
  });
}

Deno.test("placeGraph() draws the errors of a task from the task, and names a handler once", () => {
  const failing = PARALLEL.nodes.concat(["root.all.e1", "root.all.e2"].map(task));
  const edges = [
    { source: "root.all.@root", target: "root.all.e1", relation: { relationType: "ERROR" } },
    { source: "root.all.e1", target: "root.all.e2", relation: { relationType: "ERROR" } },
    { source: "root.all.e2", target: "root.all.@end" },
  ];
  const graph = { ...PARALLEL, nodes: failing, edges: [...PARALLEL.edges, ...edges] };
  assertEquals(drawnEdges(graph).filter((edge) => edge.includes("error")).sort(), [
    "all > e1 error error",
    "e1 > e2 error",
  ]);
});

Deno.test("placeGraph() names a branch at its first task", () => {
  const edges = [["a", "b", "CHOICE"], ["b", "c", "SEQUENTIAL"]].map(([from, to, relationType]) => ({
    source: `root.${from}`,
    target: `root.${to}`,
    relation: { relationType, value: "yes" },
  }));
  const nodes = ["root.a", "root.b", "root.c"].map(task);
  assertEquals(drawnEdges({ nodes, edges, clusters: [] }), ["a > b plain yes", "b > c plain"]);
});

/** `count` tasks in parallel, then as many. */
function wideGraph(count: number): FlowGraph {
  const ids = Array.from({ length: count }, (_, index) => `t${index}`);
  const edges = ["p", "q"].flatMap((parent) =>
    ids.flatMap((id) => [
      { source: `root.${parent}`, target: `root.${parent}.${id}` },
      { source: `root.${parent}.${id}`, target: `root.${parent}.@end` },
    ])
  );
  const uids = ["p", "q"].flatMap((parent) => [`root.${parent}`, ...ids.map((id) => `root.${parent}.${id}`)]);
  return {
    nodes: [...uids.map(task), { uid: "root.p.@end" }, { uid: "root.q.@end" }],
    edges: [...edges, { source: "root.p.@end", target: "root.q" }],
    clusters: ["p", "q"].map((parent) => ({
      cluster: { uid: `cluster_root.${parent}` },
      nodes: [...uids.filter((uid) => uid.startsWith(`root.${parent}`)), `root.${parent}.@end`],
      parents: [],
    })),
  };
}

for (const direction of ["TB", "LR"] as const) {
  Deno.test(`placeGraph() keeps 500 tasks apart and in the declared order (${direction})`, () => {
    const { nodes, edges } = placeGraph(wideGraph(250), direction);
    const [axis, size] = direction === "TB" ? ["x", "width"] as const : ["y", "height"] as const;
    for (const parent of ["root.p.", "root.q."]) {
      const row = nodes.filter(({ uid }) => uid.startsWith(parent));
      assertEquals(row.length, 250);
      row.forEach((node, index) => {
        const next = row[index + 1];
        assert(!next || node[axis] + node[size] < next[axis], `${next?.id} does not follow ${node.id}`);
      });
    }
    assertEquals(edges.length, 250 + 250 + 250);
    for (const { path } of edges) assert(/^M[\d. LC-]+$/.test(path), path);
  });
}

Deno.test("placeGraph() leads a long edge beside the tasks that it passes, and survives a circle", () => {
  const nodes = ["root.a", "root.b", "root.c"].map(task);
  const edges = [["a", "b"], ["b", "c"], ["a", "c"], ["c", "a"]].map(([from, to]) => ({
    source: `root.${from}`,
    target: `root.${to}`,
  }));
  const acyclic = placeGraph({ nodes, edges: edges.slice(0, 3), clusters: [] }, "TB");
  const [a, b, c] = acyclic.nodes;
  assert(a && b && c && a.y < b.y && b.y < c.y);
  const long = acyclic.edges[2]?.path ?? "";
  const lane = Number(/([\d.]+) [\d.]+L/.exec(long)?.[1]);
  assert(lane < b.x || lane > b.x + b.width, `${long} passes through ${JSON.stringify(b)}`);
  assertEquals(placeGraph({ nodes, edges, clusters: [] }, "TB").nodes.length, 3);
});
