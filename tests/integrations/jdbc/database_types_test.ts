/** Query, Queries, Batch and Trigger of databases whose own tests try some of them: each type runs, and its SQL arrives. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { pollDefinition } from "../../support/flows/definition_run.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import {
  DATABASE_PASSWORD,
  type DatabaseProgram,
  startMariadb,
  startPostgresql,
} from "../../support/servers/database_programs.ts";
import {
  columnsToken,
  doneToken,
  rowToken,
  TDS_PASSWORD,
  TDS_USER,
  TdsServer,
} from "../../support/servers/tds_server.ts";
import { runTask, triggerOf } from "./stubbed_database.ts";

const FILE = "kestra:///rows.ion";
const ROWS = '{"n":1,"t":"x"}\n{"n":2,"t":null}\n';

/** Runs each type of a database that keeps rows, with a table that is made first. */
async function runAll(kind: string, connection: JsonObject): Promise<void> {
  const run = (name: string, rest: JsonObject) =>
    runTask(`${kind}.${name}`, { ...connection, ...rest }, { [FILE]: ROWS });
  await run("Queries", {
    sql: "CREATE TABLE each_type (n INT, t VARCHAR(9)); INSERT INTO each_type VALUES (0, 'a')",
  });
  const { outputs } = await run("Batch", { from: FILE, table: "each_type" });
  assertEquals([outputs.rowCount, outputs.updatedCount], [2, 2]);
  const query = { sql: "SELECT n, t FROM each_type WHERE n > :least ORDER BY n", parameters: { least: 0 } };
  const rows = [{ n: 1, t: "x" }, { n: 2, t: null }];
  assertEquals((await run("Query", { ...query, fetchType: "FETCH" })).outputs.rows, rows);
  const both = await run("Queries", {
    sql: `SELECT 5 AS n; ${query.sql}`,
    parameters: query.parameters,
    fetchType: "FETCH",
  });
  assertEquals(both.outputs.outputs, [{ rows: [{ n: 5 }], size: 1 }, { rows, size: 2 }]);
  const polled = {
    ...connection,
    ...query,
    interval: "PT1M",
    fetchType: "FETCH",
    afterSQL: "DELETE FROM each_type",
  };
  const found = await pollDefinition(triggerOf(`${kind}.Trigger`), polled);
  assertEquals([found.outputs.size, found.outputs.rows], [2, rows]);
  assertEquals((await pollDefinition(triggerOf(`${kind}.Trigger`), polled)).isFound, false);
  await run("Query", { sql: "DROP TABLE each_type" });
}

const PROGRAMS: readonly (readonly [
  kinds: readonly string[],
  start: () => Promise<DatabaseProgram | undefined>,
  database: string,
])[] = [
  [["mysql", "mariadb"], startMariadb, "shop"],
  [["redshift"], startPostgresql, "postgres"],
];

for (const [kinds, start, database] of PROGRAMS) {
  Deno.test(`each type of ${kinds.map((kind) => `jdbc.${kind}`).join(" and ")} runs`, async () => {
    await using server = await start();
    if (!server) return;
    for (const kind of kinds) {
      const url = `jdbc:${kind}://127.0.0.1:${server.port}/${database}`;
      await runAll(kind, { url, username: "app", password: DATABASE_PASSWORD });
    }
  });
}

Deno.test("jdbc.sqlserver.Trigger starts when a query has rows", async () => {
  const reply = (sql: string) =>
    new Uint8Array([
      ...columnsToken([["int", [0x38]]]),
      ...sql.includes("none") ? [] : rowToken([[5, 0, 0, 0]]),
      ...doneToken(0x10, 1),
    ]);
  await using server = await new TdsServer("unsupported", reply).start();
  const url = `jdbc:sqlserver://localhost:${server.port};databaseName=shop;encrypt=false`;
  const polled = { url, username: TDS_USER, password: TDS_PASSWORD, interval: "PT1M", fetchType: "FETCH" };
  const found = await pollDefinition(triggerOf("sqlserver.Trigger"), { ...polled, sql: "SELECT 5" });
  assertEquals([found.isFound, found.outputs.rows], [true, [{ int: 5 }]]);
  const none = { ...polled, sql: "SELECT none" };
  assertEquals((await pollDefinition(triggerOf("sqlserver.Trigger"), none)).isFound, false);
});

