/**
 * A kill ends jobs that BigQuery, Athena, dbt Cloud and Azure Blob Storage would continue. Requests are those of
 * https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/cancel,
 * https://docs.aws.amazon.com/athena/latest/APIReference/API_StopQueryExecution.html and
 * https://docs.getdbt.com/dbt-cloud/api-v2 (Cancel Run).
 */
import { assert, assertEquals } from "@std/assert";
import { type JsonObject, stringifyJson } from "../../src/base/json.ts";
import { Harness } from "../support/harness.ts";
import { until } from "../support/processes/machine_processes.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../support/servers/api_stub.ts";
import { isSigned, KEYS } from "./aws/aws_signature.ts";
import { connection, gcpError, gcpStub } from "./gcp/gcp_stub.ts";

/** Runs a flow with a task, or with several, kills it when `isRunning` resolves, and gives the warnings of its log. */
async function killed(
  task: JsonObject | readonly JsonObject[],
  isRunning: Promise<void>,
  afterKill = () => {},
): Promise<string[]> {
  await using app = await Harness.start();
  const tasks = [task].flat().map((each, index) => ({ id: `t${index}`, ...each }));
  await app.save(stringifyJson({ id: "job", namespace: "demo", tasks }));
  const { id } = await app.start("job");
  await isRunning;
  await app.json("DELETE", `/executions/${id}/kill`);
  afterKill();
  await until(async () => (await app.execution(id)).state.current === "KILLED");
  const logs = await app.json("GET", `/logs/${id}`) as readonly JsonObject[];
  return logs.filter(({ level }) => level === "WARN").map(({ message }) => String(message));
}

const JOBS = "/bigquery/v2/projects/my-project/jobs";

/** A job that runs until it is cancelled; `isRunning` resolves when it is read. */
function bigquery(cancelled: () => ApiReply) {
  const running = Promise.withResolvers<void>();
  const stub = gcpStub(({ method, path, text }) => {
    if (path.endsWith("/cancel")) return cancelled();
    if (method === "POST") return { ...JSON.parse(text), status: { state: "RUNNING" } };
    running.resolve();
    return { jobReference: { projectId: "my-project", jobId: "j" }, status: { state: "RUNNING" } };
  });
  return { stub, isRunning: running.promise };
}

const BIGQUERY_TASKS: readonly JsonObject[] = [
  { type: "io.kestra.plugin.gcp.bigquery.Query", sql: "SELECT 1" },
  { type: "io.kestra.plugin.gcp.bigquery.LoadFromGcs", from: ["gs://b/a.csv"], destinationTable: "d.t" },
  { type: "io.kestra.plugin.gcp.bigquery.Copy", sourceTables: ["d.a"], destinationTable: "d.t" },
];

for (const task of BIGQUERY_TASKS) {
  Deno.test(`a kill cancels the job of ${task.type}`, async () => {
    const { stub, isRunning } = bigquery(() => ({ kind: "bigquery#jobCancelResponse" }));
    await using _ = stub;
    const warnings = await killed({ ...connection(stub), location: "europe-west3", ...task }, isRunning);
    const started = stub.requests.find(({ path }) => path === JOBS);
    const { jobId } = JSON.parse(started?.text ?? "{}").jobReference;
    const { method, path, query, text } = stub.requests.at(-1) as ApiRequest;
    assertEquals({ method, path, query, text }, {
      method: "POST",
      path: `${JOBS}/${jobId}/cancel`,
      query: { location: "europe-west3" },
      text: "",
    });
    assertEquals(warnings, []);
  });
}

Deno.test("a kill cancels the job of io.kestra.plugin.gcp.bigquery.Load whose file is being uploaded", async () => {
  const uploading = Promise.withResolvers<void>(), killing = Promise.withResolvers<void>();
  let jobId = "";
  await using stub = gcpStub(async ({ method, path, text }) => {
    if (path.endsWith("/cancel")) return { kind: "bigquery#jobCancelResponse" };
    if (method === "POST") {
      jobId = JSON.parse(text).jobReference.jobId;
      return new Response("", { headers: { location: `${stub.url}/session` } });
    }
    uploading.resolve();
    await killing.promise;
    return { jobReference: { projectId: "my-project", jobId }, status: { state: "RUNNING" } };
  });
  const type = "io.kestra.plugin.gcp.bigquery.Load";
  const write = { type: "io.kestra.plugin.core.storage.Write", content: "a" };
  const load = { ...connection(stub), type, from: "{{ outputs.t0.uri }}", destinationTable: "d.t" };
  assertEquals(await killed([write, load], uploading.promise, killing.resolve), []);
  assertEquals(stub.calls.at(-1), `POST ${JOBS}/${jobId}/cancel`);
});

