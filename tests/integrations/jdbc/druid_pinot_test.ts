/**
 * The types of `jdbc.druid` and `jdbc.pinot`. Shapes are those of https://druid.apache.org/docs/latest/api-reference/sql-api and
 * https://docs.pinot.apache.org/users/api/querying-pinot-using-standard-sql/response-format.
 */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ApiStub } from "../../support/servers/api_stub.ts";
import { pollDefinition } from "../../support/flows/definition_run.ts";
import { runTask, triggerOf } from "./stubbed_database.ts";

const STATEMENT_ID = /[0-9a-f]{32}/;
const DRUID_ROWS = '["__time","n","t"]\n["TIMESTAMP","BIGINT","VARCHAR"]\n' +
  '["2024-02-29T10:11:12.000Z",9007199254740993,"x"]\n["2024-02-29T10:11:13.000Z",null,""]\n\n';

const avatica = (stub: ApiStub) =>
  `jdbc:avatica:remote:url=${stub.url}/druid/v2/sql/avatica/;transparent_reconnection=true`;

Deno.test("jdbc.druid.Query reads lines of values with their types", async () => {
  await using stub = new ApiStub(() => new Response(DRUID_ROWS));
  const { text, outputs } = await runTask("druid.Query", {
    url: avatica(stub),
    sql: "SELECT * FROM wiki WHERE t = :t",
    parameters: { t: "it's" },
    timeZoneId: "Etc/UTC",
    fetchType: "STORE",
  });
  assertEquals(
    text,
    '{"__time":2024-02-29T10:11:12.000Z,"n":9007199254740993,"t":"x"}\n' +
      '{"__time":2024-02-29T10:11:13.000Z,"n":null,"t":""}\n',
  );
  assertEquals([outputs.size, stub.calls], [2, ["POST /druid/v2/sql"]]);
  const { context: { sqlQueryId, ...context }, ...body } = JSON.parse(stub.requests[0]?.text ?? "");
  assertMatch(sqlQueryId, STATEMENT_ID);
  assertEquals({ ...body, context }, {
    query: "SELECT * FROM wiki WHERE t = 'it''s'",
    resultFormat: "arrayLines",
    header: true,
    sqlTypesHeader: true,
    context: { sqlTimeZone: "Etc/UTC" },
  });
});

Deno.test("jdbc.druid: an error has the words of the server; a result without its end is one", async () => {
  const replies = [
    Response.json({ error: "druidException", errorMessage: "Column 'x' not found" }, { status: 400 }),
    Response.json({ error: "Unknown exception", errorMessage: null }, { status: 500 }),
    new Response(DRUID_ROWS.trimEnd()),
  ];
  await using stub = new ApiStub(() => replies.shift());
  const query = () => runTask("druid.Query", { url: avatica(stub), sql: "SELECT 1", fetchType: "FETCH" });
  for (const words of ["Column 'x' not found", "Unknown exception", "the result ends before its last row"]) {
    await assertRejects(query, Error, `Cannot query "${stub.host}": ${words}`);
  }
});

const pinotTable = (rows: unknown[][]) => ({
  resultTable: {
    dataSchema: { columnNames: ["n", "t", "m"], columnDataTypes: ["LONG", "STRING", "INT_ARRAY"] },
    rows,
  },
  exceptions: [],
});

Deno.test("jdbc.pinot.Query and Trigger read the table of the response", async () => {
  const replies = [
    pinotTable([[1, "x", [1, 2]], [2, "null", []]]),
    pinotTable([[1, "x", []]]),
    pinotTable([]),
  ];
  await using stub = new ApiStub(() => replies.shift());
  const properties = {
    url: `jdbc:pinot://${stub.host}`,
    username: "app",
    password: "s3cret-word",
    sql: "SELECT 1",
    fetchType: "FETCH",
  };
  const { outputs } = await runTask("pinot.Query", properties);
  assertEquals(outputs, { rows: [{ n: 1, t: "x", m: [1, 2] }, { n: 2, t: "null", m: [] }], size: 2 });
  const [
    { method, path, headers, text } = {
      method: "",
      path: "",
      headers: {} as Record<string, string>,
      text: "",
    },
  ] = stub.requests;
  assertEquals([method, path, headers.authorization, text.replace(STATEMENT_ID, "ID")], [
    "POST",
    "/sql",
    `Basic ${btoa("app:s3cret-word")}`,
    '{"sql":"SELECT 1","queryOptions":"clientQueryId=ID"}',
  ]);
  assertEquals((await pollDefinition(triggerOf("pinot.Trigger"), properties)).outputs.size, 1);
  assertEquals((await pollDefinition(triggerOf("pinot.Trigger"), properties)).isFound, false);
});

Deno.test("jdbc.pinot: exceptions of a response fail the task", async () => {
  const replies = [
    { exceptions: [{ errorCode: 190, message: "TableDoesNotExistError" }] },
    new Response("Permission denied", { status: 403 }),
  ];
  await using stub = new ApiStub(() => replies.shift());
  const query = () => runTask("pinot.Query", { url: `jdbc:pinot://${stub.host}`, sql: "SELECT 1" });
  await assertRejects(query, Error, `Cannot query "${stub.host}": TableDoesNotExistError (190)`);
  await assertRejects(query, Error, `Cannot query "${stub.host}": the response was 403: Permission denied`);
});