/** A database with a REST API: how it is reached, and the response that gives the rows `[{ n: 5 }]`, or none. */
interface RestDatabase {
  readonly kind: string;
  readonly connection: (stub: ApiStub) => JsonObject;
  readonly reply: (request: ApiRequest, hasRows: boolean, stub: ApiStub) => ApiReply;
}

const ACCESS_TOKEN = `${btoa('{"kid":"1","alg":"ES256"}').replaceAll("=", "")}.e30.c2ln`;

const REST_DATABASES: readonly RestDatabase[] = [
  {
    kind: "trino",
    connection: ({ host }) => ({ url: `jdbc:trino://${host}/hive`, username: "ada" }),
    reply: (_request, hasRows) => ({ columns: [{ name: "n", type: "integer" }], data: hasRows ? [[5]] : [] }),
  },
  {
    kind: "snowflake",
    connection: ({ host }) => ({
      url: `jdbc:snowflake://${host}/?ssl=off`,
      username: "a",
      password: ACCESS_TOKEN,
    }),
    reply: (_request, hasRows) => ({
      statementHandle: "h",
      resultSetMetaData: {
        rowType: [{ name: "n", type: "fixed", scale: 0 }],
        partitionInfo: [{ rowCount: 1 }],
      },
      data: hasRows ? [["5"]] : [],
    }),
  },
  {
    kind: "dremio",
    connection: ({ url }) => ({
      url: `jdbc:dremio:direct=127.0.0.1:31010;restPort=${new URL(url).port}`,
      username: "ann",
      password: "token",
    }),
    reply: ({ method, path }, hasRows) => {
      if (path === "/apiv2/login") return { token: "T" };
      if (method === "POST") return { id: "j" };
      return path.endsWith("/results")
        ? { rowCount: 1, schema: [{ name: "n", type: { name: "INTEGER" } }], rows: hasRows ? [{ n: 5 }] : [] }
        : { jobState: "COMPLETED", rowCount: hasRows ? 1 : 0 };
    },
  },
  {
    kind: "druid",
    connection: ({ url }) => ({ url: `jdbc:avatica:remote:url=${url}/druid/v2/sql/avatica/` }),
    reply: (_request, hasRows) => new Response(`["n"]\n["BIGINT"]\n${hasRows ? "[5]\n" : ""}\n`),
  },
  {
    kind: "pinot",
    connection: ({ host }) => ({ url: `jdbc:pinot://${host}` }),
    reply: (_request, hasRows) => ({
      resultTable: {
        dataSchema: { columnNames: ["n"], columnDataTypes: ["INT"] },
        rows: hasRows ? [[5]] : [],
      },
      exceptions: [],
    }),
  },
];

for (const { kind, connection, reply } of REST_DATABASES) {
  Deno.test(`jdbc.${kind}.Queries and Trigger read rows`, async () => {
    let hasRows = true;
    await using stub = new ApiStub((request, own) => reply(request, hasRows, own));
    const given = { ...connection(stub), sql: "SELECT 5 AS n", fetchType: "FETCH" };
    const { outputs } = await runTask(`${kind}.Queries`, { ...given, transaction: false });
    assertEquals(outputs.outputs, [{ rows: [{ n: 5 }], size: 1 }]);
    assertMatch(stub.requests.map(({ text }) => text).join("\n"), /SELECT 5 AS n/);
    const polled = { ...given, interval: "PT1M" };
    assertEquals((await pollDefinition(triggerOf(`${kind}.Trigger`), polled)).outputs.rows, [{ n: 5 }]);
    hasRows = false;
    assertEquals((await pollDefinition(triggerOf(`${kind}.Trigger`), polled)).isFound, false);
  });
}

Deno.test("jdbc.snowflake.Batch inserts rows as literals", async () => {
  await using stub = new ApiStub(() => ({
    statementHandles: ["a", "b", "c"],
    stats: { numRowsInserted: 2 },
  }));
  const { host } = stub;
  const connection = { url: `jdbc:snowflake://${host}/?ssl=off`, username: "a", password: ACCESS_TOKEN };
  const { outputs } = await runTask("snowflake.Batch", { ...connection, from: FILE, table: "t" }, {
    [FILE]: ROWS,
  });
  assertEquals([outputs.rowCount, outputs.updatedCount], [2, 2]);
  const statements = stub.requests.map(({ text }) => text === "" ? "" : JSON.parse(text).statement);
  assertMatch(statements.join("\n"), /INSERT INTO "t" \("n","t"\) VALUES \(1,'x'\),\(2,NULL\)/);
});
