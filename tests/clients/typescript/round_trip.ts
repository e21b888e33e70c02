/**
 * Calls the server through the generated client in `client/`, which the generator writes beside this file. The compiler checks
 * every call against the types of the description. Ends with a line of JSON: the operations, the number of steps that passed, and the failures.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as sdk from "./client/index";
import { client } from "./client/client.gen";
import type { Execution, State } from "./client/index";

const { SERVER_URL = "", SERVER_USER = "", SERVER_PASSWORD = "", FLOWS = "" } = process.env;
const tenant = "main";
const namespace = "clients.demo";
const hello = { tenant, namespace, flowId: "hello" };

const operations = new Set<string>();
const failures: string[] = [];
let passed = 0;

/** What every generated function returns. */
interface Outcome<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** A generated function; its name counts as an operation that was called. */
function op<Name extends keyof typeof sdk>(name: Name): (typeof sdk)[Name] {
  operations.add(name);
  return sdk[name];
}

/** The data of a successful response. */
async function data<Data>(outcome: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await outcome;
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data as Data;
}

/** The status of a response that is expected to be an error. */
async function refused(outcome: Promise<Outcome<unknown>>): Promise<number> {
  const { response } = await outcome;
  assert.ok(!response.ok, `${response.url} was expected to fail`);
  return response.status;
}

async function step(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    passed++;
    console.log(`ok      ${name}`);
  } catch (error) {
    failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    console.log(`FAILED  ${failures.at(-1)}`);
  }
}

function source(file: string): string {
  return readFileSync(`${FLOWS}/${file}.yaml`, "utf8");
}

async function start(
  flowId: string,
  query: { wait?: boolean } = {},
  body: Record<string, unknown> = {},
): Promise<Execution> {
  return await data(op("createExecution")({ path: { ...hello, flowId }, query, body }));
}

/** The execution once it has one of these states. The server pushes each change as an event. */
async function reached(id: string, states: readonly State["current"][]): Promise<Execution> {
  const { stream } = await op("followExecution")({ path: { tenant, id } });
  for await (const _event of stream) {
    const execution = await data(op("getExecution")({ path: { tenant, id } }));
    if (states.includes(execution.state.current)) return execution;
  }
  return await data(op("getExecution")({ path: { tenant, id } }));
}

async function server(): Promise<void> {
  await step("health, configuration and caller", async () => {
    assert.equal((await data(op("getHealth")())).status, "UP");
    const configuration = await data(op("getConfiguration")());
    assert.equal(configuration.isBasicAuthEnabled, true);
    assert.equal((await data(op("getCurrentUser")())).username, SERVER_USER);
  });
  await step("tenants", async () => {
    const created = await data(op("createTenant")({ body: { id: "second", name: "Second" } }));
    assert.equal(created.id, "second");
    const { results } = await data(op("searchTenants")({ query: { size: 100 } }));
    assert.deepEqual(results.map(({ id }) => id).sort(), ["main", "second"]);
    assert.equal((await data(op("getTenant")({ path: { id: "second" } }))).name, "Second");
    await data(op("deleteTenant")({ path: { id: "second" } }));
    assert.equal(await refused(op("getTenant")({ path: { id: "second" } })), 404);
  });
  await step("API tokens", async () => {
    const token = await data(op("createApiTokenForCurrentUser")({ body: { name: "client" } }));
    const { results } = await data(op("listApiTokensForCurrentUser")());
    assert.deepEqual(results.map(({ name }) => name), ["client"]);
    await data(op("deleteApiTokenForCurrentUser")({ path: { id: token.id } }));
    assert.equal((await data(op("listApiTokensForCurrentUser")())).total, 0);
  });
}

