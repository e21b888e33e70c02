import { assertEquals } from "@std/assert";
import type { FlowKey } from "../../../src/model/flows/flow.ts";
import type { FlowHead } from "../../../src/store/records/flow_records.ts";
import { buildFlow, parseFlowSource } from "../../../src/flow/mod.ts";
import { FlowDependencies } from "../../../src/services/flows/flow_dependencies.ts";
import { type FlowPattern, isAwaited } from "../../../src/services/flows/awaited_flows.ts";
import { linksOf } from "../../../src/services/flows/flow_links.ts";
import type { Flows } from "../../../src/services/flows/flows.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const CATALOG = createTaskCatalog();
const IDENTITY = { tenant: "main", revision: 1, flowNo: 1, deleted: false, source: "" };

function flowOf(members: string) {
  const source = `{${members.replaceAll("P.", "io.svc.plugin.core.")}}`;
  return buildFlow(parseFlowSource(source).document ?? {}, IDENTITY, { tasks: CATALOG });
}

/** Blocks of a flow, and the flows that they start. */
const STARTS: readonly [string, FlowKey[]][] = [
  ["tasks: [{id: a, type: P.flow.Subflow, namespace: n, flowId: f}]", [{ namespace: "n", id: "f" }]],
  ["tasks: [{id: a, type: io.kestra.core.tasks.flows.Flow, namespace: n, flowId: f}]", [{
    namespace: "n",
    id: "f",
  }]],
  ["tasks: [{id: a, type: P.flow.ForEachItem, namespace: n, flowId: f}]", [{ namespace: "n", id: "f" }]],
  ["errors: [{id: a, type: P.flow.Subflow, namespace: n, flowId: f}]", [{ namespace: "n", id: "f" }]],
  ["afterExecution: [{id: a, type: P.flow.Subflow, namespace: n, flowId: f}]", [{ namespace: "n", id: "f" }]],
  [
    "tasks: [{id: s, type: P.flow.Sequential, tasks: [{id: a, type: P.flow.Subflow, namespace: n, flowId: f}]}]",
    [{ namespace: "n", id: "f" }],
  ],
  ['tasks: [{id: a, type: P.flow.Subflow, namespace: n, flowId: "{{ inputs.f }}"}]', []],
  ["tasks: [{id: a, type: P.flow.Subflow, flowId: f}]", []],
  ["tasks: [{id: a, type: P.log.Log, namespace: n, flowId: f}]", []],
];
for (const [members, starts] of STARTS) {
  Deno.test(`linksOf() of ${members} starts ${starts.length}`, () => {
    assertEquals(linksOf(flowOf(members)).starts, starts);
  });
}

const FLOW = "{type: P.condition.ExecutionFlow, namespace: n, flowId: f}";
const NAMESPACE = "{type: P.condition.ExecutionNamespace, namespace: n}";
const STATUS = "{type: P.condition.ExecutionStatus, in: [FAILED]}";
const OTHER = "{type: P.condition.ExecutionFlow, namespace: other, flowId: o}";
const ALL = ["n/f", "n/g", "n.sub/h", "nn/i"];
const multiple = (parts: string) =>
  `conditions: [{type: P.condition.MultipleCondition, conditions: {${parts}}}]`;
const where = (...filters: string[]) =>
  `preconditions: {id: p, where: [{id: w, filters: [${filters.map((each) => `{${each}}`)}]}]}`;
