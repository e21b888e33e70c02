import { assertEquals, assertStringIncludes } from "@std/assert";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";

const RETURN = "io.svc.plugin.core.debug.Return";

/** A flow with one input and these checks. */
function source(checks: string, more = ""): string {
  return `id: f
namespace: demo
inputs:
  - {id: n, type: INT, defaults: 5}
checks:
${checks}
${more}
tasks:
  - {id: t, type: ${RETURN}, format: "{{ inputs.n }}"}
`;
}

const BLOCK = '  - {condition: "{{ inputs.n > 3 }}", message: "n is {{ inputs.n }}, too small"}';
const FAIL = '  - {condition: "{{ inputs.n > 3 }}", message: give it up, behavior: FAIL_EXECUTION}';
const CREATE =
  '  - {condition: "{{ inputs.n > 3 }}", message: just so, behavior: CREATE_EXECUTION, style: WARNING}';

async function startWith(server: Harness, n: string): Promise<Response> {
  return await server.request("POST", "/executions/demo/f", { body: new URLSearchParams({ n }) });
}

Deno.test("POST /executions/:namespace/:flowId returns 422 with the message of a check that blocks", async () => {
  await using server = await Harness.start();
  await server.save(source(`${CREATE}\n${FAIL}\n${BLOCK}`));
  const refused = await startWith(server, "1");
  assertEquals(refused.status, 422);
  assertEquals((await refused.json()).message, "Invalid entity: n is 1, too small");
  assertEquals((await server.json("GET", "/executions/search") as { total: number }).total, 0);
  const accepted = await startWith(server, "4");
  assertEquals([accepted.status, (await accepted.json()).state.current], [200, "CREATED"]);
});

Deno.test("POST /executions/:namespace/:flowId creates a failed execution when a check says so", async () => {
  await using server = await Harness.start();
  await server.save(source(`${CREATE}\n${FAIL}`));
  const response = await startWith(server, "1");
  const { id, state } = await response.json();
  assertEquals([response.status, state.current], [200, "FAILED"]);
  await settle();
  const execution = await server.execution(id);
  assertEquals(execution.state.histories.map((entry) => entry.state), ["CREATED", "FAILED"]);
  assertEquals(execution.taskRunList, []);
  const logs = await server.json("GET", `/logs/${id}`) as { message: string; level: string }[];
  assertEquals(logs.map(({ level, message }) => [level, message]), [["ERROR", "give it up"]]);
});

Deno.test("POST /executions/:namespace/:flowId?wait=true returns at once for an execution that a check fails", async () => {
  await using server = await Harness.start();
  await server.save(source(FAIL));
  const body = new URLSearchParams({ n: "1" });
  const answer = await server.json("POST", "/executions/demo/f?wait=true", { body }) as {
    state: { current: string };
  };
  assertEquals(answer.state.current, "FAILED");
});

Deno.test("POST /executions/:namespace/:flowId runs on when a failed check only informs", async () => {
  await using server = await Harness.start();
  await server.save(source(CREATE));
  const { id } = await (await startWith(server, "1")).json();
  await settle();
  assertEquals((await server.execution(id)).state.current, "SUCCESS");
});

Deno.test("a webhook call returns 422 when a check blocks", async () => {
  await using server = await Harness.start();
  const check = '  - {condition: "{{ inputs.n > 9 }}", message: too small}';
  await server.save(
    source(check, "triggers:\n  - {id: w, type: io.svc.plugin.core.trigger.Webhook, key: k}"),
  );
  const response = await server.request("POST", "/executions/webhook/demo/f/k");
  assertEquals(response.status, 422);
  assertStringIncludes((await response.json()).message, "too small");
});

Deno.test("a check sees flow and variables", async () => {
  await using server = await Harness.start();
  const check =
    '  - {condition: "{{ false }}", message: "{{ flow.namespace }}.{{ flow.id }} {{ vars.v }} {{ flow.revision }}"}';
  await server.save(source(check, "variables: {v: w}"));
  assertEquals((await (await startWith(server, "1")).json()).message, "Invalid entity: demo.f w 1");
});

interface ValidateResponse {
  readonly id: string;
  readonly namespace: string;
  readonly inputs: readonly { readonly [name: string]: unknown; readonly input: { readonly id: string } }[];
  readonly checks: unknown[];
}

