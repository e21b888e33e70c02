/** Partitions and transfers of BigQuery against a stub of their REST APIs. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  bigqueryCopyPartitions,
  bigqueryDeletePartitions,
  partitionId,
} from "../../../src/integrations/gcp/bigquery/partitions.ts";
import { bigqueryRunTransferConfig } from "../../../src/integrations/gcp/bigquery/transfer_config.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import type { ApiReply, ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { callsOf, connection, gcpError, gcpStub } from "./gcp_stub.ts";

const TABLES = "/bigquery/v2/projects/my-project/datasets/d/tables";
const IDS = ["20240201", "20240131", "__NULL__", "20240130", "20240228"];

/** A table with partitions; jobs end at once. */
function table(
  ids: readonly string[],
  further: (request: ApiRequest) => ApiReply = () => undefined,
): ApiStub {
  return gcpStub((request) => {
    const { method, path, text } = request;
    if (method === "POST") return { ...JSON.parse(text), status: { state: "DONE" } };
    if (!path.includes("/queries/")) return further(request);
    return {
      schema: { fields: [{ name: "partition_id", type: "STRING" }] },
      rows: ids.map((v) => ({ f: [{ v }] })),
    };
  });
}

function configurationsOf(stub: ApiStub): JsonObject[] {
  return stub.requests.filter(({ path }) => path.endsWith("/jobs")).map(({ text }) =>
    JSON.parse(text).configuration
  );
}

const INTERVAL = {
  dataset: "d",
  table: "t",
  partitionType: "DAY",
  from: "2024-01-31",
  to: "2024-02-01T12:00:00Z",
};
const SUMMARY = {
  query: { query: "SELECT partition_id FROM [my-project:d.t$__PARTITIONS_SUMMARY__]", useLegacySql: true },
};

Deno.test("DeletePartitions deletes those within the interval, also one that is gone", async () => {
  await using stub = table(IDS, ({ method, path }) => {
    if (method !== "DELETE") return undefined;
    return path.endsWith("20240131")
      ? new Response(null, { status: 204 })
      : gcpError(404, "Not found", "notFound");
  });
  const { outputs } = await runDefinition(bigqueryDeletePartitions, { ...connection(stub), ...INTERVAL });
  const partitions = ["20240131", "20240201"];
  assertEquals(outputs, { projectId: "my-project", datasetId: "d", table: "t", partitions });
  assertEquals(configurationsOf(stub), [SUMMARY]);
  assertEquals(
    callsOf(stub).filter((call) => call.startsWith("DELETE")),
    partitions.map((id) => `DELETE ${TABLES}/t%24${id}`),
  );
});

Deno.test("DeletePartitions reports a refusal with the partition and the words of BigQuery", async () => {
  await using stub = table(IDS, () => gcpError(403, "Access Denied: Table d.t", "accessDenied"));
  await assertRejects(
    () => runDefinition(bigqueryDeletePartitions, { ...connection(stub), ...INTERVAL }),
    Error,
    'Cannot delete the partition "20240131" of the table "t"',
  );
  await assertRejects(
    () => runDefinition(bigqueryDeletePartitions, { ...connection(stub), ...INTERVAL }),
    Error,
    "Access Denied: Table d.t (accessDenied)",
  );
});

Deno.test("CopyPartitions copies those within the interval by one job", async () => {
  await using stub = table(["7", "3", "30"]);
  const copied = {
    dataset: "d",
    table: "t",
    partitionType: "RANGE",
    from: "3",
    to: 7,
    destinationTable: "e.u",
  };
  const properties = { ...connection(stub), ...copied, writeDisposition: "WRITE_TRUNCATE" };
  const { outputs } = await runDefinition(bigqueryCopyPartitions, properties);
  assertEquals([outputs.partitions, String(outputs.jobId).startsWith("sluice_")], [["3", "7"], true]);
  const source = (tableId: string) => ({ projectId: "my-project", datasetId: "d", tableId });
  assertEquals(configurationsOf(stub)[1], {
    copy: {
      sourceTables: [source("t$3"), source("t$7")],
      destinationTable: { projectId: "my-project", datasetId: "e", tableId: "u" },
      writeDisposition: "WRITE_TRUNCATE",
    },
  });
});

