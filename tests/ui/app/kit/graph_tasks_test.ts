import { assertEquals } from "@std/assert";
import { declaredIdOf, isDeclaredTask } from "../../../../src/ui/app/kit/graph_tasks.ts";

Deno.test("declaredIdOf() gives the ForEachItem of an internal task, else the id of the node", () => {
  const type = "io.kestra.plugin.core.flow.ForEachItem$ForEachItemSplit";
  assertEquals(declaredIdOf({ uid: "root.s.each.each_split", id: "each_split", type }), "each");
  assertEquals(declaredIdOf({ uid: "root.s.a", id: "a", type: "io.kestra.plugin.core.log.Log" }), "a");
});

Deno.test("isDeclaredTask() is false for points, triggers and internal tasks", () => {
  const task = { id: "a", type: "core.log.Log" };
  const nodes = [
    { uid: "root.a", task },
    { uid: "root.@end" },
    { uid: "root.Triggers.t", triggerDeclaration: task },
    { uid: "root.a.a_split", task: { id: "a_split", type: "core.flow.ForEachItem$ForEachItemSplit" } },
  ];
  assertEquals(nodes.map(isDeclaredTask), [true, false, false, false]);
});
