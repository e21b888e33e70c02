import { assert, assertEquals, assertThrows } from "@std/assert";
import { ownProperty } from "../../../src/base/json.ts";
import {
  buildFlow,
  type DrawnFlow,
  flowGraph,
  graphResponse,
  parseFlowSource,
} from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";

const CATALOG = createTaskCatalog();
const IDENTITY = { tenant: "main", revision: 1, flowNo: 1, deleted: false, source: "" };

/** A flow from the YAML of its blocks; `R` and `F.X` stand for types. */
function flowOf(blocks: string): DrawnFlow {
  const source = blocks.replaceAll(/\bR(\w+)/g, "{id: $1, type: io.svc.plugin.core.debug.Return}")
    .replaceAll("F.", "io.svc.plugin.core.flow.");
  return buildFlow(parseFlowSource(`{${source}}`).document ?? {}, IDENTITY, { tasks: CATALOG });
}

/** Edges as `source > target relation value`, without the uid of the root. */
function edgesOf(flow: DrawnFlow, subflows?: ReadonlyMap<string, DrawnFlow>): string[] {
  return flowGraph(flow, { subflows }).edges.map(({ source, target, relation }) => {
    const { relationType = "", value = "" } = relation as Record<string, string>;
    return `${short(source)} > ${short(target)} ${relationType} ${value}`.trim();
  });
}

function short(uid: unknown): string {
  return String(uid).replace(/^root\./, "");
}

