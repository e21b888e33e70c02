/** The test case with which a person begins. */
import { assertEquals } from "@std/assert";
import type { TaskRunInfo } from "../../../../../src/ui/app/api/execution.ts";
import { testCaseOf } from "../../../../../src/ui/app/views/editor/test_case.ts";

const FLOW = {
  namespace: "demo",
  id: "hello",
  revision: 1,
  disabled: false,
  inputs: [{ id: "name", defaults: "World" }, { id: "count" }],
};
const node = (uid: string, type = "Any") => ({ uid, task: { id: uid.split(".").at(-1) ?? "", type } });
const GRAPH = {
  nodes: [{ uid: "root" }, node("root.a"), node("root.both"), node("root.both.b"), node("root.ab")],
  edges: [],
  clusters: [],
  flowables: [],
};

function ran(taskId: string, outputs: Record<string, unknown>): [string, TaskRunInfo[]] {
  return [taskId, [{ taskId, outputs } as unknown as TaskRunInfo]];
}

Deno.test("testCaseOf() has a fixture for each task without others in it, with its last outputs if they are short", () => {
  const taskRuns = new Map([ran("a", { value: 1 }), ran("ab", { value: "x".repeat(2_000) })]);
  const source = testCaseOf(FLOW, { ...GRAPH, nodes: GRAPH.nodes.slice(1) }, { taskRuns });
  assertEquals(
    source,
    `fixtures:
  inputs:
    name: "World"
    count: 
  tasks:
    - id: a
      outputs: {"value":1}
    - id: b
      outputs: {}
    - id: ab
      outputs: {}
assertions:
  - value: "{{ execution.state }}"
    equalTo: SUCCESS
`,
  );
});

Deno.test("testCaseOf() has a fixture for a ForEachItem, and none for its internal tasks", () => {
  const nodes = [
    { uid: "root.each.@root" },
    node("root.each"),
    node("root.each.each_split", "ForEachItem$Split"),
  ];
  const source = testCaseOf(FLOW, { ...GRAPH, nodes }, { taskRuns: new Map() });
  assertEquals(source.includes("    - id: each\n"), true);
  assertEquals(source.includes("each_split"), false);
});

Deno.test("testCaseOf() has no inputs for a flow without", () => {
  const source = testCaseOf({ ...FLOW, inputs: undefined }, { ...GRAPH, nodes: [] }, { taskRuns: new Map() });
  assertEquals(source.includes("inputs"), false);
});
