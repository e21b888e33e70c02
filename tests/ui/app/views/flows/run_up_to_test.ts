import { assertEquals } from "@std/assert";
import { tasksAfter } from "../../../../../src/ui/app/views/flows/run_up_to.ts";
import type { FlowGraph } from "../../../../../src/ui/app/kit/graph_layout.ts";

/** A flow of `first`, a Parallel with `one` → `two` beside `other`, then `last`; `clean` runs at the end. */
const EDGES: readonly (readonly [source: string, target: string, relationType?: string])[] = [
  ["root.@root", "root.first"],
  ["root.first", "root.all.@root"],
  ["root.all.@root", "root.all"],
  ["root.all", "root.all.one"],
  ["root.all.one", "root.all.two"],
  ["root.all", "root.all.other"],
  ["root.all.two", "root.all.@end"],
  ["root.all.other", "root.all.@end"],
  ["root.all.@end", "root.last"],
  ["root.last", "root.@finally"],
  ["root.@root", "root.failed", "ERROR"],
  ["root.all.@root", "root.all.caught", "ERROR"],
  ["root.all.caught", "root.all.told", "ERROR"],
  ["root.all.told", "root.all.@end"],
  ["root.@finally", "root.clean", "FINALLY"],
  ["root.clean", "root.tidy", "FINALLY"],
];
const UIDS = [...new Set(EDGES.flatMap(([source, target]) => [source, target]))];
const GRAPH: FlowGraph = {
  nodes: UIDS.map((uid) => {
    const id = uid.slice(uid.lastIndexOf(".") + 1);
    return id.startsWith("@") ? { uid } : { uid, task: { id, type: "core.log.Log" } };
  }),
  edges: EDGES.map(([source, target, relationType = "SEQUENTIAL"]) => ({
    source,
    target,
    relation: { relationType },
  })),
  clusters: [],
};

Deno.test("tasksAfter() gives what follows a task, without what runs beside it", () => {
  assertEquals(tasksAfter(GRAPH, "one"), ["two", "last"]);
  assertEquals(tasksAfter(GRAPH, "other"), ["last"]);
  assertEquals(tasksAfter(GRAPH, "first"), ["all", "one", "other", "two", "last"]);
});

Deno.test("tasksAfter() leaves out what is within the task, handlers of failures, and the end of a flow", () => {
  assertEquals(tasksAfter(GRAPH, "all"), ["last"]);
  assertEquals(tasksAfter(GRAPH, "last"), []);
  assertEquals(tasksAfter(GRAPH, "unknown"), []);
});

Deno.test("tasksAfter() gives what follows a task of a handler", () => {
  assertEquals(tasksAfter(GRAPH, "caught"), ["told", "last"]);
  assertEquals(tasksAfter(GRAPH, "clean"), ["tidy"]);
});

Deno.test("tasksAfter() leaves out the internal tasks of a ForEachItem", () => {
  const ids = ["root.a", "root.b", "root.b.b_split"];
  const nodes = ids.map((uid) => {
    const id = uid.slice(uid.lastIndexOf(".") + 1);
    return { uid, task: { id, type: id === "b_split" ? "core.flow.ForEachItem$Split" : "core.log.Log" } };
  });
  const edges = ids.slice(1).map((target, index) => ({ source: ids[index] ?? "", target }));
  assertEquals(tasksAfter({ nodes, edges, clusters: [] }, "a"), ["b"]);
});
