/** The types of `jdbc.trino`. Shapes are those of https://trino.io/docs/current/develop/client-protocol.html. */
import { assertEquals, assertRejects } from "@std/assert";
import { ApiStub } from "../../support/servers/api_stub.ts";
import { runTask } from "./stubbed_database.ts";

const COLUMNS = [
  ["n", "bigint"],
  ["d", "decimal(9,2)"],
  ["day", "date"],
  ["local_", "timestamp(3)"],
  ["at", "timestamp(3) with time zone"],
  ["tags", "array(varchar)"],
  ["b", "varbinary"],
  ["f", "double"],
].map(([name, type]) => ({ name, type }));
const ROW = [
  9007199254740991,
  "12.50",
  "2024-02-29",
  "2024-02-29 10:11:12.500",
  "2024-02-29 10:11:12.500 UTC",
  ["a"],
  "AP8=",
  "NaN",
];

function trino(reply: (path: string, stub: ApiStub) => object | undefined) {
  return new ApiStub(({ path, text }, stub) => reply(path === "/v1/statement" ? text : path, stub));
}

const page = (stub: ApiStub, number: number) => `${stub.url}/v1/statement/executing/q/${number}`;

Deno.test("jdbc.trino.Query follows the pages of a result", async () => {
  let busy = 1;
  await using stub = trino((what, own) => {
    if (what === "SELECT 'it''s', 7") return { id: "q", nextUri: page(own, 1), stats: { state: "QUEUED" } };
    if (what.endsWith("/1")) {
      return busy-- > 0 ? new Response("", { status: 503 }) : { nextUri: page(own, 2), columns: COLUMNS };
    }
    return what.endsWith("/2")
      ? { nextUri: page(own, 3), columns: COLUMNS, data: [ROW, ROW] }
      : { columns: COLUMNS, data: [ROW] };
  });
  const { text, outputs } = await runTask("trino.Query", {
    url: `jdbc:trino://${stub.host}/hive/sales`,
    username: "ada",
    sql: "SELECT :t, :n",
    parameters: { t: "it's", n: 7 },
    timeZoneId: "Europe/Paris",
    store: true,
  });
  const line = '{"n":9007199254740991,"d":12.50,"day":2024-02-29,"local_":"2024-02-29T10:11:12.500",' +
    '"at":2024-02-29T10:11:12.500Z,"tags":["a"],"b":{{AP8=}},"f":nan}\n';
  assertEquals([text, outputs.size], [line.repeat(3), 3]);
  const { headers } = stub.requests[0] ?? assertSent();
  assertEquals(
    ["user", "catalog", "schema", "time-zone"].map((name) => headers[`x-trino-${name}`]),
    ["ada", "hive", "sales", "Europe/Paris"],
  );
});

function assertSent(): never {
  throw new Error("No request was sent");
}

Deno.test("jdbc.trino.Queries continues with the schema of USE; changes have no rows", async () => {
  await using stub = trino((what, own) => {
    if (what === "USE b.c") {
      return Response.json({ id: "q", updateType: "USE" }, {
        headers: { "x-trino-set-catalog": "b", "x-trino-set-schema": "c" },
      });
    }
    if (what.startsWith("INSERT")) return { nextUri: page(own, 1), updateType: "INSERT" };
    if (what.endsWith("/1")) {
      return {
        updateType: "INSERT",
        updateCount: 2,
        columns: [{ name: "rows", type: "bigint" }],
        data: [[2]],
      };
    }
    return { columns: [{ name: "n", type: "integer" }], data: [[1]] };
  });
  const { outputs } = await runTask("trino.Queries", {
    url: `jdbc:trino://${stub.host}/a`,
    sql: "USE b.c; INSERT INTO t SELECT 1; SELECT n FROM t",
    fetchType: "FETCH",
  });
  assertEquals(outputs, { outputs: [{ rows: [{ n: 1 }], size: 1 }] });
  const { headers } = stub.requests.at(-1) ?? assertSent();
  assertEquals([headers["x-trino-catalog"], headers["x-trino-schema"]], ["b", "c"]);
});

Deno.test("jdbc.trino.Batch inserts rows as literals", async () => {
  await using stub = trino(() => ({ updateType: "INSERT", updateCount: 2 }));
  const files = { "kestra:///rows.ion": '{"a":1,"b":"it\'s"}\n{"a":2,"b":null}\n' };
  const { outputs } = await runTask("trino.Batch", {
    url: `jdbc:trino://${stub.host}/hive/sales`,
    from: "kestra:///rows.ion",
    table: "t",
  }, files);
  assertEquals(outputs, { rowCount: 2, updatedCount: 2 });
  assertEquals(stub.requests.map(({ text }) => text), [
    `INSERT INTO "t" ("a","b") VALUES (1,'it''s'),(2,NULL)`,
  ]);
});

Deno.test("jdbc.trino: errors have the words of the server, and credentials stay with it", async () => {
  await using stub = trino((what, own) =>
    what === "SELECT 1"
      ? { error: { message: "line 1:8: Column 'x' cannot be resolved", errorName: "COLUMN_NOT_FOUND" } }
      : what === "SELECT 2"
      ? { nextUri: "http://other.example.com/v1/statement/q/1" }
      : what === "SELECT 3"
      ? { nextUri: page(own, 1) }
      : new Response("Authentication failed", { status: 401 })
  );
  const query = (sql: string, rest = {}) =>
    runTask("trino.Query", { url: `jdbc:trino://${stub.host}`, sql, ...rest });
  const rows = [
    ["SELECT 1", "line 1:8: Column 'x' cannot be resolved (COLUMN_NOT_FOUND)"],
    ["SELECT 2", "its next page is at another address; let Trino use the forwarded headers of its proxy"],
    ["SELECT 3", "the response was 401: Authentication failed"],
  ] as const;
  for (const [sql, words] of rows) {
    await assertRejects(() => query(sql), Error, `Cannot query "${stub.host}": ${words}`);
  }
  await assertRejects(
    () => query("SELECT 1", { password: "s3cret-word" }),
    Error,
    "Trino accepts passwords over TLS alone",
  );
  assertEquals(stub.requests.length, 4);
});
