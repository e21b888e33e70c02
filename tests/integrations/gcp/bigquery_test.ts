/** The types of BigQuery against a stub of its REST API. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import {
  bigqueryCreateDataset,
  bigqueryDeleteDataset,
  bigqueryUpdateDataset,
} from "../../../src/integrations/gcp/bigquery/datasets.ts";
import { bigqueryCopy, bigqueryExtractToGcs } from "../../../src/integrations/gcp/bigquery/extract.ts";
import { bigqueryLoad, bigqueryLoadFromGcs } from "../../../src/integrations/gcp/bigquery/load.ts";
import { bigqueryQuery, bigqueryTrigger } from "../../../src/integrations/gcp/bigquery/query.ts";
import {
  bigqueryCreateTable,
  bigqueryDeleteTable,
  bigqueryTableMetadata,
  bigqueryUpdateTable,
} from "../../../src/integrations/gcp/bigquery/tables.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import type { ApiReply, ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import type { GcpClient } from "../../../src/integrations/gcp/client.ts";
import { queryRows } from "../../../src/integrations/gcp/bigquery/rows.ts";
import { pollDefinition, runDefinition } from "../../support/flows/definition_run.ts";
import { callsOf, connection, gcpError, gcpStub } from "./gcp_stub.ts";

const JOBS = "/bigquery/v2/projects/my-project/jobs";
const FILE = "kestra:///demo/data.csv";

const SCHEMA = {
  fields: [
    { name: "id", type: "INTEGER" },
    { name: "big", type: "INTEGER" },
    { name: "price", type: "FLOAT" },
    { name: "total", type: "NUMERIC" },
    { name: "exact", type: "BIGNUMERIC" },
    { name: "ok", type: "BOOLEAN" },
    { name: "at", type: "TIMESTAMP" },
    { name: "day", type: "DATE" },
    { name: "tags", type: "STRING", mode: "REPEATED" },
    {
      name: "place",
      type: "RECORD",
      fields: [{ name: "x", type: "INTEGER" }, { name: "y", type: "STRING" }],
    },
    { name: "data", type: "JSON" },
    { name: "none", type: "STRING" },
  ],
};

function cells(id: string): JsonObject {
  const place = { f: [{ v: "4" }, { v: null }] };
  const tags = [{ v: "a" }, { v: "b" }];
  const values = [
    id,
    "9007199254740993",
    "1.5",
    id === "2" ? "12345678901234567890" : "12.50",
    "12345678901234567890.123456789",
    "true",
    id === "2" ? "253402300799999999" : "1767225600123456",
    "2026-01-01",
    tags,
    place,
    '{"a":1}',
    null,
  ];
  return { f: values.map((v) => ({ v })) };
}

/** The row as Ion has it. */
function rowText(id: number): string {
  const at = id === 2 ? "9999-12-31T23:59:59.999999Z" : "2026-01-01T00:00:00.123456Z";
  const total = id === 2 ? "12345678901234567890" : "12.5";
  return `{"id":${id},"big":9007199254740993,"price":1.5,"total":${total},` +
    `"exact":"12345678901234567890.123456789","ok":true,"at":"${at}","day":"2026-01-01",` +
    '"tags":["a","b"],"place":{"x":4,"y":null},"data":{"a":1},"none":null}';
}

/** Jobs end at the second look; a query has two pages of one row. */
function jobs(
  statistics: JsonObject = {},
  configuration: JsonObject = {},
): (request: ApiRequest) => ApiReply {
  let job: JsonObject = {};
  return ({ method, path, query, text }) => {
    if (method === "POST") {
      job = JSON.parse(text);
      return { ...job, status: { state: "RUNNING" } };
    }
    if (path.includes("/queries/")) {
      const isSecond = query.pageToken === "next";
      return {
        schema: SCHEMA,
        rows: [cells(isSecond ? "2" : "1")],
        ...isSecond ? {} : { pageToken: "next" },
      };
    }
    return {
      ...job,
      configuration: { ...job.configuration as JsonObject, ...configuration },
      status: { state: "DONE" },
      statistics,
    };
  };
}

function sentJob(stub: ApiStub): JsonObject {
  return JSON.parse(stub.requests.find(({ path }) => path.endsWith("/jobs"))?.text ?? "{}");
}