const MANY_INPUTS = `id: f
namespace: demo
inputs:
  - {id: a, type: INT, min: 3}
  - {id: b, type: STRING, defaults: x}
  - {id: c, type: STRING, dependsOn: {inputs: [b], condition: "{{ inputs.b == 'y' }}"}}
  - {id: d, type: STRING, required: false}
  - {id: e.f, type: BOOL}
checks:
  - {condition: "{{ inputs.a > 5 }}", message: small}
tasks:
  - {id: t, type: ${RETURN}, format: x}
`;

Deno.test("POST /executions/:namespace/:flowId/validate lists every input with its value or what is wrong", async () => {
  await using server = await Harness.start();
  await server.save(MANY_INPUTS);
  const body = new URLSearchParams({ a: "1", c: "ignored", "e.f": "true" });
  const answer = await server.json("POST", "/executions/demo/f/validate", {
    body,
  }) as unknown as ValidateResponse;
  assertEquals([answer.id, answer.namespace], ["f", "demo"]);
  const found: unknown[] = answer.inputs.map(({ input, ...rest }) => ({ id: input.id, ...rest }));
  assertEquals(found, [
    {
      id: "a",
      enabled: true,
      isDefault: false,
      value: "1",
      errors: [{ message: "Invalid input for `a`, it must be more than `3`, but received `1`" }],
    },
    { id: "b", enabled: true, isDefault: true, value: "x", errors: [] },
    { id: "c", enabled: false, isDefault: false, value: "ignored", errors: [] },
    { id: "d", enabled: true, isDefault: false, errors: [] },
    { id: "e.f", enabled: true, isDefault: false, value: true, errors: [] },
  ]);
  assertEquals(answer.inputs[0]?.input as unknown, { id: "a", type: "INT", min: 3 });
  assertEquals(answer.checks, [], "checks are about inputs that are right");
});

Deno.test("POST /executions/:namespace/:flowId/validate reports which checks would fail, and creates nothing", async () => {
  await using server = await Harness.start();
  await server.save(MANY_INPUTS);
  const body = new URLSearchParams({ a: "4", "e.f": "true" });
  const answer = await server.json("POST", "/executions/demo/f/validate", {
    body,
  }) as unknown as ValidateResponse;
  assertEquals(answer.checks, [{ message: "small", style: "INFO", behavior: "BLOCK_EXECUTION" }]);
  assertEquals((await server.json("GET", "/executions/search") as { total: number }).total, 0);
});

Deno.test("POST /executions/:namespace/:flowId/validate without a form reports what is missing", async () => {
  await using server = await Harness.start();
  await server.save(MANY_INPUTS);
  const answer = await server.json("POST", "/executions/demo/f/validate") as unknown as ValidateResponse;
  assertEquals(answer.inputs[0]?.errors, [
    { message: "Invalid input for `a`, missing required input, but received `null`" },
  ]);
});

Deno.test("POST /executions/:namespace/:flowId/validate keeps no file", async () => {
  await using server = await Harness.start();
  await server.save(
    `id: f\nnamespace: demo\ninputs: [{id: file, type: FILE}]\ntasks: [{id: t, type: ${RETURN}}]\n`,
  );
  const before = server.store.count();
  const body = new FormData();
  body.append("file", new File(["content"], "a b.txt"));
  const answer = await server.json("POST", "/executions/demo/f/validate", {
    body,
  }) as unknown as ValidateResponse;
  assertEquals([answer.inputs[0]?.errors, answer.inputs[0]?.value], [[], "file:///a%20b.txt"]);
  assertEquals(server.store.count(), before);
});

const REFUSED: readonly [string, number][] = [
  ["/executions/demo/none/validate", 404],
  ["/executions/demo/f/validate?revision=9", 404],
  ["/executions/demo/f/validate?revision=x", 400],
  ["/executions/demo/off/validate", 409],
];
for (const [path, status] of REFUSED) {
  Deno.test(`POST ${path} returns ${status}`, async () => {
    await using server = await Harness.start();
    await server.save(MANY_INPUTS);
    await server.save(`id: off\nnamespace: demo\ndisabled: true\ntasks: [{id: t, type: ${RETURN}}]\n`);
    const response = await server.request("POST", path);
    await response.body?.cancel();
    assertEquals(response.status, status);
  });
}