/** What it shows, blocks, edges. */
const SHAPES: readonly [string, string, string[]][] = [
  ["tasks run one after the other", "tasks: [Ra, Rb]", [
    "@root > a",
    "a > b SEQUENTIAL",
    "b > @end",
  ]],
  [
    "a flowable task is a cluster with a node of its own",
    "tasks: [{id: s, type: F.Sequential, tasks: [Ra, Rb]}]",
    [
      "s.@root > s",
      "s > s.a SEQUENTIAL",
      "s.a > s.b SEQUENTIAL",
      "s.b > s.@end",
      "@root > s.@root",
      "s.@end > @end",
    ],
  ],
  ["parallel tasks", "tasks: [{id: s, type: F.Parallel, tasks: [Ra, Rb]}]", [
    "s.@root > s",
    "s > s.a PARALLEL",
    "s.a > s.@end",
    "s > s.b PARALLEL",
    "s.b > s.@end",
    "@root > s.@root",
    "s.@end > @end",
  ]],
  ["branches of an If", "tasks: [{id: s, type: F.If, then: [Ra, Rb], else: [Rc]}]", [
    "s.@root > s",
    "s > s.a CHOICE then",
    "s.a > s.b SEQUENTIAL then",
    "s.b > s.@end",
    "s > s.c CHOICE else",
    "s.c > s.@end",
    "@root > s.@root",
    "s.@end > @end",
  ]],
  ["cases of a Switch", "tasks: [{id: s, type: F.Switch, cases: {ONE: [Ra], a.b: [Rb]}, defaults: [Rc]}]", [
    "s.@root > s",
    "s > s.a CHOICE ONE",
    "s.a > s.@end",
    "s > s.b CHOICE a.b",
    "s.b > s.@end",
    "s > s.c CHOICE defaults",
    "s.c > s.@end",
    "@root > s.@root",
    "s.@end > @end",
  ]],
  ["iterated tasks", "tasks: [{id: s, type: F.ForEach, tasks: [Ra, Rb]}]", [
    "s.@root > s",
    "s > s.a DYNAMIC",
    "s.a > s.b DYNAMIC",
    "s.b > s.@end",
    "@root > s.@root",
    "s.@end > @end",
  ]],
  [
    "a Dag follows its dependencies",
    "tasks: [{id: s, type: F.Dag, tasks: [{task: Ra}, {task: Rb}, {task: Rc, dependsOn: [a, b]}, {task: Rd, dependsOn: [a]}]}]",
    [
      "s.@root > s",
      "s > s.a PARALLEL",
      "s > s.b PARALLEL",
      "s.a > s.c PARALLEL",
      "s.b > s.c PARALLEL",
      "s.c > s.@end",
      "s.a > s.d PARALLEL",
      "s.d > s.@end",
      "@root > s.@root",
      "s.@end > @end",
    ],
  ],
  ["errors of a flow", "tasks: [Ra], errors: [Rb, Rc]", [
    "@root > a",
    "a > @end",
    "@root > b ERROR",
    "b > c ERROR",
    "c > @end",
  ]],
  ["tasks of a handler follow each other by its relation", "tasks: [Ra], finally: [Rb, Rc]", [
    "@root > a",
    "a > @finally",
    "@finally > b FINALLY",
    "b > c FINALLY",
    "c > @end",
  ]],
  ["a loop until a condition holds", "tasks: [{id: s, type: F.LoopUntil, tasks: [Ra, Rb]}]", [
    "s.@root > s",
    "s > s.a SEQUENTIAL",
    "s.a > s.b SEQUENTIAL",
    "s.b > s.@end",
    "@root > s.@root",
    "s.@end > @end",
  ]],
  ["a ForEachItem with its parts", "tasks: [{id: s, type: F.ForEachItem, errors: [Re], finally: [Rf]}, Ra]", [
    "s.@root > s",
    "s > s.s_split SEQUENTIAL",
    "s.s_split > s.s_items SEQUENTIAL",
    "s.s_items > s.s_merge SEQUENTIAL",
    "s.s_merge > s.@finally",
    "s.@root > s.e ERROR",
    "s.e > s.@finally",
    "s.@finally > s.f FINALLY",
    "s.f > s.@end",
    "@root > s.@root",
    "s.@end > a SEQUENTIAL",
    "a > @end",
  ]],
  ["what runs last has a gate before it", "tasks: [Ra], errors: [Rb], finally: [Rc], afterExecution: [Rd]", [
    "@root > a",
    "a > @finally",
    "@root > b ERROR",
    "b > @finally",
    "@finally > c FINALLY",
    "c > @afterExecution",
    "@afterExecution > d AFTER_EXECUTION",
    "d > @end",
  ]],
  [
    "errors and finally of a task",
    "tasks: [{id: s, type: F.Sequential, tasks: [Ra], errors: [Rb], finally: [Rc]}]",
    [
      "s.@root > s",
      "s > s.a SEQUENTIAL",
      "s.a > s.@finally",
      "s.@root > s.b ERROR",
      "s.b > s.@finally",
      "s.@finally > s.c FINALLY",
      "s.c > s.@end",
      "@root > s.@root",
      "s.@end > @end",
    ],
  ],
  ["triggers lead to the flow", "tasks: [Ra], triggers: [{id: x, type: t.T}, {id: y, type: t.T}]", [
    "Triggers.@root > Triggers.x",
    "Triggers.x > Triggers.@end",
    "Triggers.@root > Triggers.y",
    "Triggers.y > Triggers.@end",
    "Triggers.@end > @root",
    "@root > a",
    "a > @end",
  ]],
  ["a flowable task without tasks is a node", "tasks: [{id: s, type: F.Sequential, tasks: []}]", [
    "@root > s",
    "s > @end",
  ]],
];
for (const [title, blocks, edges] of SHAPES) {
  Deno.test(`flowGraph() ${title}`, () => {
    assertEquals(edgesOf(flowOf(blocks)).sort(), [...edges].sort());
  });
}

const SUBFLOW = "tasks: [{id: call, type: F.Subflow, namespace: n, flowId: g}]";

