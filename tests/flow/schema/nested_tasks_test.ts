import { assertEquals } from "@std/assert";
import {
  deprecatedTaskIds,
  expressionNames,
  findWrittenTask,
  parseFlowSource,
  writtenTasks,
} from "../../../src/flow/mod.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";

const CATALOG = createTaskCatalog();
const SOURCE = `
tasks:
  - {id: a, type: io.svc.plugin.core.debug.Return, format: x}
  - id: b
    type: io.svc.plugin.core.flow.Switch
    value: v
    cases:
      "1": [{id: c, type: io.svc.plugin.core.log.Log, message: m}]
      __proto__: [{id: d, type: io.svc.plugin.core.log.Log, message: m}]
    defaults:
      - id: e
        type: io.svc.plugin.core.flow.Dag
        tasks:
          - task: {id: f, type: io.svc.plugin.core.debug.Return}
          - task: {id: g, type: io.svc.plugin.core.log.Log, message: {type: no.Task, id: x}}
    errors: [{id: h, type: io.svc.plugin.core.debug.Return}]
  - {id: 7, type: unknown.Type, tasks: [{id: hidden, type: x}]}
errors: [{id: i, type: io.svc.plugin.core.debug.Echo, format: x}]
finally: [{id: j, type: io.svc.plugin.core.log.Log}, 1, null]
afterExecution: [{id: k, type: io.svc.plugin.core.log.Log}]
`;
const DOCUMENT = parseFlowSource(SOURCE).document ?? {};

Deno.test("writtenTasks() gives tasks at any depth, each before those in it, with their places", () => {
  const found = [...writtenTasks(DOCUMENT, CATALOG)].map(({ task, path }) => `${task.id} ${path.join(".")}`);
  assertEquals(found, [
    "a tasks.0",
    "b tasks.1",
    "c tasks.1.cases.1.0",
    "d tasks.1.cases.__proto__.0",
    "e tasks.1.defaults.0",
    "f tasks.1.defaults.0.tasks.0.task",
    "g tasks.1.defaults.0.tasks.1.task",
    "h tasks.1.errors.0",
    "7 tasks.2",
    "i errors.0",
    "j finally.0",
    "k afterExecution.0",
  ]);
});

Deno.test("findWrittenTask() finds a task by its id, as it was written", () => {
  assertEquals(findWrittenTask(DOCUMENT, "f", CATALOG), { id: "f", type: "io.svc.plugin.core.debug.Return" });
  assertEquals(findWrittenTask(DOCUMENT, "7", CATALOG)?.type, "unknown.Type");
  for (const id of ["x", "hidden", "", "toString"]) {
    assertEquals(findWrittenTask(DOCUMENT, id, CATALOG), undefined);
  }
});

Deno.test("deprecatedTaskIds() names tasks of deprecated types", () => {
  assertEquals(deprecatedTaskIds(DOCUMENT, CATALOG), ["i"]);
});

Deno.test("expressionNames() offers the outputs of the tasks written before", () => {
  const outputs = (taskId?: string) => expressionNames(DOCUMENT, CATALOG, { taskId })?.outputs;
  assertEquals(outputs("a"), []);
  assertEquals(outputs("b"), ["outputs.a.value"]);
  assertEquals(outputs("c"), ["outputs.a.value", "outputs.b.value", "outputs.b.defaults"]);
  assertEquals(outputs("nowhere"), undefined);
  assertEquals((outputs() as string[]).includes("outputs.h.value"), true);
});

Deno.test("expressionNames() offers inputs, variables, labels and the trigger", () => {
  const { document } = parseFlowSource(`
inputs: [{id: a.b, type: STRING}, {name: my-old, type: STRING}]
variables: {v: 1, "two words": 2}
labels: {team: x, system.readOnly: true}
triggers: [{id: t, type: x}]
`);
  const names = expressionNames(document ?? {}, CATALOG);
  assertEquals([names?.inputs, names?.vars, names?.labels, names?.trigger], [
    ["inputs.a.b", 'inputs["my-old"]'],
    ["vars.v", 'vars["two words"]'],
    ["labels.team", "labels.system.readOnly"],
    ["trigger"],
  ]);
  assertEquals(expressionNames({}, CATALOG)?.trigger, []);
});
