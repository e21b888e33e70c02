/** The types for the API against a server of the project: a stub passes their requests on. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import {
  executionsCount,
  executionsDelete,
  executionsKill,
  executionsQuery,
  executionsResume,
} from "../../src/integrations/kestra/executions.ts";
import {
  flowsExport,
  flowsExportById,
  flowsList,
  logsFetch,
  namespacesList,
} from "../../src/integrations/kestra/lists.ts";
import {
  namespacesWithFlows,
  scheduleMonitor,
  triggersToggle,
} from "../../src/integrations/kestra/triggers.ts";
import type { TaskDefinition } from "../../src/model/tasks/task_definition.ts";
import { ApiStub } from "../support/servers/api_stub.ts";
import { pollDefinition, runDefinition } from "../support/flows/definition_run.ts";
import { Harness } from "../support/harness.ts";

const TOKEN = "token-1";

/** Passes requests with the token on to the server. */
function gateway(app: Harness): ApiStub {
  return new ApiStub(async ({ method, url, headers, bytes }) => {
    if (headers.authorization !== `Bearer ${TOKEN}`) {
      return Response.json({ message: "Unauthorized" }, { status: 401 });
    }
    const { pathname, search } = new URL(url);
    const path = `${pathname.replace(/^\/api\/v1\/main/, "")}${search}`;
    const type = headers["content-type"];
    const body = bytes.length === 0 ? {} : { body: bytes, headers: { "content-type": type ?? "" } };
    const response = await app.request(method, path, { method, ...body });
    const content = response.status === 204 ? null : await response.bytes();
    return new Response(content, { status: response.status, headers: response.headers });
  });
}

const FLOWS = [
  `id: hello
namespace: demo
labels: {team: a}
tasks: [{id: log, type: io.kestra.plugin.core.log.Log, message: hi}]`,
  `id: wait
namespace: demo
tasks:
- id: pause
  type: io.kestra.plugin.core.flow.Pause
  onResume: [{id: n, type: INT}]
- {id: after, type: io.kestra.plugin.core.log.Log, message: "{{ outputs.pause.onResume.n }}"}`,
];

Deno.test("the types find, resume, kill and delete executions, and list what the server has", async () => {
  await using app = await Harness.start();
  for (const flow of FLOWS) await app.save(flow);
  const { id } = await app.start("hello", {}, "?wait=true&labels=env:test");
  await using stub = gateway(app);
  const run = (definition: TaskDefinition, properties: JsonObject = {}) =>
    runDefinition(definition, { kestraUrl: `${stub.url}/`, auth: { apiToken: TOKEN }, ...properties });

  const found = await run(executionsQuery, {
    namespace: "demo",
    states: ["SUCCESS", "FAILED"],
    labels: { env: "test" },
    size: 1,
    fetchType: "FETCH",
  });
  assertEquals((found.outputs.rows as JsonObject[]).map((execution) => execution.id), [id]);
  assertEquals((await run(executionsQuery, { flowId: "none", fetchType: "FETCH" })).outputs.size, 0);
  assertEquals((await run(executionsCount, { namespaces: ["demo", "other"], states: ["SUCCESS"] })).outputs, {
    count: 1,
  });

  const logs = await run(logsFetch, { executionId: String(id), tasksId: ["log"] });
  assertEquals(logs.outputs.size, 1);
  assertMatch(logs.files.get(String(logs.outputs.uri)) ?? "", /"message":"hi"/);

  const flows = await run(flowsList, { namespace: "demo" });
  assertEquals((flows.outputs.flows as JsonObject[]).map((flow) => flow.id).sort(), ["hello", "wait"]);
  assertEquals((await run(namespacesList, { prefix: "de" })).outputs, { namespaces: ["demo"] });
  for (
    const [definition, properties] of [
      [flowsExport, { namespace: "demo", labels: ["team:a"] }],
      [flowsExportById, { flows: [{ namespace: "demo", id: "hello" }] }],
    ] as const
  ) {
    const { outputs, bytes } = await run(definition, properties as unknown as JsonObject);
    assertEquals(new TextDecoder().decode(bytes.get(String(outputs.flowsZip))?.subarray(0, 2)), "PK");
  }

  const paused = await app.start("wait");
  await run(executionsResume, { executionId: String(paused.id), inputs: { n: 7 } });
  const resumed = await run(logsFetch, { executionId: String(paused.id), tasksId: ["after"] });
  assertMatch(resumed.files.get(String(resumed.outputs.uri)) ?? "", /"message":"7"/);
  const other = await app.start("wait");
  await run(executionsKill, { executionId: String(other.id) });
  assertEquals((await app.execution(other.id)).state.current, "KILLED");
  await run(executionsDelete, { executionId: String(id) });
  await assertRejects(
    () => run(executionsKill, { executionId: String(id) }),
    Error,
    `Cannot kill the execution "${id}" at "${stub.host}": the response was 404: `,
  );
  await assertRejects(() => run(flowsList, { auth: {} }), Error, "the response was 401: Unauthorized");
});

