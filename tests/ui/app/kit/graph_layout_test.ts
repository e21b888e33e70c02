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
