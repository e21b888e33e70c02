/** The types of dbt Cloud against a stub with the responses of its API, version 2: https://docs.getdbt.com/dbt-cloud/api-v2 */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { dbtCloudCheckStatus, dbtCloudTriggerRun } from "../../../src/integrations/dbt/cloud_tasks.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

const ACCOUNT = "/api/v2/accounts/7";
const RESULTS = {
  results: [{
    unique_id: "model.a.b",
    status: "success",
    execution_time: 1,
    adapter_response: { rows_affected: 2 },
  }],
};

interface CloudState {
  /** Of the runs, one for each read. */
  readonly runs: JsonObject[];
  readonly artifacts?: Readonly<Record<string, object>>;
}

/** Checks the token of each request. */
function cloud({ runs, artifacts = {} }: CloudState): ApiStub {
  return new ApiStub(({ method, path, headers }: ApiRequest): ApiReply => {
    if (headers.authorization !== "Token secret") return refusal(401, "Invalid token.");
    if (method === "POST" && path === `${ACCOUNT}/jobs/5/run/`) {
      return { data: { id: 9 }, status: { code: 200 } };
    }
    if (path === `${ACCOUNT}/runs/9/`) {
      return { data: { id: 9, ...runs.length > 1 ? runs.shift() : runs[0] } };
    }
    const name = path.startsWith(`${ACCOUNT}/runs/9/artifacts/`) ? path.split("/").at(-1) ?? "" : "";
    return artifacts[name] ?? refusal(404, "The requested resource was not found.");
  });
}

function refusal(code: number, words: string): Response {
  const status = { code, is_success: false, user_message: words, developer_message: "" };
  return Response.json({ status, data: null }, { status: code });
}

function properties({ url }: ApiStub): JsonObject {
  return { accountId: 7, token: "secret", baseUrl: `${url}/`, jobId: 5, pollFrequency: "PT0.001S" };
}

const STEPS = ["a\n", "a\nb\nc", "a\nb\nc\nd"].map((logs) => ({
  run_steps: [{ id: 1, name: "dbt build", logs }],
}));

Deno.test("TriggerRun starts the job, logs its steps and stores the files of the run", async () => {
  const [first, second, third] = STEPS;
  await using stub = cloud({
    runs: [{ status: 1 }, { status: 3, ...first }, { status: 3, ...second }, { status: 10, ...third }],
    artifacts: { "run_results.json": RESULTS, "manifest.json": { nodes: {} } },
  });
  const { outputs, files, logs, metrics } = await runDefinition(dbtCloudTriggerRun, {
    ...properties(stub),
    ...{
      cause: "why",
      gitBranch: "main",
      threadsOverride: "4",
      generateDocsOverride: false,
      stepsOverride: ["dbt run"],
    },
  });
  assertEquals(JSON.parse(stub.requests[0]?.text ?? ""), {
    ...{ cause: "why", git_branch: "main", threads_override: 4, generate_docs_override: false },
    steps_override: ["dbt run"],
  });
  assertEquals(stub.requests[1]?.query, { include_related: '["run_steps"]' });
  assertEquals([outputs.runId, outputs.nodes], [9, [{
    id: "model.a.b",
    status: "success",
    seconds: 1,
    rows: 2,
  }]]);
  assertEquals(JSON.parse(files.get(String(outputs.runResults)) ?? ""), RESULTS);
  assertEquals(files.get(String(outputs.manifest)), '{"nodes":{}}');
  assertEquals(logs, [
    'INFO The job "5" runs as "9"',
    ...["INFO dbt build: a", "INFO dbt build: b", "INFO dbt build: c", "INFO dbt build: d"],
    "INFO model.a.b: success in 1.00 s",
  ]);
  assertEquals(metrics, { "rows.affected": 2 });
});

Deno.test("TriggerRun without wait returns the id of the run", async () => {
  await using stub = cloud({ runs: [] });
  const { outputs } = await runDefinition(dbtCloudTriggerRun, { ...properties(stub), wait: "false" });
  assertEquals([outputs, stub.calls.length], [{ runId: 9 }, 1]);
  assertEquals(JSON.parse(stub.requests[0]?.text ?? ""), { cause: "Triggered by a flow" });
});

Deno.test("CheckStatus accepts a run without files, and does not parse results if the task says so", async () => {
  await using bare = cloud({ runs: [{ status: 10 }] });
  assertEquals((await runDefinition(dbtCloudCheckStatus, { ...properties(bare), runId: "9" })).outputs, {});
  await using stub = cloud({ runs: [{ status: 10 }], artifacts: { "run_results.json": RESULTS } });
  const given = { ...properties(stub), runId: 9, parseRunResults: false };
  assertEquals(Object.keys((await runDefinition(dbtCloudCheckStatus, given)).outputs), ["runResults"]);
});

/** Type, properties, the runs, and the error. */
const ERRORS: readonly (readonly [TaskDefinition, JsonObject, JsonObject[], RegExp])[] = [
  [
    dbtCloudTriggerRun,
    { token: "wrong" },
    [],
    /^Cannot start the job "5" at "HOST": the response was 401: Invalid token\.$/,
  ],
  [
    dbtCloudTriggerRun,
    { jobId: "6" },
    [],
    /^Cannot start the job "6" at "HOST": the response was 404: The requested/,
  ],
  [
    dbtCloudTriggerRun,
    {},
    [{ status: 20, status_humanized: "Error", status_message: "Database error" }],
    /^The run "9" ended as Error: Database error$/,
  ],
  [
    dbtCloudCheckStatus,
    { runId: "9" },
    [{ status: 30, status_humanized: "Cancelled" }],
    /^The run "9" ended as Cancelled$/,
  ],
  [
    dbtCloudCheckStatus,
    { runId: "9", maxDuration: "PT0.003S" },
    [{ status: 3 }],
    /^The run "9" has not ended within PT0\.003S; raise maxDuration$/,
  ],
];

for (const [definition, given, runs, expected] of ERRORS) {
  Deno.test(`${definition.type} reports ${expected.source}`, async () => {
    await using stub = cloud({ runs });
    const run = () => runDefinition(definition, { ...properties(stub), ...given });
    assertMatch((await assertRejects(run, Error)).message.replace(stub.host, "HOST"), expected);
  });
}

Deno.test("a stopped CheckStatus reads the run no more", async () => {
  await using stub = cloud({ runs: [{ status: 3 }] });
  const controller = new AbortController();
  const given = { ...properties(stub), runId: "9", pollFrequency: "PT1H" };
  const run = runDefinition(dbtCloudCheckStatus, given, { signal: controller.signal });
  controller.abort();
  await assertRejects(() => run, Error);
});