async function flows(): Promise<void> {
  await step("validate, create and update flows", async () => {
    const [broken] = await data(
      op("validateFlows")({
        path: { tenant },
        body: "id: x\nnamespace: y\ntasks:\n  - id: a\n    type: b\n",
      }),
    );
    assert.ok(broken?.problems.some(({ line }) => line === 4 || line === 5), JSON.stringify(broken));
    for (const file of ["hello", "approval", "guarded"]) {
      const saved = await data(op("createFlow")({ path: { tenant }, body: source(file) }));
      assert.equal(saved.revision, 1);
    }
    const updated = await data(
      op("updateFlow")({ path: hello, body: source("hello").replace("team: clients", "team: others") }),
    );
    assert.equal(updated.revision, 2);
    assert.deepEqual(updated.labels, [{ key: "team", value: "others" }]);
    assert.equal(await refused(op("createFlow")({ path: { tenant }, body: source("hello") })), 422);
  });
  await step("read flows", async () => {
    const flow = await data(op("getFlow")({ path: hello, query: { source: true } }));
    assert.deepEqual(flow.inputs?.map(({ id, type }) => [id, type]), [["name", "STRING"], ["doc", "FILE"]]);
    assert.deepEqual(flow.triggers?.map(({ id }) => id), ["daily", "hook"]);
    const { results, total } = await data(
      op("searchFlows")({ path: { tenant }, query: { namespace, size: 2, page: 2, sort: ["id:asc"] } }),
    );
    assert.deepEqual([results.map(({ id }) => id), total], [["hello"], 3]);
    assert.equal((await data(op("listFlowsByNamespace")({ path: { tenant, namespace } }))).length, 3);
    const revisions = await data(op("listFlowRevisions")({ path: hello }));
    assert.deepEqual(revisions.map(({ revision }) => revision), [1, 2]);
    assert.equal((await data(op("getTaskFromFlow")({ path: { ...hello, taskId: "log" } }))).id, "log");
    assert.deepEqual(await data(op("listDistinctNamespaces")({ path: { tenant } })), [namespace]);
    const matches = await data(
      op("searchFlowsBySourceCode")({ path: { tenant }, query: { q: "taskrun.value" } }),
    );
    assert.equal(matches.results[0]?.model.id, "hello");
  });
  await step("graphs and dependencies", async () => {
    const graph = await data(op("generateFlowGraph")({ path: hello }));
    assert.ok(graph.nodes.some(({ task }) => task?.id === "greet"));
    assert.ok(graph.edges.some(({ relation }) => relation.relationType === "SEQUENTIAL"));
    assert.ok(graph.clusters.some(({ cluster }) => cluster.taskNode?.task?.id === "each"));
    const dependencies = await data(op("getFlowDependencies")({ path: hello }));
    assert.deepEqual(dependencies.nodes.map(({ id }) => id), ["hello"]);
  });
  await step("export, import, disable and enable flows", async () => {
    const zip = await data(op("exportFlowsByQuery")({ path: { tenant }, query: { namespace } }));
    assert.ok((zip as Blob).size > 100);
    const file = new File([source("guarded").replace("id: guarded", "id: imported")], "flows.yaml");
    assert.deepEqual(await data(op("importFlows")({ path: { tenant }, body: { fileUpload: file } })), []);
    const key = { namespace, id: "imported" };
    assert.equal((await data(op("disableFlowsByIds")({ path: { tenant }, body: [key] }))).count, 1);
    assert.equal((await data(op("getFlow")({ path: { ...hello, flowId: "imported" } }))).disabled, true);
    assert.equal((await data(op("enableFlowsByIds")({ path: { tenant }, body: [key] }))).count, 1);
    await data(op("deleteFlow")({ path: { ...hello, flowId: "imported" } }));
    assert.equal(await refused(op("getFlow")({ path: { ...hello, flowId: "imported" } })), 404);
  });
}