Deno.test("Query starts a job, waits for its end, and gives the rows with FETCH", async () => {
  const destinationTable = { projectId: "my-project", datasetId: "_temp", tableId: "anon" };
  await using stub = gcpStub(
    jobs({ query: { totalBytesProcessed: "10", totalBytesBilled: "20", cacheHit: false } }, {
      query: { destinationTable },
    }),
  );
  const { outputs, metrics } = await runDefinition(bigqueryQuery, {
    ...connection(stub),
    sql: "SELECT 1",
    fetch: true,
    location: "EU",
    labels: { team: "a" },
  });
  const { jobReference, configuration } = sentJob(stub) as Record<string, JsonObject>;
  assertMatch(String(jobReference?.jobId), /^sluice_h_t_\w+$/);
  assertEquals([jobReference?.projectId, jobReference?.location], ["my-project", "EU"]);
  assertEquals(configuration, {
    query: { query: "SELECT 1", useLegacySql: false },
    labels: { team: "a" },
  });
  const id = String(jobReference?.jobId);
  assertEquals(callsOf(stub), [
    `POST ${JOBS}`,
    `GET ${JOBS}/${id}`,
    `GET /bigquery/v2/projects/my-project/queries/${id}`,
    `GET /bigquery/v2/projects/my-project/queries/${id}`,
  ]);
  assertEquals([
    stub.requests.at(-1)?.query.location,
    stub.requests.at(-1)?.query["formatOptions.useInt64Timestamp"],
  ], [
    "EU",
    "true",
  ]);
  assertEquals([outputs.jobId, outputs.size, (outputs.rows as JsonObject[]).map(({ id }) => id)], [id, 2, [
    1,
    2,
  ]]);
  assertEquals(outputs.destinationTable, { project: "my-project", dataset: "_temp", table: "anon" });
  assertEquals(metrics, {
    "total.bytes.processed": 10,
    "total.bytes.billed": 20,
    "cache.hit": 0,
    "fetch.size": 2,
  });
});

Deno.test("queryRows() gives the text itself of an integer or a time that is longer than one may be", async () => {
  const digits = "9".repeat(2_000);
  const schema = { fields: [{ name: "n", type: "INT64" }, { name: "at", type: "TIMESTAMP" }] };
  const page = { schema, rows: [{ f: [{ v: digits }, { v: digits }] }] };
  const client = { json: () => Promise.resolve(page) } as unknown as GcpClient;
  const rows = await Array.fromAsync(queryRows(client, { projectId: "p", jobId: "j" }));
  assertEquals(rows, [{ n: digits, at: digits }]);
});

/** Responses whose rows would be larger than they are. */
const WIDE: readonly (readonly [what: string, page: JsonObject, message: string])[] = [
  [
    "more than 4,096 columns",
    { schema: { fields: Array.from({ length: 4_097 }, (_, index) => ({ name: `c${index}` })) } },
    "The result has 4097 columns; the limit is 4096",
  ],
  [
    "more than 4,096 columns together with those of records",
    {
      schema: { fields: [{ name: "a", fields: [{ name: "b", fields: Array(4_095).fill({ name: "c" }) }] }] },
    },
    "The result has 4097 columns; the limit is 4096",
  ],
  [
    "a long name",
    { schema: { fields: [{ name: "x".repeat(2_049) }] } },
    "The names of the columns are too long",
  ],
  [
    "a row that lacks cells",
    { schema: { fields: [{ name: "a" }, { name: "b" }] }, rows: [{ f: [{ v: "1" }] }] },
    "A row has 1 cells, the result has 2 columns",
  ],
  [
    "a record that lacks cells",
    { schema: { fields: [{ name: "a", fields: [{ name: "b" }] }] }, rows: [{ f: [{ v: {} }] }] },
    "A row has 0 cells, the result has 1 columns",
  ],
];

for (const [what, page, message] of WIDE) {
  Deno.test(`queryRows() refuses a result with ${what}`, async () => {
    const client = { json: () => Promise.resolve(page) } as unknown as GcpClient;
    const read = () => Array.fromAsync(queryRows(client, { projectId: "p", jobId: "j" }));
    await assertRejects(read, Error, message);
  });
}

Deno.test("Query stores the rows with their types, or gives the first", async () => {
  await using stub = gcpStub(jobs());
  const stored = await runDefinition(bigqueryQuery, {
    ...connection(stub),
    sql: "SELECT 1",
    fetchType: "STORE",
  });
  assertEquals(stored.files.get(String(stored.outputs.uri)), `${rowText(1)}\n${rowText(2)}\n`);
  assertEquals(stored.outputs.size, 2);
  const one = await runDefinition(bigqueryQuery, { ...connection(stub), sql: "SELECT 1", fetchOne: true });
  assertEquals([(one.outputs.row as JsonObject).id, one.outputs.size], [1, 1]);
  assertEquals(stub.requests.at(-1)?.query.maxResults, "1");
  const none = await runDefinition(bigqueryQuery, { ...connection(stub), sql: "CREATE TABLE a.b (x INT64)" });
  assertEquals(Object.keys(none.outputs), ["jobId"]);
});