Deno.test("Toggle switches triggers, NamespacesWithFlows lists namespaces", async () => {
  await using app = await Harness.start();
  await app.save(`id: s
namespace: team.a
tasks: [{id: log, type: io.kestra.plugin.core.log.Log, message: hi}]
triggers:
- {id: one, type: io.kestra.plugin.core.trigger.Schedule, cron: "0 0 1 1 *"}
- {id: two, type: io.kestra.plugin.core.trigger.Schedule, cron: "0 0 1 1 *"}`);
  await using stub = gateway(app);
  const connection = { kestraUrl: stub.url, auth: { apiToken: TOKEN } };
  const disabled = async () => {
    const { results } = await app.page("/triggers/team.a/s");
    return results.filter((trigger) => trigger.disabled === true).map(({ triggerId }) => triggerId);
  };
  const selected = { ...connection, namespace: "team.a", flowId: "s" };
  await runDefinition(triggersToggle, { ...selected, trigger: "two" });
  assertEquals(await disabled(), ["two"]);
  const found = await pollDefinition(scheduleMonitor, {
    ...connection,
    includeDisabled: true,
    allowedDelay: "P36500D",
  });
  assertEquals((found.outputs.data as JsonObject[]).map(({ triggerId }) => triggerId), ["two"]);
  await runDefinition(triggersToggle, { ...selected, enabled: true });
  assertEquals(await disabled(), []);
  const listed = await runDefinition(namespacesWithFlows, { ...connection, prefix: "team" });
  assertEquals(listed.outputs, { namespaces: ["team.a"] });
});

const PAST = "2020-01-01T00:00:00Z", FUTURE = "2999-01-01T00:00:00Z";
const TYPE = "io.kestra.plugin.core.trigger.Schedule";

/** States of schedules as both forms of the API have them, the properties, and whether they are reported. */
const SCHEDULES: readonly (readonly [entry: JsonObject, properties: JsonObject, isFound: boolean])[] = [
  [{ trigger: { type: TYPE }, state: { nextEvaluationDate: FUTURE } }, {}, false],
  [{ trigger: { type: TYPE }, state: { nextEvaluationDate: PAST } }, {}, true],
  [{ abstractTrigger: { type: TYPE }, triggerContext: { nextExecutionDate: PAST } }, {}, true],
  [{ trigger: { type: TYPE }, state: {} }, {}, true],
  [{ trigger: { type: TYPE }, state: { backfill: {} } }, {}, false],
  [{ trigger: { type: TYPE, disabled: true }, state: {} }, {}, false],
  [{ trigger: { type: TYPE }, state: { disabled: true } }, { includeDisabled: true }, true],
  [{ trigger: { type: TYPE }, state: { evaluatedAt: PAST, nextEvaluationDate: FUTURE } }, {
    maxExecutionInterval: "P1D",
  }, true],
  [{ trigger: { type: "io.kestra.plugin.core.trigger.Webhook" }, state: {} }, {}, false],
];

for (const [entry, properties, isFound] of SCHEDULES) {
  Deno.test(`ScheduleMonitor reports ${isFound} for ${JSON.stringify([entry, properties])}`, async () => {
    await using stub = new ApiStub(() => ({ results: [entry], total: 1 }));
    assertEquals(
      (await pollDefinition(scheduleMonitor, { kestraUrl: stub.url, ...properties })).isFound,
      isFound,
    );
  });
}
