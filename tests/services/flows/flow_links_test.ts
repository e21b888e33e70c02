import { assertEquals } from "@std/assert";
import type { FlowKey } from "../../../src/model/flows/flow.ts";
import type { FlowHead } from "../../../src/store/records/flow_records.ts";
import { buildFlow, parseFlowSource } from "../../../src/flow/mod.ts";
import { FlowDependencies } from "../../../src/services/flows/flow_dependencies.ts";
import { type AwaitedFlows, isAwaited, linksOf } from "../../../src/services/flows/flow_links.ts";
import type { Flows } from "../../../src/services/flows/flows.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";

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

const FLOW_CONDITION = "{type: P.condition.ExecutionFlow, namespace: n, flowId: f}";
/** Properties of a Flow trigger, and the flows it waits for. */
const AWAITS: readonly [string, AwaitedFlows[]][] = [
  ["preconditions: {flows: [{namespace: n, flowId: f, states: [SUCCESS]}]}", [
    { namespace: "n", flowId: "f", comparison: "EQUALS" },
  ]],
  [`conditions: [${FLOW_CONDITION}]`, [{ namespace: "n", flowId: "f", comparison: "EQUALS" }]],
  ["conditions: [{type: io.kestra.plugin.core.condition.ExecutionFlowCondition, namespace: n, flowId: f}]", [
    { namespace: "n", flowId: "f", comparison: "EQUALS" },
  ]],
  ["conditions: [{type: P.condition.ExecutionNamespace, namespace: n, comparison: PREFIX}]", [
    { namespace: "n", flowId: undefined, comparison: "PREFIX" },
  ]],
  ["conditions: [{type: P.condition.ExecutionNamespace, namespace: n, prefix: true}]", [
    { namespace: "n", flowId: undefined, comparison: "PREFIX" },
  ]],
  [`conditions: [{type: P.condition.MultipleCondition, conditions: {a: ${FLOW_CONDITION}}}]`, [
    { namespace: "n", flowId: "f", comparison: "EQUALS" },
  ]],
  [`conditions: [{type: P.condition.Or, conditions: [${FLOW_CONDITION}]}]`, [
    { namespace: "n", flowId: "f", comparison: "EQUALS" },
  ]],
  [`conditions: [{type: P.condition.Not, conditions: [${FLOW_CONDITION}]}]`, []],
  ["conditions: [{type: P.condition.ExecutionStatus, in: [FAILED]}]", []],
  ["disabled: false", []],
];
for (const [members, awaits] of AWAITS) {
  Deno.test(`linksOf() of a flow trigger with ${members} waits for ${awaits.length}`, () => {
    assertEquals(linksOf(flowOf(`triggers: [{id: t, type: P.trigger.Flow, ${members}}]`)).awaits, awaits);
  });
}

const MATCHES: readonly [AwaitedFlows, string, boolean][] = [
  [{ namespace: "a.b", comparison: "EQUALS" }, "a.b/f", true],
  [{ namespace: "a.b", comparison: "EQUALS" }, "a.b.c/f", false],
  [{ namespace: "a.b", comparison: "PREFIX" }, "a.b.c/f", true],
  [{ namespace: "a.b", comparison: "PREFIX" }, "a.bc/f", false],
  [{ namespace: ".b", comparison: "SUFFIX" }, "a.b/f", true],
  [{ flowId: "f", comparison: "EQUALS" }, "any/f", true],
  [{ flowId: "f", comparison: "EQUALS" }, "any/g", false],
];
for (const [awaited, name, expected] of MATCHES) {
  Deno.test(`isAwaited() is ${expected} for ${name} and ${JSON.stringify(awaited)}`, () => {
    const [namespace = "", id = ""] = name.split("/");
    assertEquals(isAwaited({ namespace, id }, awaited), expected);
  });
}

/** `a` starts `b`, `b` starts `c`; `d` waits for `b`; `e` has no dependencies. */
const BODIES: Readonly<Record<string, string>> = {
  a: "tasks: [{id: s, type: P.flow.Subflow, namespace: n, flowId: b}, {id: t, type: P.flow.Subflow, namespace: n, flowId: gone}]",
  b: "tasks: [{id: s, type: P.flow.Subflow, namespace: n.sub, flowId: c}]",
  c: "tasks: []",
  d: "triggers: [{id: t, type: P.trigger.Flow, preconditions: {flows: [{namespace: n, flowId: b}]}}]",
  e: "tasks: []",
};

function dependencies(): FlowDependencies {
  const heads = Object.keys(BODIES).map((id) => ({ namespace: id === "c" ? "n.sub" : "n", id }) as FlowHead);
  const flows: Pick<Flows, "select" | "head" | "read"> = {
    select: (_actor, matches) => heads.filter(matches),
    head: (_actor, key) => heads.find(({ id }) => id === key.id) as FlowHead,
    read: (_actor, { id }) => Promise.resolve(flowOf(BODIES[id] ?? "")),
  };
  return new FlowDependencies(flows as Flows);
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
  ["e", { destinationOnly: false, expandAll: true }, ["n/e"], []],
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
  assertEquals(shown(await dependencies().ofNamespace(ACTOR, "n", false))[0].length, 5);
});

Deno.test("FlowDependencies.ofTenant() leaves out flows without dependencies", async () => {
  const [nodes] = shown(await dependencies().ofTenant(ACTOR));
  assertEquals(nodes, ["n.sub/c", "n/a", "n/b", "n/d"]);
});