Deno.test("Query sends where and how its rows are written", async () => {
  await using stub = gcpStub(jobs());
  await runDefinition(bigqueryQuery, {
    ...connection(stub),
    projectId: "other",
    sql: "SELECT 1",
    destinationTable: "`p-1.d.t`",
    writeDisposition: "WRITE_TRUNCATE",
    createDisposition: "CREATE_IF_NEEDED",
    defaultDataset: "d2",
    timePartitioningField: "day",
    clusteringFields: ["a"],
    dryRun: true,
  });
  assertEquals(sentJob(stub).configuration as JsonObject, {
    query: {
      createDisposition: "CREATE_IF_NEEDED",
      writeDisposition: "WRITE_TRUNCATE",
      clustering: { fields: ["a"] },
      timePartitioning: { type: "DAY", field: "day" },
      query: "SELECT 1",
      useLegacySql: false,
      destinationTable: { projectId: "p-1", datasetId: "d", tableId: "t" },
      defaultDataset: { projectId: "other", datasetId: "d2" },
    },
    dryRun: true,
  });
  assertEquals(callsOf(stub), ["POST /bigquery/v2/projects/other/jobs"]);
});

Deno.test("a job whose start was repeated is found by its id", async () => {
  let count = 0;
  const reply = jobs();
  await using stub = gcpStub((request) => {
    if (request.method !== "POST") return reply(request);
    reply(request);
    return ++count === 1
      ? gcpError(503, "Unavailable", "backendError")
      : gcpError(409, "Already Exists", "duplicate");
  });
  const { outputs } = await runDefinition(bigqueryQuery, { ...connection(stub), sql: "SELECT 1" });
  const [first, second] = stub.requests.filter(({ path }) => path === JOBS).map(({ text }) =>
    JSON.parse(text)
  );
  assertEquals([second, outputs.jobId], [first, first.jobReference.jobId]);
});

const QUERY_ERRORS: readonly (readonly [(request: ApiRequest) => ApiReply, error: RegExp])[] = [
  [
    () => gcpError(400, "Syntax error: Unexpected keyword FROM at [1:8]", "invalidQuery"),
    /^Cannot start the job "sluice_h_t_\w+" at "HOST": the response was 400: Syntax error: .* at \[1:8\] \(invalidQuery\)$/,
  ],
  [
    ({ text }) => ({
      jobReference: JSON.parse(text).jobReference,
      status: {
        state: "DONE",
        errorResult: { message: "Division by zero" },
        errors: [{ message: "Division by zero" }, { message: "row 2" }],
      },
    }),
    /^The job "sluice_h_t_\w+" failed: Division by zero; row 2$/,
  ],
];

for (const [reply, expected] of QUERY_ERRORS) {
  Deno.test(`Query reports ${expected.source}`, async () => {
    await using stub = gcpStub(reply);
    const error = await assertRejects(
      () => runDefinition(bigqueryQuery, { ...connection(stub), sql: "SELECT FROM" }),
      Error,
    );
    assertMatch(error.message.replace(stub.host, "HOST"), expected);
  });
}

Deno.test("Trigger finds rows, and nothing where there are none", async () => {
  await using full = gcpStub(jobs());
  const found = await pollDefinition(bigqueryTrigger, { ...connection(full), sql: "SELECT 1" });
  assertEquals([found.outputs.size, (found.outputs.rows as JsonObject[]).length], [2, 2]);
  const reply = jobs();
  await using empty = gcpStub((request) =>
    request.path.includes("/queries/") ? { schema: SCHEMA } : reply(request)
  );
  assertEquals(
    (await pollDefinition(bigqueryTrigger, { ...connection(empty), sql: "SELECT 1" })).isFound,
    false,
  );
});

const LOADED = { load: { outputRows: "7", inputFileBytes: "4", badRecords: "0" } };
const ORDERS = { projectId: "my-project", datasetId: "d", tableId: "orders" };

