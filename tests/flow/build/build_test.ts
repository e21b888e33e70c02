import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { stringifyJson } from "../../../src/base/json.ts";
import { buildFlow, flowResponse, parseFlowSource } from "../../../src/flow/mod.ts";
import type { Flow } from "../../../src/model/flows/flow.ts";
import { catalog } from "../flow_support.ts";

const SOURCE = `id: hello
labels: {env: prod, n: 1, d: 2.50}
namespace: company.team
description:
revision: 9
inputs:
- {id: a, type: STRING, defaults: x}
- {name: b, type: INT, required: false, defaults: null}
variables: {v: null}
tasks:
- id: 1
  type: io.kestra.core.tasks.log.Log
  message: 2.0
  disabled: "true"
  allowFailure: true
  runIf: false
  logLevel: WARN
  retry: null
errors:
- {id: e, type: io.svc.plugin.core.debug.Return}
triggers:
- {id: w, type: io.kestra.plugin.core.trigger.Webhook, key: k}
outputs:
- {id: o, value: "{{ x }}", required: false}
`;

function flowOf(source: string): Flow {
  const { document } = parseFlowSource(source);
  assert(document);
  return buildFlow(document, { tenant: "main", revision: 3, flowNo: 7, deleted: false, source }, {
    tasks: catalog,
  });
}

Deno.test("buildFlow() gives the typed view", () => {
  const flow = flowOf(SOURCE);
  const { id, namespace, tenant, revision, flowNo, disabled, deleted, labels, variables, source } = flow;
  assertEquals({ id, namespace, tenant, revision, flowNo, disabled, deleted, labels, variables, source }, {
    id: "hello",
    namespace: "company.team",
    tenant: "main",
    revision: 3,
    flowNo: 7,
    disabled: false,
    deleted: false,
    labels: [{ key: "env", value: "prod" }, { key: "n", value: "1" }, { key: "d", value: "2.5" }],
    variables: { v: null },
    source: SOURCE,
  });
  const [task] = flow.tasks;
  assert(task);
  const { properties, ...view } = task;
  assertEquals(view, {
    id: "1",
    type: "io.kestra.core.tasks.log.Log",
    kind: "core.log.Log",
    disabled: true,
    allowFailure: true,
    allowWarning: false,
    runIf: "false",
    logLevel: "WARN",
    logToFile: undefined,
    workerGroup: undefined,
    timeout: undefined,
    retry: undefined,
    blocks: new Map(),
  });
  assertStrictEquals(String(properties.message), "2.0");
  assertEquals(flow.errors.map((error) => error.kind), ["core.debug.Return"]);
  assertEquals(flow.finally, []);
  assertEquals(flow.triggers.map(({ id, kind, disabled }) => ({ id, kind, disabled })), [
    { id: "w", kind: "core.trigger.Webhook", disabled: false },
  ]);
  assertEquals(flow.outputs, [{ id: "o", type: undefined, value: "{{ x }}", required: false }]);
  assertEquals(flow.inputs.map(({ id, type, required, defaults }) => ({ id, type, required, defaults })), [
    { id: "a", type: "STRING", required: true, defaults: "x" },
    { id: "b", type: "INT", required: false, defaults: undefined },
  ]);
});

Deno.test("buildFlow() reads labels as a list, the last of a key winning in its place", () => {
  const flow = flowOf("id: f\nlabels: [{key: a, value: 1}, {key: b, value: x}, {key: a, value: 2}]\n");
  assertEquals(flow.labels, [{ key: "a", value: "2" }, { key: "b", value: "x" }]);
});

Deno.test("flowResponse() keeps the order of the document and leaves out null members", () => {
  assertEquals(
    stringifyJson(flowResponse(flowOf(SOURCE), { source: false })),
    '{"id":"hello","namespace":"company.team","revision":3,' +
      '"labels":[{"key":"env","value":"prod"},{"key":"n","value":"1"},{"key":"d","value":"2.5"}],' +
      '"inputs":[{"id":"a","type":"STRING","defaults":"x"},{"id":"b","name":"b","type":"INT","required":false}],' +
      '"variables":{"v":null},' +
      '"tasks":[{"id":"1","type":"io.kestra.core.tasks.log.Log","message":2.0,"disabled":"true",' +
      '"allowFailure":true,"runIf":false,"logLevel":"WARN"}],' +
      '"errors":[{"id":"e","type":"io.svc.plugin.core.debug.Return"}],' +
      '"triggers":[{"id":"w","type":"io.kestra.plugin.core.trigger.Webhook","key":"k"}],' +
      '"outputs":[{"id":"o","value":"{{ x }}","required":false}],' +
      '"disabled":false,"deleted":false,"draft":false}',
  );
});

Deno.test("flowResponse() has the source on request, and the state of the flow", () => {
  const response = flowResponse(flowOf("id: 5\nnamespace: n\ndisabled: true\ndeleted: true\n"), {
    source: true,
  });
  assertEquals(response, {
    id: "5",
    namespace: "n",
    revision: 3,
    disabled: true,
    deleted: false,
    draft: false,
    source: "id: 5\nnamespace: n\ndisabled: true\ndeleted: true\n",
  });
});

const KINDS: readonly [string, string][] = [
  ["io.svc.plugin.core.log.Log", "core.log.Log"],
  ["io.kestra.plugin.core.log.Log", "core.log.Log"],
  ["io.kestra.core.tasks.log.Log", "core.log.Log"],
  ["io.svc.core.tasks.debugs.Return", "core.debug.Return"],
  ["com.acme.Task", "com.acme.Task"],
];

for (const [type, kind] of KINDS) {
  Deno.test(`buildFlow() of a task of type ${type}`, () => {
    assertStrictEquals(flowOf(`tasks: [{id: t, type: ${type}}]`).tasks[0]?.kind, kind);
  });
}

Deno.test("buildFlow() resolves the old name of the webhook", () => {
  const { triggers } = flowOf("triggers: [{id: w, type: io.kestra.core.models.triggers.types.Webhook}]");
  assertStrictEquals(triggers[0]?.kind, "core.trigger.Webhook");
});
