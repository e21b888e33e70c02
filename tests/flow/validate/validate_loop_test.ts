import { assertEquals, assertLess, assertThrows } from "@std/assert";
import { planFlow, planFor } from "../../../src/engine/plan.ts";
import { expressionNames } from "../../../src/flow/validate/expression_names.ts";
import { buildFlow, parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { LoopRun } from "../../../src/model/executions/loop_run.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";

const CATALOGS = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
const CORE = "io.svc.plugin.core";

function parsed(blocks: string) {
  const source = `{id: f, namespace: n, ${blocks}}`.replaceAll(
    /\bR\((.*?)\)/g,
    `type: $.debug.Return, format: "$1"`,
  );
  return parseFlowSource(source.replaceAll("$.", `${CORE}.`));
}

/** Blocks of a flow, and what is said of them. */
const PROBLEMS: readonly (readonly [name: string, blocks: string, problems: readonly string[]])[] = [
  [
    "the item is known within the tasks of a loop, at any depth",
    "tasks: [{id: l, type: $.flow.Loop, values: [1], outputs: [{id: o, value: '{{ item.value }}'}], breakWhen: '{{ item.index }}', " +
    "tasks: [{id: i, type: $.flow.Parallel, tasks: [{id: a, R({{ item.value }})}]}], errors: [{id: b, R({{ item.key }})}]}]",
    [],
  ],
  [
    "nowhere else",
    "tasks: [{id: a, R({{ item.value }})}, {id: l, type: $.flow.Loop, values: '{{ item.value }}', tasks: [{id: b, R(x)}], finally: [{id: c, R({{ item.index }})}]}]",
    [
      'warning tasks[0].format: Unable to find `item.value`: only the tasks of a Loop have an "item"',
      'warning tasks[1].values: Unable to find `item.value`: only the tasks of a Loop have an "item"',
      'warning tasks[1].finally[0].format: Unable to find `item.index`: only the tasks of a Loop have an "item"',
    ],
  ],
  [
    "the values of an inner loop see the outer one",
    "tasks: [{id: l, type: $.flow.Loop, values: [1], tasks: [{id: m, type: $.flow.Loop, values: '{{ item.value }}', tasks: [{id: b, R(x)}]}]}]",
    [],
  ],
  [
    "another item",
    "tasks: [{id: a, R({% for item in [1] %}{{ item }}{% endfor %}{{ item ?? 1 }})}]",
    [],
  ],
  [
    "outputs are declared as those of a flow",
    "tasks: [{id: l, type: $.flow.Loop, values: [1], outputs: [{id: o, type: NONE, value: x}, {id: o}], tasks: [{id: b, R(x)}]}]",
    [
      "error tasks[0].outputs[0].type: Invalid type: NONE",
      "error tasks[0].outputs[1].value: must not be null",
      "error tasks[0].outputs[1].id: Duplicate output with name [o]",
    ],
  ],
  [
    "what a loop needs",
    "tasks: [{id: l, type: $.flow.Loop, concurrencyLimit: -1, fetchType: ALL}]",
    [
      "error tasks[0].values: must not be null",
      "error tasks[0].tasks: must not be empty",
      "error tasks[0].concurrencyLimit: must be greater than or equal to 0",
      'error tasks[0].fetchType: must be one of "AUTO", "FETCH", "STORE", "NONE", but received "ALL"',
    ],
  ],
];

for (const [name, blocks, expected] of PROBLEMS) {
  Deno.test(`validateFlow() of a Loop: ${name}`, () => {
    const problems = validateFlow(parsed(blocks), CATALOGS, { expressions: {} });
    assertEquals(problems.map(({ severity, path, message }) => `${severity} ${path}: ${message}`), expected);
  });
}

Deno.test("validateFlow() does not compare each use of an item with each Loop", () => {
  const loops = Array.from({ length: 200 }, (_, at) => `{id: l${at}, type: $.flow.Loop, values: [1]}`);
  const uses = Array.from({ length: 100 }, (_, at) => `{{ item.a${at} }}`).join("");
  const flow = parsed(`tasks: [${loops}, {id: t, R(${uses})}]`);
  const { has } = Set.prototype;
  let looks = 0;
  Set.prototype.has = function (this: Set<unknown>, value: unknown) {
    if (value === "format") looks++;
    return has.call(this, value);
  };
  try {
    const problems = validateFlow(flow, CATALOGS, { expressions: {} });
    assertEquals(problems.filter(({ code }) => code === "unknown_reference").length, 100);
  } finally {
    Set.prototype.has = has;
  }
  assertLess(looks, 1_000);
});

const NESTED =
  "outputs: [{id: o, value: x}], finally: [{id: end, R(x)}], sla: [{id: s, type: MAX_DURATION, duration: PT1S}], " +
  "concurrency: {limit: 1}, tasks: [{id: a, R(x)}, {id: l, type: $.flow.Loop, values: [1], outputs: [{id: p, type: INT, value: 1}], " +
  "tasks: [{id: m, type: $.flow.Loop, values: [1], tasks: [{id: b, R(x)}]}], errors: [{id: e, R(x)}], finally: [{id: f, R(x)}]}]";

const IDENTITY = { tenant: "main", revision: 1, flowNo: 1, deleted: false, source: "" };

function nestedPlan() {
  return planFlow(buildFlow(parsed(NESTED).document ?? {}, IDENTITY, CATALOGS));
}

function runOf(taskId: string): { readonly loop: LoopRun } {
  const item = { index: 0, value: "1" };
  return { loop: { taskId, executionId: "x", taskRun: 0, since: 0, item, parents: [] } };
}

Deno.test("planFor() gives the flow, and to a pass of a Loop its body alone", () => {
  const plan = nestedPlan();
  assertEquals([...planFor(plan, {}).places.keys()], ["a", "l", "f", "end"]);
  const outer = planFor(plan, runOf("l"));
  assertEquals([...outer.places.keys()], ["m", "e"]);
  assertEquals(outer.flow.outputs.map(({ id }) => id), ["p"]);
  assertEquals([outer.flow.sla.length, outer.flow.concurrency, outer.flow.finally.length], [0, undefined, 0]);
  const inner = planFor(plan, runOf("m"));
  assertEquals([...inner.places.keys()], ["b"]);
  assertEquals(planFor(outer, runOf("m")), inner);
});

Deno.test("planFor() refuses a pass of a Loop that the flow does not have", () => {
  assertThrows(
    () => planFor(nestedPlan(), runOf("gone")),
    DomainError,
    'Cannot run a pass of the Loop "gone"',
  );
});

Deno.test("expressionNames() has the item for tasks of a Loop alone", () => {
  const document = parsed(NESTED).document ?? {};
  const known = ["a", "l", "m", "b", "e", "f"].filter((id) =>
    expressionNames(document, CATALOGS.tasks, { taskId: id })?.item
  );
  assertEquals(known, ["m", "b", "e"]);
});