/** Properties of a Flow trigger, and the flows of `ALL` that it waits for. */
const AWAITS: readonly [string, string[]][] = [
  ["preconditions: {flows: [{namespace: n, flowId: f, states: [SUCCESS]}]}", ["n/f"]],
  ["preconditions: {flows: [{namespace: n, flowId: f}, {namespace: nn}]}", ["n/f", "nn/i"]],
  ["dependsOn: [{namespace: n, flowId: f}, {flowId: i}]", ["n/f", "nn/i"]],
  [`conditions: [${FLOW}]`, ["n/f"]],
  ["conditions: [{type: io.kestra.plugin.core.condition.ExecutionFlowCondition, namespace: n, flowId: f}]", [
    "n/f",
  ]],
  ["conditions: [{type: P.condition.ExecutionNamespace, namespace: n, comparison: PREFIX}]", [
    "n/f",
    "n/g",
    "n.sub/h",
    "nn/i",
  ]],
  ["conditions: [{type: P.condition.ExecutionNamespace, namespace: n, prefix: true}]", [
    "n/f",
    "n/g",
    "n.sub/h",
    "nn/i",
  ]],
  ["conditions: [{type: P.condition.ExecutionNamespace, namespace: n, comparison: SUFFIX}]", [
    "n/f",
    "n/g",
    "nn/i",
  ]],
  [`conditions: [${NAMESPACE}, ${FLOW}]`, ["n/f"]],
  [`conditions: [${FLOW}, ${OTHER}]`, []],
  [`conditions: [${NAMESPACE}, {type: P.condition.Not, conditions: [${FLOW}]}]`, ["n/g"]],
  [`conditions: [${NAMESPACE}, {type: P.condition.Not, conditions: [${STATUS}]}]`, ["n/f", "n/g"]],
  [`conditions: [${NAMESPACE}, ${STATUS}]`, ["n/f", "n/g"]],
  [`conditions: [${NAMESPACE}, {type: P.condition.Or, conditions: [${OTHER}, ${STATUS}]}]`, ["n/f", "n/g"]],
  [
    `conditions: [${NAMESPACE}], preconditions: {id: p, flows: [{namespace: n, flowId: g}, {namespace: nn}]}`,
    [
      "n/g",
    ],
  ],
  [multiple(`a: ${FLOW}`), ["n/f"]],
  [multiple(`a: ${FLOW}, b: ${OTHER}, c: ${STATUS}`), ["n/f"]],
  [`conditions: [{type: P.condition.Or, conditions: [${FLOW}, ${OTHER}]}]`, ["n/f"]],
  [where("field: FLOW_ID, type: EQUAL_TO, value: f", "field: NAMESPACE, type: EQUAL_TO, value: n"), ["n/f"]],
  [where("field: FLOW_ID, type: EQUAL_TO, value: f", "field: NAMESPACE, type: EQUAL_TO, value: nn"), []],
  [where("field: FLOW_ID, type: IN, values: [f, i]", "field: STATE, type: EQUAL_TO, value: SUCCESS"), [
    "n/f",
    "nn/i",
  ]],
  [where("field: NAMESPACE, type: STARTS_WITH, value: n", "field: FLOW_ID, type: NOT_EQUAL_TO, value: f"), [
    "n/g",
    "n.sub/h",
    "nn/i",
  ]],
  [
    "preconditions: {id: p, where: [{id: w, operand: OR, filters: " +
    "[{field: FLOW_ID, type: ENDS_WITH, value: f}, {field: NAMESPACE, type: CONTAINS, value: .}]}]}",
    ["n/f", "n.sub/h"],
  ],
  [
    `preconditions: {id: p, flows: [{namespace: nn}], where: [{id: w, filters: [{field: FLOW_ID, type: EQUAL_TO, value: g}]}]}`,
    [
      "n/g",
      "nn/i",
    ],
  ],
  [where("field: FLOW_ID, type: REGEX, value: '.*'"), []],
  [where("field: FLOW_ID, type: NOT_IN, values: [f]"), []],
  [where("field: FLOW_ID, type: EQUAL_TO, value: '{{ vars.f }}'"), []],
  [`conditions: [{type: P.condition.Not, conditions: [${FLOW}]}]`, []],
  [`conditions: [${STATUS}]`, []],
  ["disabled: false", []],
];
for (const [members, expected] of AWAITS) {
  Deno.test(`linksOf() of a flow trigger with ${members} waits for ${expected.length}`, () => {
    const { awaits } = linksOf(flowOf(`triggers: [{id: t, type: P.trigger.Flow, ${members}}]`));
    const found = ALL.filter((name) => awaits.some((awaited) => isAwaited(keyOf(name), awaited)));
    assertEquals(found, expected);
  });
}

function keyOf(name: string): FlowKey {
  const [namespace = "", id = ""] = name.split("/");
  return { namespace, id };
}

const MATCHES: readonly [FlowPattern, string, boolean][] = [
  [{ namespace: "a.b", comparison: "EQUALS" }, "a.b/f", true],
  [{ namespace: "a.b", comparison: "EQUALS" }, "a.b.c/f", false],
  [{ namespace: "a.b", comparison: "PREFIX" }, "a.b.c/f", true],
  [{ namespace: "a.b", comparison: "PREFIX" }, "a.bc/f", true],
  [{ namespace: "a.b", comparison: "PREFIX" }, "a/f", false],
  [{ namespace: ".b", comparison: "SUFFIX" }, "a.b/f", true],
  [{ flowId: "f", comparison: "EQUALS" }, "any/f", true],
  [{ flowId: "f", comparison: "EQUALS" }, "any/g", false],
];
for (const [awaited, name, expected] of MATCHES) {
  Deno.test(`isAwaited() is ${expected} for ${name} and ${JSON.stringify(awaited)}`, () => {
    assertEquals(isAwaited(keyOf(name), awaited), expected);
  });
}

/** `a` starts `b`, `b` starts `c`; `d` waits for `b`; `e` waits for its own namespace, which has no other flow. */
const BODIES: Readonly<Record<string, string>> = {
  a: "tasks: [{id: s, type: P.flow.Subflow, namespace: n, flowId: b}, {id: t, type: P.flow.Subflow, namespace: n, flowId: gone}]",
  b: "tasks: [{id: s, type: P.flow.Subflow, namespace: n.sub, flowId: c}]",
  c: "tasks: []",
  d: "triggers: [{id: t, type: P.trigger.Flow, preconditions: {flows: [{namespace: n, flowId: b}]}}]",
  e: "triggers: [{id: t, type: P.trigger.Flow, conditions: [{type: P.condition.ExecutionNamespace, namespace: alone}]}]",
};