async function executions(): Promise<void> {
  let ended: Execution | undefined;
  await step("start with a text and a file, and wait", async () => {
    const check = await data(op("validateNewExecutionInputs")({ path: hello, body: { name: "Ann" } }));
    assert.equal(check.inputs.find(({ input }) => input.id === "name")?.value, "Ann");
    ended = await start("hello", { wait: true }, { name: "Ann", doc: new File(["a document"], "doc.txt") });
    assert.equal(ended.state.current, "SUCCESS");
    assert.deepEqual(ended.outputs, { greeting: "Hello Ann" });
    assert.match(String(ended.inputs?.doc), /doc\.txt$/);
    assert.equal(
      ended.taskRunList?.find(({ taskId }) => taskId === "log")?.attempts?.[0]?.state.current,
      "SUCCESS",
    );
  });
  const execution = (): Execution => ended ?? assert.fail("the start failed");
  await step("search and read executions", async () => {
    const { id } = execution();
    const { results, total } = await data(
      op("searchExecutions")({ path: { tenant }, query: { namespace, state: ["SUCCESS"], size: 5 } }),
    );
    assert.deepEqual([results.map((each) => each.id), total], [[id], 1]);
    const [latest] = await data(
      op("getLatestExecutions")({ path: { tenant }, body: [{ namespace, id: "hello" }] }),
    );
    assert.deepEqual([latest?.id, latest?.status], [id, "SUCCESS"]);
    assert.equal((await data(op("getFlowFromExecutionById")({ path: { tenant, id } }))).revision, 2);
    assert.ok((await data(op("getExecutionFlowGraph")({ path: { tenant, id } }))).nodes.length > 5);
    const csv = await data(op("exportExecutions")({ path: { tenant }, query: { namespace } }));
    assert.ok(String(csv).includes(id));
  });
  await step("labels and expressions of an execution", async () => {
    const { id } = execution();
    const labelled = await data(
      op("setLabelsOnTerminatedExecution")({
        path: { tenant, id },
        body: [{ key: "checked", value: "yes" }],
      }),
    );
    assert.ok(labelled.labels?.some(({ key, value }) => key === "checked" && value === "yes"));
    const { result } = await data(op("evalExpression")({ path: { tenant, id }, body: "{{ inputs.name }}" }));
    assert.equal(result, "Ann");
  });
  await step("outputs and files of an execution", async () => {
    const { id } = execution();
    const listed = await data(op("getTaskOutputsInformation")({ path: { tenant, executionId: id } }));
    const write = listed.find(({ taskId }) => taskId === "write") ?? assert.fail("write has no outputs");
    const outputs = await data(
      op("getTaskRunOutputs")({ path: { tenant, executionId: id, taskRunId: write.taskRunId } }),
    );
    const path = String(outputs.uri);
    const file = await data(op("downloadFileFromExecution")({ path: { tenant, id }, query: { path } }));
    assert.equal(await new Response(file as Blob).text(), "some rows");
    const { size } = await data(
      op("getFileMetadatasFromExecution")({ path: { tenant, id }, query: { path } }),
    );
    assert.equal(size, 9);
    assert.equal(
      (await data(op("previewFileFromExecution")({ path: { tenant, id }, query: { path } }))).content,
      "some rows",
    );
    assert.deepEqual(await data(op("getExecutionOutputs")({ path: { tenant, executionId: id } })), {
      greeting: "Hello Ann",
    });
  });
  await step("log lines", async () => {
    const { id } = execution();
    const lines = await data(
      op("listLogsFromExecution")({ path: { tenant, executionId: id }, query: { minLevel: "INFO" } }),
    );
    assert.deepEqual(lines.map(({ message, level }) => [message, level]), [["value a", "INFO"], [
      "value b",
      "INFO",
    ]]);
    const found = await data(
      op("searchLogs")({ path: { tenant }, query: { namespace, q: "value b", size: 5 } }),
    );
    assert.equal(found.results[0]?.taskId, "log");
    const text = await data(op("downloadLogsFromExecution")({ path: { tenant, executionId: id } }));
    assert.ok(String(text).includes("value a"));
  });
  await step("metrics", async () => {
    const { results } = await data(
      op("searchMetricsByExecution")({ path: { tenant, executionId: execution().id } }),
    );
    assert.equal(results.find(({ name }) => name === "rows")?.value, 3);
    assert.ok((await data(op("listFlowMetrics")({ path: hello }))).includes("rows"));
    const { aggregations } = await data(
      op("aggregateMetricsFromFlow")({ path: { ...hello, metric: "rows" }, query: { aggregation: "sum" } }),
    );
    assert.equal(aggregations.reduce((sum, { value }) => sum + value, 0), 3);
  });
  await step("replay from a task run, follow, delete", async () => {
    const { id, taskRunList } = execution();
    const taskRunId = taskRunList?.find(({ taskId }) => taskId === "measure")?.id ?? "";
    const replay = await data(op("replayExecution")({ path: { tenant, id }, query: { taskRunId } }));
    assert.equal(replay.originalId, id);
    const done = await reached(replay.id, ["SUCCESS"]);
    assert.equal(done.state.current, "SUCCESS");
    await data(op("deleteExecution")({ path: { tenant, id: replay.id } }));
    assert.equal(await refused(op("getExecution")({ path: { tenant, id: replay.id } })), 404);
  });
  await step("resume a paused execution with an input", async () => {
    const { id } = await start("approval");
    const paused = await reached(id, ["PAUSED"]);
    assert.equal(paused.waiting?.reason, "PAUSED");
    await data(op("resumeExecution")({ path: { tenant, id }, body: { approved: "true" } }));
    const done = await reached(id, ["SUCCESS", "FAILED"]);
    assert.equal(done.state.current, "SUCCESS");
    assert.deepEqual(done.taskRunList?.find(({ taskId }) => taskId === "decided")?.outputs, {
      value: "true",
    });
  });
  await step("kill one execution, and several", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push((await start("approval")).id);
    for (const id of ids) await reached(id, ["PAUSED"]);
    const [first = "", ...others] = ids;
    await data(op("killExecution")({ path: { tenant, id: first } }));
    const bulk = await data(op("killExecutionsByIds")({ path: { tenant }, body: others }));
    assert.equal(bulk.count, 2);
    for (const id of ids) assert.equal((await reached(id, ["KILLED"])).state.current, "KILLED");
  });
  await step("restart a failed execution", async () => {
    const failed = await start("guarded", { wait: true });
    assert.equal(failed.state.current, "FAILED");
    await data(op("setKeyValue")({ path: { tenant, namespace, key: "ready" }, body: "yes" }));
    await data(op("restartExecution")({ path: { tenant, id: failed.id } }));
    const done = await reached(failed.id, ["SUCCESS", "FAILED"]);
    assert.deepEqual([done.state.current, done.metadata.attemptNumber], ["SUCCESS", 2]);
  });
}