Deno.test("flowGraph() draws a subflow as a node, or in its place", () => {
  const flow = flowOf(SUBFLOW);
  assertEquals(edgesOf(flow), ["@root > call", "call > @end"]);
  assertEquals(typesOf(flow).get("root.call"), "SubflowGraphTask");
  const drawn = flowGraph(flow, { subflows: new Map([["root.call", flowOf("tasks: [Ra]")]]) });
  const cluster = drawn.clusters[0]?.cluster as Record<string, unknown>;
  const { type, uid } = cluster.taskNode as Record<string, unknown>;
  assertEquals([cluster.type, type].map((each) => String(each).split(".").at(-1)), [
    "SubflowGraphCluster",
    "SubflowGraphTask",
  ]);
  assertEquals(uid, "root.call");
  const inner = flowOf("tasks: [Ra], errors: [Re], triggers: [{id: x, type: t.T}]");
  assertEquals(edgesOf(flow, new Map([["root.call", inner]])).sort(), [
    "@root > call.@root",
    "call > call.a",
    "call.@end > @end",
    "call.@root > call",
    "call.@root > call.e ERROR",
    "call.Triggers.@end > call.@root",
    "call.Triggers.@root > call.Triggers.x",
    "call.Triggers.x > call.Triggers.@end",
    "call.a > call.@end",
    "call.e > call.@end",
  ]);
});

Deno.test("flowGraph() draws the flow of a ForEachItem in the place of its part that starts executions", () => {
  const flow = flowOf(
    "tasks: [{id: s, type: F.ForEachItem, namespace: n, flowId: g, items: i, inputs: {x: y}, errors: [Re]}]",
  );
  assertEquals(["s", "s.s_split", "s.s_items"].map((uid) => typesOf(flow).get(`root.${uid}`)), [
    "GraphTask",
    "GraphTask",
    "SubflowGraphTask",
  ]);
  const { nodes, clusters } = flowGraph(flow);
  assertEquals(clusters.length, 1);
  assertEquals(nodes.find(({ uid }) => uid === "root.s.s_items")?.task, {
    id: "s_items",
    type: "io.svc.plugin.core.flow.ForEachItem$ForEachItemExecutable",
    namespace: "n",
    flowId: "g",
    items: "i",
    inputs: { x: "y" },
  });
  const drawn = flowGraph(flow, { subflows: new Map([["root.s.s_items", flowOf("tasks: [Ra]")]]) });
  const cluster = drawn.clusters.find(({ cluster }) =>
    ownProperty(cluster as never, "uid") === "cluster_root.s.s_items"
  );
  assertEquals(cluster?.parents, ["cluster_root.s"]);
  assert(
    drawn.edges.some(({ source, target }) => source === "root.s.s_items" && target === "root.s.s_items.a"),
  );
});

function typesOf(flow: DrawnFlow): Map<string, string> {
  const nodes = flowGraph(flow).nodes.map(({ uid, type }) =>
    [String(uid), String(type).split(".").at(-1)] as const
  );
  return new Map(nodes as [string, string][]);
}

Deno.test("flowGraph() sets the types of nodes", () => {
  const flow = flowOf(
    "tasks: [{id: s, type: F.Sequential, tasks: [Ra]}], finally: [Rb], afterExecution: [Rc], triggers: [{id: x, type: t.T}]",
  );
  assertEquals(Object.fromEntries(typesOf(flow)), {
    "root.@root": "GraphClusterRoot",
    "root.@end": "GraphClusterEnd",
    "root.@afterExecution": "GraphClusterAfterExecution",
    "root.@finally": "GraphClusterFinally",
    "root.Triggers.@root": "GraphClusterRoot",
    "root.Triggers.@end": "GraphClusterEnd",
    "root.Triggers.x": "GraphTrigger",
    "root.s.@root": "GraphClusterRoot",
    "root.s.@end": "GraphClusterEnd",
    "root.s": "GraphTask",
    "root.s.a": "GraphTask",
    "root.b": "GraphTask",
    "root.c": "GraphTask",
  });
});

