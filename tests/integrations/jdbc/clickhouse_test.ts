/** The types of `jdbc.clickhouse`. Shapes are those of https://clickhouse.com/docs/en/interfaces/http and …/formats. */
import { assertEquals, assertRejects } from "@std/assert";
import { ApiStub } from "../../support/servers/api_stub.ts";
import { pollDefinition } from "../../support/flows/definition_run.ts";
import { runTask, triggerOf } from "./stubbed_database.ts";

const HEAD = '["n","big","d","day","at","tags","t","none"]\n' +
  '["UInt8","UInt64","Decimal(9, 2)","Date","DateTime64(3, \'UTC\')","Array(String)","LowCardinality(String)","Nullable(Float64)"]\n';
const ROWS =
  '[1, "18446744073709551615", "12.50", "2024-02-29", "2024-02-29T10:11:12.500Z", ["a","b]"], "x \\"y\\"", null]\n' +
  '[2, "3", "0.10", "2024-03-01", "2024-03-01T00:00:00.000Z", [], "", "nan"]\n';

function clickhouse(texts: readonly (string | Response)[]) {
  let count = 0;
  return new ApiStub(() => {
    const text = texts[count++] ?? "";
    return text instanceof Response ? text : new Response(text, {
      headers: { "x-clickhouse-summary": '{"written_rows":"2"}' },
    });
  });
}

const login = (stub: ApiStub) => ({
  url: `jdbc:clickhouse://${stub.host}/shop`,
  username: "app",
  password: "s3cret-word",
});

Deno.test("jdbc.clickhouse.Query sends SQL with the user, and keeps the types of columns", async () => {
  await using stub = clickhouse([HEAD + ROWS, HEAD + ROWS]);
  const stored = await runTask("clickhouse.Query", {
    ...login(stub),
    sql: "SELECT * FROM t WHERE a = :a AND b = :b",
    parameters: { a: "it's \\", b: 7 },
    timeZoneId: "Europe/Paris",
    fetchType: "STORE",
  });
  assertEquals(
    stored.text,
    '{"n":1,"big":18446744073709551615,"d":12.50,"day":2024-02-29,"at":2024-02-29T10:11:12.500Z,"tags":["a","b]"],' +
      '"t":"x \\"y\\"","none":null}\n' +
      '{"n":2,"big":3,"d":0.10,"day":2024-03-01,"at":2024-03-01T00:00:00.000Z,"tags":[],"t":"","none":nan}\n',
  );
  const [{ method, query, headers, text } = assertSent()] = stub.requests;
  assertEquals([method, text], ["POST", "SELECT * FROM t WHERE a = 'it''s \\\\' AND b = 7"]);
  assertEquals(
    [query.database, query.session_timezone, query.default_format, query.wait_end_of_query],
    ["shop", "Europe/Paris", "JSONCompactEachRowWithNamesAndTypes", "1"],
  );
  assertEquals([headers["x-clickhouse-user"], headers["x-clickhouse-key"]], ["app", "s3cret-word"]);
  const one = await runTask("clickhouse.Query", { ...login(stub), sql: "SELECT 1", fetchType: "FETCH_ONE" });
  assertEquals([one.outputs.size, Object.keys(one.outputs.row as object).length], [1, 8]);
});

function assertSent(): never {
  throw new Error("No request was sent");
}

Deno.test("jdbc.clickhouse.Queries runs its statements in one session, without BEGIN", async () => {
  await using stub = clickhouse(["", HEAD + ROWS, HEAD]);
  const sql = "CREATE TEMPORARY TABLE t (n Int8); SELECT * FROM t; SELECT * FROM t WHERE 0";
  const { outputs } = await runTask("clickhouse.Queries", { ...login(stub), sql, fetchType: "FETCH" });
  const results = outputs.outputs as { rows: unknown[]; size: number }[];
  assertEquals(results.map(({ size }) => size), [2, 0]);
  assertEquals(stub.requests.map(({ text }) => text), sql.split("; "));
  assertEquals(new Set(stub.requests.map(({ query }) => query.session_id)).size, 1);
});

Deno.test("jdbc.clickhouse.BulkInsert streams the rows of a file as one request", async () => {
  await using stub = clickhouse([]);
  const files = { "kestra:///rows.ion": '{"a":1,"b":"x"}\n{"a":2,"b":null}\n' };
  const { outputs } = await runTask("clickhouse.BulkInsert", {
    ...login(stub),
    from: "kestra:///rows.ion",
    sql: "INSERT INTO t (a, b) VALUES (?, ?)",
  }, files);
  assertEquals(outputs, { rowCount: 2, updatedCount: 2 });
  const [{ query, text } = assertSent()] = stub.requests;
  assertEquals([query.query, text], [
    "INSERT INTO t (a, b) FORMAT JSONCompactEachRow",
    '[1,"x"]\n[2,null]\n',
  ]);
  await runTask("clickhouse.BulkInsert", {
    ...login(stub),
    from: "kestra:///rows.ion",
    table: "shop.t",
    columns: ["b"],
  }, files);
  assertEquals(stub.requests[1]?.query.query, 'INSERT INTO "shop"."t" ("b") FORMAT JSONCompactEachRow');
});

Deno.test("jdbc.clickhouse.Trigger finds rows, and runs afterSQL", async () => {
  await using stub = clickhouse([HEAD + ROWS, "", HEAD]);
  const properties = {
    ...login(stub),
    sql: "SELECT 1",
    afterSQL: "ALTER TABLE t DELETE WHERE 1",
    fetchType: "FETCH",
  };
  const found = await pollDefinition(triggerOf("clickhouse.Trigger"), properties);
  assertEquals([found.isFound, found.outputs.size], [true, 2]);
  assertEquals(stub.requests.map(({ text }) => text), ["SELECT 1", "ALTER TABLE t DELETE WHERE 1"]);
  assertEquals(
    (await pollDefinition(triggerOf("clickhouse.Trigger"), { ...properties, afterSQL: "" })).isFound,
    false,
  );
});

Deno.test("jdbc.clickhouse: errors name the host and have the words of the server", async () => {
  const words = "Code: 60. DB::Exception: Table shop.t does not exist. (UNKNOWN_TABLE)";
  await using stub = clickhouse([
    new Response(`${words}\n`, { status: 404 }),
    new Response("", { status: 516 }),
    '{"data":1}\n',
  ]);
  const query = (rest = {}) => runTask("clickhouse.Query", { ...login(stub), sql: "SELECT 1", ...rest });
  await assertRejects(() => query(), Error, `Cannot query "${stub.host}": ${words}`);
  await assertRejects(() => query(), Error, `Cannot query "${stub.host}": the response was 516`);
  await assertRejects(() => query(), Error, "Invalid sql: its rows have another format; leave FORMAT out");
  await assertRejects(
    () => query({ url: "jdbc:mysql://app:s3cret-word@h/d" }),
    Error,
    "Invalid url: it must be like jdbc:clickhouse://host:8123/database",
  );
});