Deno.test("a job that BigQuery does not know needs no cancellation, a refusal is logged", async () => {
  const [task = {}] = BIGQUERY_TASKS;
  const unknown = bigquery(() => gcpError(404, "Not found: Job my-project:j", "notFound"));
  await using _unknown = unknown.stub;
  assertEquals(await killed({ ...connection(unknown.stub), ...task }, unknown.isRunning), []);
  const refused = bigquery(() => gcpError(403, "Access Denied", "accessDenied"));
  await using _refused = refused.stub;
  const warnings = await killed({ ...connection(refused.stub), ...task }, refused.isRunning);
  assertEquals(
    warnings.map((line) => line.replace(/sluice_\w+/, "JOB")),
    [`Cannot cancel the job "JOB" at "${refused.stub.host}": the response was 403: Access Denied (accessDenied)`],
  );
});

/** https://learn.microsoft.com/en-us/rest/api/storageservices/abort-copy-blob */
Deno.test("a kill aborts a copy of Azure Blob Storage", async () => {
  const running = Promise.withResolvers<void>();
  await using stub = new ApiStub(({ method, query }) => {
    if (query.comp === "copy") return new Response(null, { status: 204 });
    if (method === "HEAD") running.resolve();
    const headers = { "x-ms-copy-status": "pending", "x-ms-copy-id": "c1" };
    return new Response(null, { status: method === "PUT" ? 202 : 200, headers });
  });
  const copy = {
    type: "io.kestra.plugin.azure.storage.blob.Copy",
    endpoint: `${stub.url}/`,
    sasToken: "sig=a",
    from: { container: "c", name: "a" },
    to: { container: "c", name: "b" },
  };
  assertEquals(await killed(copy, running.promise), []);
  const { method, path, query, headers } = stub.requests.at(-1) as ApiRequest;
  assertEquals([method, path, query, headers["x-ms-copy-action"]], [
    "PUT",
    "/c/b",
    { comp: "copy", copyid: "c1", sig: "a" },
    "abort",
  ]);
});

/** A query that runs until it is stopped; requests without a valid signature are refused. */
function athena(started: Promise<void> = Promise.resolve()) {
  const [starting, running] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let starts = 0;
  const stub = new ApiStub(async (request) => {
    if (!isSigned(request) || request.method !== "POST") return new Response("", { status: 403 });
    const target = request.headers["x-amz-target"];
    if (target === "AmazonAthena.StopQueryExecution") return {};
    if (target === "AmazonAthena.StartQueryExecution") {
      starting.resolve();
      // The second one is of the cancellation, which has a limit of time.
      if (starts++ === 0) await started;
      return { QueryExecutionId: "q1" };
    }
    running.resolve();
    return { QueryExecution: { Status: { State: "RUNNING" } } };
  });
  return { stub, isStarting: starting.promise, isRunning: running.promise };
}

function athenaTask({ url }: ApiStub): JsonObject {
  return {
    type: "io.kestra.plugin.aws.athena.Query",
    ...KEYS,
    region: "eu-central-1",
    endpointOverride: url,
    query: "SELECT 1",
    database: "d",
    outputLocation: "s3://b/r/",
  };
}

function assertStopped({ requests }: ApiStub): void {
  const last = requests.at(-1) as ApiRequest;
  assertEquals([last.path, last.headers["x-amz-target"], last.headers["content-type"], last.text], [
    "/",
    "AmazonAthena.StopQueryExecution",
    "application/x-amz-json-1.1",
    '{"QueryExecutionId":"q1"}',
  ]);
  assert(isSigned(last));
}

Deno.test("a kill stops the query of Athena", async () => {
  const { stub, isRunning } = athena();
  await using _ = stub;
  assertEquals(await killed(athenaTask(stub), isRunning), []);
  assertStopped(stub);
});

Deno.test("a kill stops a query of Athena whose id was still to come", async () => {
  const started = Promise.withResolvers<void>();
  const { stub, isStarting } = athena(started.promise);
  await using _ = stub;
  assertEquals(await killed(athenaTask(stub), isStarting, started.resolve), []);
  assertStopped(stub);
  const [first, second] = stub.requests.map(({ text }) => JSON.parse(text));
  assertEquals([first, first.QueryString], [second, "SELECT 1"]);
});

Deno.test("a kill cancels the run that dbt.cloud.TriggerRun waits for, and not one that CheckStatus waits for", async () => {
  const running = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let reader = 0;
  await using stub = new ApiStub(({ method }) => {
    if (method === "GET") running[reader]?.resolve();
    return { data: { id: 9, status: 3 } };
  });
  const type = "io.kestra.plugin.dbt.cloud.";
  const connection = { accountId: "7", token: "secret", baseUrl: stub.url };
  const [first, second] = running;
  const start = { type: `${type}TriggerRun`, ...connection, jobId: "5" };
  assertEquals(await killed(start, first?.promise ?? Promise.resolve()), []);
  const cancellations = () => stub.calls.filter((call) => call.includes("cancel"));
  assertEquals(cancellations(), ["POST /api/v2/accounts/7/runs/9/cancel/"]);
  reader = 1;
  const wait = { type: `${type}CheckStatus`, ...connection, runId: "9" };
  assertEquals(await killed(wait, second?.promise ?? Promise.resolve()), []);
  assertEquals(cancellations().length, 1);
});