Deno.test("flowGraph() lists clusters with their nodes and with those around them", () => {
  const flow = flowOf(
    "tasks: [{id: s, type: F.Parallel, tasks: [Ra, {id: i, type: F.If, then: [Rb]}]}], triggers: [{id: x, type: t.T}]",
  );
  const { clusters, flowables } = graphResponse(flowGraph(flow)) as Record<string, Record<string, unknown>[]>;
  assertEquals(flowables as unknown, ["root.s", "root.s.i"]);
  assertEquals(
    (clusters ?? []).map(({ cluster, nodes, parents, start, end }) => {
      const { uid, relationType } = cluster as Record<string, unknown>;
      return [uid, relationType, nodes, parents, start, end];
    }),
    [
      [
        "cluster_root.Triggers",
        undefined,
        ["root.Triggers.@root", "root.Triggers.@end", "root.Triggers.x"],
        [],
        "root.Triggers.@root",
        "root.Triggers.@end",
      ],
      [
        "cluster_root.s",
        "PARALLEL",
        ["root.s.@root", "root.s.@end", "root.s", "root.s.a"],
        [],
        "root.s.@root",
        "root.s.@end",
      ],
      [
        "cluster_root.s.i",
        "CHOICE",
        ["root.s.i.@root", "root.s.i.@end", "root.s.i", "root.s.i.b"],
        ["cluster_root.s"],
        "root.s.i.@root",
        "root.s.i.@end",
      ],
    ],
  );
});

/** Names that a careless choice of uids would mix up with those of the ends of clusters. */
Deno.test("flowGraph() gives no uid twice, whatever tasks are called, and edges have nodes at both ends", () => {
  const flow = flowOf(
    `tasks: [
      {id: root, type: F.Sequential, tasks: [{id: end, type: F.Parallel, tasks: [Rroot1, Rend1]}]},
      {id: cluster_root, type: F.Sequential, tasks: [Rtriggers]}, Rfinally
    ], errors: [Rerrors], finally: [{id: Triggers, type: F.Sequential, tasks: [Rx]}],
    triggers: [{id: root, type: t.T}, {id: end, type: t.T}, {id: x, type: t.T}]`,
  );
  const { nodes, edges, clusters } = flowGraph(flow);
  const uids = nodes.map(({ uid }) => uid);
  const names = [...uids, ...clusters.map(({ cluster }) => ownProperty(cluster as never, "uid"))];
  assertEquals(names.length, new Set(names).size);
  for (const { source, target } of edges) {
    assert(uids.includes(source as string) && uids.includes(target as string));
  }
});

Deno.test("flowGraph() gives nodes the relation of their block, and those of flowable tasks their own", () => {
  const blocks =
    "tasks: [Ra, {id: s, type: F.Switch, cases: {ONE: [Rb]}}, {id: p, type: F.Parallel, tasks: [Rc]}], " +
    "errors: [Rd], finally: [Re], afterExecution: [Rf]";
  const { nodes } = flowGraph(flowOf(blocks));
  const tasks = nodes.filter(({ task }) => task).map(({ uid, relationType }) =>
    `${short(uid)} ${relationType}`
  );
  assertEquals(tasks, [
    "a SEQUENTIAL",
    "s CHOICE",
    "s.b SEQUENTIAL",
    "p PARALLEL",
    "p.c PARALLEL",
    "d ERROR",
    "e FINALLY",
    "f AFTER_EXECUTION",
  ]);
});

Deno.test("flowGraph() keeps what was written of tasks and triggers", () => {
  const { nodes } = flowGraph(flowOf("tasks: [Ra], triggers: [{id: x, type: t.T, key: k}]"));
  const byUid = new Map(nodes.map((node) => [node.uid, node]));
  assertEquals(byUid.get("root.a")?.task, { id: "a", type: "io.svc.plugin.core.debug.Return" });
  assertEquals(byUid.get("root.Triggers.x")?.triggerDeclaration, { id: "x", type: "t.T", key: "k" });
});

Deno.test("flowGraph() refuses a flow whose uids have too many characters", () => {
  const long = "x".repeat(256);
  const leaves = Array.from({ length: 400 }, (_, n) => `{id: a${n}, type: F.Sequential, tasks: [Rb${n}]}`)
    .join();
  const nested = Array.from({ length: 46 }).reduce<string>(
    (inner, _, n) => `{id: ${long}${n}, type: F.Parallel, tasks: [${inner}]}`,
    leaves,
  );
  const error = assertThrows(() => flowGraph(flowOf(`tasks: [${nested}]`)), Error);
  assertEquals(error.message.includes("its graph is too large: use shorter ids or fewer levels"), true);
  assert(flowGraph(flowOf(`tasks: [${leaves}]`)).nodes.length > 800);
});