async function triggers(): Promise<void> {
  await step("triggers and webhooks", async () => {
    const { results } = await data(
      op("searchTriggers")({ path: { tenant }, query: { namespace, flowId: "hello" } }),
    );
    const daily = results.find(({ state }) => state.triggerId === "daily");
    assert.ok(daily?.state.nextExecutionDate, "the schedule has no next date");
    const key = { namespace, flowId: "hello", triggerId: "daily" };
    assert.equal(
      (await data(op("disableTriggerById")({ path: { tenant }, body: { ...key, disabled: true } }))).disabled,
      true,
    );
    const listed = await data(op("searchTriggersForFlow")({ path: hello }));
    assert.equal(listed.results.find(({ triggerId }) => triggerId === "daily")?.disabled, true);
    const unlocked = await refused(op("unlockTrigger")({ path: { tenant, ...key } }));
    assert.equal(unlocked, 409);
    const path = { ...hello, key: "a-key-of-the-round-trip" };
    const started = await data(op("triggerExecutionByPostWebhook")({ path, body: { name: "hook" } }));
    const done = await reached(started?.id ?? "", ["SUCCESS", "FAILED"]);
    assert.deepEqual([done.state.current, done.trigger?.id], ["SUCCESS", "hook"]);
  });
}

async function namespaces(): Promise<void> {
  await step("namespaces", async () => {
    const created = await data(
      op("createNamespace")({ path: { tenant }, body: { id: "clients.other", description: "Other" } }),
    );
    assert.equal(created.id, "clients.other");
    assert.equal(
      (await data(op("getNamespace")({ path: { tenant, namespace: "clients.other" } }))).description,
      "Other",
    );
    const { results } = await data(
      op("searchNamespaces")({ path: { tenant }, query: { q: "clients", size: 50 } }),
    );
    assert.ok(results.some(({ id }) => id === "clients.demo"));
    await data(op("deleteNamespace")({ path: { tenant, namespace: "clients.other" } }));
  });
  await step("KV pairs", async () => {
    const path = { tenant, namespace, key: "limits" };
    await data(
      op("setKeyValue")({ path, body: { most: 3 }, headers: { ttl: "PT1H", description: "Limits" } }),
    );
    const { type, value } = await data(op("getKeyValue")({ path }));
    assert.deepEqual([type, value], ["JSON", { most: 3 }]);
    const listed = await data(op("listKeysOfNamespace")({ path }));
    assert.deepEqual(listed.map(({ key }) => key).sort(), ["limits", "ready"]);
    const { results } = await data(op("listAllKeys")({ path: { tenant }, query: { namespace } }));
    assert.ok(results.find(({ key }) => key === "limits")?.expirationDate);
    assert.deepEqual((await data(op("deleteKeyValues")({ path, body: { keys: ["ready"] } }))).keys, [
      "ready",
    ]);
    assert.equal(await data(op("deleteKeyValue")({ path })), true);
  });
  await step("files of a namespace", async () => {
    const path = { tenant, namespace };
    const fileContent = new File(["print('hi')"], "main.py");
    await data(op("createNamespaceFile")({ path, query: { path: "/src/main.py" }, body: { fileContent } }));
    const content = await data(op("getFileContent")({ path, query: { path: "/src/main.py" } }));
    assert.equal(await new Response(content as Blob).text(), "print('hi')");
    const [entry] = await data(op("listNamespaceDirectoryFiles")({ path, query: { path: "/src" } }));
    assert.deepEqual([entry?.fileName, entry?.type, entry?.size], ["main.py", "File", 11]);
    await data(op("moveFileDirectory")({ path, query: { from: "/src/main.py", to: "/src/other.py" } }));
    assert.deepEqual(await data(op("searchNamespaceFiles")({ path, query: { q: "other" } })), [
      "/src/other.py",
    ]);
    await data(op("deleteFileDirectory")({ path, query: { path: "/src" } }));
  });
  await step("secrets", async () => {
    const path = { tenant, namespace };
    await data(op("putSecrets")({ path, body: { key: "TOKEN", value: "hidden", description: "A token" } }));
    const { results } = await data(op("listSecretsOfNamespace")({ path }));
    assert.deepEqual(results.map(({ key, description }) => [key, description]), [["TOKEN", "A token"]]);
    await data(op("deleteSecret")({ path: { ...path, key: "TOKEN" } }));
  });
}