Deno.test("CopyPartitions without a partition fails, unless skipEmpty is set", async () => {
  await using stub = table([]);
  const run = (further: JsonObject) =>
    runDefinition(bigqueryCopyPartitions, {
      ...connection(stub),
      ...INTERVAL,
      destinationTable: "e.u",
      ...further,
    });
  await assertRejects(
    () => run({}),
    Error,
    'Cannot copy partitions: the table "d.t" has none in the interval',
  );
  assertEquals((await run({ skipEmpty: true })).outputs.partitions, []);
});

const BOUNDS: readonly (readonly [bound: string, type: string, id: string])[] = [
  ["2024-01-31", "DAY", "20240131"],
  ["2024-01-31T23:59:59.5Z", "DAY", "20240131"],
  ["2024-01-31", "HOUR", "2024013100"],
  ["2024-01-31T23:00", "HOUR", "2024013123"],
  ["2024-01", "MONTH", "202401"],
  ["2024-01-31", "YEAR", "2024"],
  ["-5", "RANGE", "-5"],
];

for (const [bound, type, id] of BOUNDS) {
  Deno.test(`partitionId() of ${bound} by ${type} is ${id}`, () =>
    assertEquals(partitionId(bound, type), id));
}

for (
  const [bound, type] of [["2024-01", "DAY"], ["yesterday", "DAY"], ["1.5", "RANGE"], ["20240131", "DAY"]]
) {
  Deno.test(`partitionId() refuses ${bound} by ${type}`, () => {
    assertThrows(() => partitionId(bound, type ?? ""), Error, `Invalid partition "${bound}"`);
  });
}

const CONFIG = "projects/my-project/locations/eu/transferConfigs/c1";

/** A transfer whose run has these states, one at each look. */
function transfer(...states: readonly JsonObject[]): ApiStub {
  const left = [...states];
  return gcpStub(({ method, path, text }) => {
    if (path === `/v1/${CONFIG}/runs/r1` && method === "GET") {
      return { name: `${CONFIG}/runs/r1`, ...left.shift() };
    }
    const isStart = method === "POST" && path === `/v1/${CONFIG}:startManualRuns` &&
      typeof JSON.parse(text).requestedRunTime === "string";
    return isStart ? { runs: [{ name: `${CONFIG}/runs/r1`, state: "PENDING" }] } : undefined;
  });
}

const runTransfer = (stub: ApiStub, further: JsonObject = {}) =>
  runDefinition(bigqueryRunTransferConfig, {
    ...connection(stub),
    transferConfigName: CONFIG,
    pollInterval: "PT0.001S",
    ...further,
  });

Deno.test("RunTransferConfig starts the transfer and waits for its end", async () => {
  await using stub = transfer({ state: "RUNNING" }, { state: "SUCCEEDED" });
  const { outputs } = await runTransfer(stub);
  assertEquals(outputs, { runs: [{ name: `${CONFIG}/runs/r1`, state: "SUCCEEDED" }] });
  assertEquals(callsOf(stub).length, 3);
  const { outputs: started } = await runTransfer(stub, { wait: false });
  assertEquals(started, { runs: [{ name: `${CONFIG}/runs/r1`, state: "PENDING" }] });
});

Deno.test("RunTransferConfig fails with the words of a failed run, a refusal, a wrong name, and after its time", async () => {
  await using stub = transfer({ state: "FAILED", errorStatus: { code: 3, message: "no such bucket" } });
  await assertRejects(() => runTransfer(stub), Error, "ended in the state FAILED: no such bucket");
  await assertRejects(() => runTransfer(stub, { maxDuration: "PT0S" }), Error, "has not ended within PT0S");
  await assertRejects(
    () => runTransfer(stub, { transferConfigName: "c1" }),
    Error,
    'Invalid transferConfigName "c1"',
  );
  await using refusing = gcpStub(() => gcpError(404, "Requested entity was not found.", "notFound"));
  await assertRejects(() => runTransfer(refusing), Error, "Requested entity was not found. (notFound)");
});