const NAMESPACES: Readonly<Record<string, string>> = { c: "n.sub", e: "alone" };

function dependencies(): FlowDependencies {
  const heads = Object.keys(BODIES).map((id) => ({ namespace: NAMESPACES[id] ?? "n", id }) as FlowHead);
  const flows: Pick<Flows, "select" | "head" | "read"> = {
    select: (_actor, matches) => heads.filter(matches),
    head: (_actor, key) => heads.find(({ id }) => id === key.id) as FlowHead,
    read: (_actor, { id }) => Promise.resolve(flowOf(BODIES[id] ?? "")),
  };
  return new FlowDependencies({ flows, clock: new FakeClock() });
}

const ACTOR = { tenant: "main", user: "u" };
/** Flow, options, nodes, edges. */
const CASES: readonly [string, { destinationOnly: boolean; expandAll: boolean }, string[], string[]][] = [
  ["b", { destinationOnly: false, expandAll: false }, ["n/a", "n/b", "n/d", "n.sub/c"], [
    "n/a n/b FLOW_TASK",
    "n/b n.sub/c FLOW_TASK",
    "n/b n/d FLOW_TRIGGER",
  ]],
  ["b", { destinationOnly: true, expandAll: false }, ["n/b", "n/d", "n.sub/c"], [
    "n/b n.sub/c FLOW_TASK",
    "n/b n/d FLOW_TRIGGER",
  ]],
  ["a", { destinationOnly: false, expandAll: false }, ["n/a", "n/b"], ["n/a n/b FLOW_TASK"]],
  ["a", { destinationOnly: true, expandAll: true }, ["n/a", "n/b", "n/d", "n.sub/c"], [
    "n/a n/b FLOW_TASK",
    "n/b n.sub/c FLOW_TASK",
    "n/b n/d FLOW_TRIGGER",
  ]],
  ["c", { destinationOnly: false, expandAll: true }, ["n/a", "n/b", "n/d", "n.sub/c"], [
    "n/a n/b FLOW_TASK",
    "n/b n.sub/c FLOW_TASK",
    "n/b n/d FLOW_TRIGGER",
  ]],
  ["c", { destinationOnly: true, expandAll: true }, ["n.sub/c"], []],
  ["e", { destinationOnly: false, expandAll: true }, ["alone/e"], []],
];

interface Graph {
  readonly nodes: { readonly uid: string }[];
  readonly edges: { readonly source: string; readonly target: string; readonly relation: string }[];
}

function shown(answer: unknown): [string[], string[]] {
  const { nodes, edges } = answer as Graph;
  return [
    nodes.map(({ uid }) => uid).sort(),
    edges.map(({ source, target, relation }) => `${source} ${target} ${relation}`).sort(),
  ];
}

for (const [id, options, nodes, edges] of CASES) {
  Deno.test(`FlowDependencies.ofFlow() of ${id} with ${JSON.stringify(options)}`, async () => {
    const found = shown(await dependencies().ofFlow(ACTOR, { namespace: "n", id }, options));
    assertEquals(found, [[...nodes].sort(), [...edges].sort()]);
  });
}

Deno.test("FlowDependencies.ofNamespace() returns its flows and those connected with them", async () => {
  const [nodes, edges] = shown(await dependencies().ofNamespace(ACTOR, "n.sub", false));
  assertEquals([nodes, edges], [["n.sub/c", "n/b"], ["n/b n.sub/c FLOW_TASK"]]);
  assertEquals(shown(await dependencies().ofNamespace(ACTOR, "n.sub", true)), [["n.sub/c"], []]);
  assertEquals(shown(await dependencies().ofNamespace(ACTOR, "n", false))[0].length, 4);
});

Deno.test("FlowDependencies.ofTenant() leaves out flows without dependencies", async () => {
  const [nodes] = shown(await dependencies().ofTenant(ACTOR));
  assertEquals(nodes, ["n.sub/c", "n/a", "n/b", "n/d"]);
});

Deno.test("FlowDependencies.ofTenant() compares a trigger that names its flows with these alone", async () => {
  const count = 300;
  let reads = 0;
  const heads = Array.from({ length: count }, (_, index) => ({
    id: `f${index}`,
    get namespace() {
      reads++;
      return "n";
    },
  } as FlowHead));
  const waiting = flowOf(BODIES.d?.replace("flowId: b", "flowId: f0") ?? "");
  const flows: Pick<Flows, "select" | "head" | "read"> = {
    select: (_actor, matches) => heads.filter(matches),
    head: () => heads[0] as FlowHead,
    read: () => Promise.resolve(waiting),
  };
  const dependencies = new FlowDependencies({ flows, clock: new FakeClock() });
  const [, edges] = shown(await dependencies.ofTenant(ACTOR));
  assertEquals(edges.length, count - 1);
  assertEquals(reads < 50 * count, true, `${reads} reads of ${count} flows`);
});