async function catalog(): Promise<void> {
  await step("dashboards", async () => {
    const created = await data(op("createDashboard")({ path: { tenant }, body: source("runs") }));
    assert.equal(created.title, "Runs");
    assert.equal(
      (await data(op("getDashboard")({ path: { tenant, id: created.id } }))).charts[0]?.id,
      "by-state",
    );
    const chart = { tenant, id: created.id, chartId: "by-state" };
    const counts = await data(op("getDashboardChartData")({ path: chart, body: { namespace } }));
    const succeeded = counts.results.find(({ state }) => state === "SUCCESS");
    assert.ok(Number(succeeded?.total) >= 4, JSON.stringify(counts));
    await data(op("deleteDashboard")({ path: { tenant, id: created.id } }));
  });
  await step("types, expressions and templates", async () => {
    const plugins = await data(op("listPlugins")());
    assert.ok(Array.isArray(plugins) && plugins.some(({ tasks }) => tasks.length > 0));
    const type = "io.svc.plugin.core.debug.Return";
    assert.match((await data(op("getPluginDocumentation")({ path: { cls: type } }))).markdown, /Return/);
    assert.ok(
      (await data(op("getPluginBySubgroups")())).some(({ subGroup }) =>
        subGroup === "io.svc.plugin.core.debug"
      ),
    );
    assert.ok((await data(op("listTriggerPlugins")())).results.some(({ name }) => name === "Schedule"));
    const { rendered } = await data(
      op("renderExpressions")({ path: { tenant }, body: { expressions: ["{{ 1 + 1 }}"] } }),
    );
    assert.equal(String(rendered["{{ 1 + 1 }}"]), "2");
    assert.ok((await data(op("getExpressionFilters")())).includes("upper"));
    const { results } = await data(
      op("searchBlueprints")({ path: { tenant, kind: "flow" }, query: { size: 1 } }),
    ) as {
      results: sdk.BlueprintItem[];
    };
    assert.equal(results.length, 1);
  });
}

async function main(): Promise<void> {
  client.setConfig({
    baseUrl: SERVER_URL,
    auth: ({ scheme }) => scheme === "basic" ? `${SERVER_USER}:${SERVER_PASSWORD}` : undefined,
  });
  await server();
  await flows();
  await executions();
  await triggers();
  await namespaces();
  await catalog();
  console.log(JSON.stringify({ operations: [...operations].sort(), passed, failures }));
}

void main();