Deno.test("Load uploads the file with the configuration of the job", async () => {
  let job: JsonObject = {};
  await using stub = gcpStub(({ method, text }, { url }) => {
    if (method === "PUT") return { ...job, status: { state: "DONE" }, statistics: LOADED };
    job = JSON.parse(text);
    return new Response("", { headers: { location: `${url}/session` } });
  });
  const { outputs, metrics } = await runDefinition(bigqueryLoad, {
    ...connection(stub),
    from: FILE,
    destinationTable: "d.orders",
    format: "JSON",
    autodetect: true,
    csvOptions: { fieldDelimiter: ";", skipLeadingRows: "1", allowQuotedNewLines: true },
    schema: { fields: [{ name: "a", type: "STRING" }] },
  }, { files: { [FILE]: "a,b\n" } });
  assertEquals(job.configuration, {
    load: {
      destinationTable: ORDERS,
      sourceFormat: "NEWLINE_DELIMITED_JSON",
      schema: { fields: [{ name: "a", type: "STRING" }] },
      autodetect: true,
      fieldDelimiter: ";",
      skipLeadingRows: 1,
      allowQuotedNewlines: true,
    },
  });
  assertEquals(callsOf(stub), ["POST /upload/bigquery/v2/projects/my-project/jobs", "PUT /session"]);
  assertEquals(stub.requests.at(-1)?.text, "a,b\n");
  assertEquals([outputs.rows, outputs.destinationTable], [7, {
    project: "my-project",
    dataset: "d",
    table: "orders",
  }]);
  assertEquals(metrics, { "output.rows": 7, "input.bytes": 4, "bad.records": 0 });
});

Deno.test("Load refuses an empty file, unless that is allowed", async () => {
  await using stub = gcpStub(() => undefined);
  const run = (further: JsonObject) =>
    runDefinition(bigqueryLoad, { ...connection(stub), from: FILE, destinationTable: "d.t", ...further }, {
      files: { [FILE]: "" },
    });
  await assertRejects(() => run({}), Error, "Cannot load the file: it is empty");
  assertEquals((await run({ failedOnEmpty: false })).outputs, { rows: 0 });
});

/** Types that run a job: properties, the configuration that is sent, the statistics of the job, the outputs. */
const RUN: readonly (readonly [TaskDefinition, JsonObject, JsonObject, JsonObject, JsonObject])[] = [
  [
    bigqueryLoadFromGcs,
    { from: ["gs://b/*.csv"], destinationTable: "d.orders", format: "CSV", ignoreUnknownValues: true },
    {
      load: {
        destinationTable: ORDERS,
        sourceFormat: "CSV",
        ignoreUnknownValues: true,
        sourceUris: ["gs://b/*.csv"],
      },
    },
    LOADED,
    { rows: 7, destinationTable: { project: "my-project", dataset: "d", table: "orders" } },
  ],
  [
    bigqueryExtractToGcs,
    {
      sourceTable: "d.orders",
      destinationUris: ["gs://b/o-*.csv"],
      format: "CSV",
      fieldDelimiter: ";",
      printHeader: false,
    },
    {
      extract: {
        sourceTable: ORDERS,
        destinationUris: ["gs://b/o-*.csv"],
        destinationFormat: "CSV",
        fieldDelimiter: ";",
        printHeader: false,
      },
    },
    { extract: { destinationUriFileCounts: ["3"] } },
    { sourceTable: "d.orders", destinationUris: ["gs://b/o-*.csv"], fileCounts: [3] },
  ],
  [
    bigqueryCopy,
    {
      sourceTables: ["my-project:d.orders"],
      destinationTable: "d.copy",
      operationType: "COPY",
      writeDisposition: "WRITE_APPEND",
    },
    {
      copy: {
        sourceTables: [ORDERS],
        destinationTable: { ...ORDERS, tableId: "copy" },
        operationType: "COPY",
        writeDisposition: "WRITE_APPEND",
      },
    },
    {},
    {},
  ],
];

for (const [definition, properties, configuration, statistics, expected] of RUN) {
  Deno.test(`${definition.type} runs a job`, async () => {
    await using stub = gcpStub(jobs(statistics));
    const { outputs } = await runDefinition(definition, { ...connection(stub), ...properties });
    assertEquals(sentJob(stub).configuration, configuration);
    const { jobId, ...others } = outputs;
    assertEquals([others, jobId], [expected, (sentJob(stub).jobReference as JsonObject).jobId]);
  });
}

const DATASETS = "/bigquery/v2/projects/my-project/datasets";
const DATASET = {
  dataset: "d",
  project: "my-project",
  friendlyName: null,
  description: null,
  location: "EU",
};
const TABLE = {
  tableReference: { projectId: "my-project", datasetId: "d", tableId: "t" },
  numRows: "5",
  creationTime: "1767225600000",
  type: "TABLE",
};
const TABLE_OUTPUTS = {
  projectId: "my-project",
  datasetId: "d",
  tableId: "t",
  type: "TABLE",
  creationTime: 1767225600000,
  numRows: 5,
};

/** Types that send one request, or a second after a conflict: properties, replies, calls, the last body, the outputs. */
const SENT:
  readonly (readonly [TaskDefinition, JsonObject, (() => ApiReply)[], string[], unknown, JsonObject])[] = [
    [
      bigqueryCreateDataset,
      {
        name: "d",
        location: "EU",
        defaultTableLifetime: "P1D",
        acl: [{ entity: { type: "USER", value: "a@b.c" }, role: "READER" }],
      },
      [() => ({ location: "EU" })],
      [`POST ${DATASETS}`],
      {
        datasetReference: { projectId: "my-project", datasetId: "d" },
        location: "EU",
        defaultTableExpirationMs: "86400000",
        access: [{ role: "READER", userByEmail: "a@b.c" }],
      },
      DATASET,
    ],
    [
      bigqueryCreateDataset,
      { name: "my-project.d", ifExists: "SKIP" },
      [() => gcpError(409, "Already Exists: Dataset", "duplicate"), () => ({ location: "EU" })],
      [`POST ${DATASETS}`, `GET ${DATASETS}/d`],
      undefined,
      DATASET,
    ],
    [
      bigqueryCreateDataset,
      { name: "d", ifExists: "UPDATE", description: "x" },
      [
        () => gcpError(409, "Already Exists: Dataset", "duplicate"),
        () => ({ location: "EU", description: "x" }),
      ],
      [`POST ${DATASETS}`, `PATCH ${DATASETS}/d`],
      { description: "x" },
      { ...DATASET, description: "x" },
    ],
    [
      bigqueryUpdateDataset,
      { name: "d", friendlyName: "x" },
      [() => ({ location: "EU", friendlyName: "x" })],
      [`PATCH ${DATASETS}/d`],
      { friendlyName: "x" },
      { ...DATASET, friendlyName: "x" },
    ],
    [
      bigqueryDeleteDataset,
      { name: "d", deleteContents: true },
      [() => ({})],
      [`DELETE ${DATASETS}/d`],
      undefined,
      {
        dataset: "d",
      },
    ],
    [
      bigqueryCreateTable,
      {
        dataset: "d",
        table: "t",
        tableDefinition: {
          type: "TABLE",
          schema: { fields: [{ name: "a", type: "INT64" }] },
          standardTableDefinition: { clustering: ["a"], timePartitioning: { type: "DAY" } },
        },
      },
      [() => TABLE],
      [`POST ${DATASETS}/d/tables`],
      {
        tableReference: TABLE.tableReference,
        schema: { fields: [{ name: "a", type: "INT64" }] },
        timePartitioning: { type: "DAY" },
        clustering: { fields: ["a"] },
      },
      TABLE_OUTPUTS,
    ],
    [
      bigqueryUpdateTable,
      { dataset: "d", table: "t", friendlyName: "x" },
      [() => TABLE],
      [`PATCH ${DATASETS}/d/tables/t`],
      { tableReference: TABLE.tableReference, friendlyName: "x" },
      TABLE_OUTPUTS,
    ],
    [
      bigqueryTableMetadata,
      { dataset: "d", table: "t" },
      [() => TABLE],
      [`GET ${DATASETS}/d/tables/t`],
      undefined,
      TABLE_OUTPUTS,
    ],
    [
      bigqueryDeleteTable,
      { dataset: "d", table: "t" },
      [() => new Response(null, { status: 204 })],
      [`DELETE ${DATASETS}/d/tables/t`],
      undefined,
      { project: "my-project", dataset: "d", table: "t" },
    ],
  ];

for (const [definition, properties, replies, calls, body, outputs] of SENT) {
  Deno.test(`${definition.type} ${JSON.stringify(properties)}`, async () => {
    const left = [...replies];
    await using stub = gcpStub(() => left.shift()?.());
    const run = await runDefinition(definition, { ...connection(stub), ...properties });
    const { text = "" } = stub.requests.at(-1) ?? {};
    assertEquals([callsOf(stub), text === "" ? undefined : JSON.parse(text), run.outputs], [
      calls,
      body,
      outputs,
    ]);
  });
}

Deno.test("a missing table is an error with the words of BigQuery", async () => {
  await using stub = gcpStub(() => gcpError(404, "Not found: Table my-project:d.t", "notFound"));
  const error = await assertRejects(
    () => runDefinition(bigqueryDeleteTable, { ...connection(stub), dataset: "d", table: "t" }),
    Error,
  );
  assertEquals(
    error.message,
    `Cannot delete the table "t" at "${stub.host}": the response was 404: Not found: Table my-project:d.t (notFound)`,
  );
});
