/** What a database sends in a few bytes does not become much more in a file: columns and their names have limits. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import type { Column } from "../../../src/integrations/jdbc/cells.ts";
import { addRows } from "../../../src/integrations/jdbc/json_cells.ts";
import { NO_ROWS } from "../../../src/integrations/jdbc/session.ts";
import { ApiStub } from "../../support/servers/api_stub.ts";
import {
  columnsToken,
  doneToken,
  rowToken,
  TDS_PASSWORD,
  TDS_USER,
  TdsServer,
} from "../../support/servers/tds_server.ts";
import { answering, message, PostgresqlStub } from "./postgresql_stub.ts";
import { runTask } from "./stubbed_database.ts";

const FETCH_TYPES = ["STORE", "FETCH", "NONE"];

/** Columns of names with that many characters. */
function columnsOf(count: number, chars: number): Column[] {
  return Array.from({ length: count }, (_, index) => ({
    name: String(index).padStart(chars, "c"),
    kind: "text",
  }));
}

const WIDE: readonly (readonly [count: number, chars: number, error: string | undefined])[] = [
  [4_096, 64, undefined],
  [4_097, 4, "The result has 4097 columns; the limit is 4096: select fewer of them"],
  [1, 2_048, undefined],
  [
    1,
    2_049,
    "The names of the columns are too long; the limits are 2048 characters for a name and 262144 for all",
  ],
  [128, 2_048, undefined],
  [129, 2_048, "The names of the columns are too long"],
];
for (const [count, chars, error] of WIDE) {
  Deno.test(`a result ${error ? "may not" : "may"} have ${count} columns with names of ${chars} characters`, () => {
    const set = () => NO_ROWS.columns(columnsOf(count, chars));
    if (error) assertThrows(set, Error, error);
    else set();
  });
}

const MANY = Array.from({ length: 4_097 }, (_, index) => `c${index}`);
const TOO_WIDE = "The result has 4097 columns; the limit is 4096";

for (const fetchType of FETCH_TYPES) {
  Deno.test(`jdbc.sqlserver.Query ${fetchType} refuses more columns than SQL Server has, in each result`, async () => {
    const wide = [...columnsToken(MANY.map((name) => [name, [0x1f]])), ...rowToken(MANY.map(() => []))];
    const narrow = [...columnsToken([["a", [0x38]]]), ...doneToken(0x10, 0)];
    for (const result of [wide, [...narrow, ...wide]]) {
      const reply = () => new Uint8Array([...result, ...doneToken(0x10, 1)]);
      await using server = await new TdsServer("unsupported", reply).start();
      const query = () =>
        runTask("sqlserver.Query", {
          url: `jdbc:sqlserver://localhost:${server.port};encrypt=false`,
          username: TDS_USER,
          password: TDS_PASSWORD,
          sql: "SELECT 1",
          fetchType,
        });
      await assertRejects(query, Error, `Cannot query "localhost:${server.port}": ${TOO_WIDE}`);
    }
  });

  Deno.test(`jdbc.postgresql.Query ${fetchType} refuses too many columns`, async () => {
    const head = Buffer.from([MANY.length >> 8, MANY.length & 255]);
    const fields = MANY.map((name) => Buffer.concat([Buffer.from(`${name}\0`), Buffer.alloc(18)]));
    await using stub = await PostgresqlStub.start(
      answering(() => message("T", Buffer.concat([head, ...fields]))),
    );
    const query = () =>
      runTask("postgresql.Query", {
        url: `jdbc:postgresql://127.0.0.1:${stub.port}/shop`,
        username: "app",
        password: "word",
        sslMode: "DISABLE",
        sql: "SELECT 1",
        fetchType,
      });
    await assertRejects(query, Error, `Cannot query "127.0.0.1:${stub.port}": ${TOO_WIDE}`);
  });
}

/** A response with two columns and a row of one cell, and the task that reads it. */
const SHORT_ROWS: readonly (readonly [kind: string, reply: (stub: ApiStub) => Response])[] = [
  ["trino", () =>
    Response.json({
      columns: [{ name: "a", type: "bigint" }, { name: "b", type: "bigint" }],
      data: [[1, 2], [1]],
    })],
  ["pinot", () =>
    Response.json({
      resultTable: {
        dataSchema: { columnNames: ["a", "b"], columnDataTypes: ["LONG", "LONG"] },
        rows: [[1, 2], [1]],
      },
      exceptions: [],
    })],
  ["snowflake", () =>
    Response.json({
      statementHandle: "h",
      resultSetMetaData: {
        rowType: [{ name: "a", type: "text" }, { name: "b", type: "text" }],
        partitionInfo: [{}],
      },
      data: [["1", "2"], ["1"]],
    })],
  ["clickhouse", () => new Response('["a","b"]\n["UInt8","UInt8"]\n[1, 2]\n[1]\n')],
  ["druid", () => new Response('["a","b"]\n["BIGINT","BIGINT"]\n[1,2]\n[1]\n\n')],
];
const ACCESS_TOKEN = `${btoa('{"kid":"1","alg":"ES256"}').replaceAll("=", "")}.e30.c2ln`;
for (const [kind, reply] of SHORT_ROWS) {
  for (const fetchType of ["STORE", "FETCH"]) {
    Deno.test(`jdbc.${kind}.Query ${fetchType} refuses a row with fewer cells than columns`, async () => {
      await using stub = new ApiStub((_request, own) => reply(own));
      const query = () =>
        runTask(`${kind}.Query`, {
          url: `jdbc:${kind}://${stub.host}${kind === "snowflake" ? "/?ssl=off" : ""}`,
          username: "app",
          ...kind === "snowflake" && { password: ACCESS_TOKEN },
          sql: "SELECT 1",
          fetchType,
        });
      await assertRejects(query, Error, "A row has 1 cells, the result has 2 columns");
    });
  }
}

Deno.test("jdbc.dremio.Query reads no more rows of a page than it asked for", async () => {
  const offsets: string[] = [];
  await using stub = new ApiStub(({ path, query }) => {
    if (path.endsWith("/sql")) return { id: "j" };
    if (!path.endsWith("/results")) return { jobState: "COMPLETED", rowCount: 700 };
    offsets.push(String(query.offset));
    return { schema: [{ name: "a", type: { name: "BIGINT" } }], rows: Array(700).fill({ a: 1 }) };
  });
  const { outputs } = await runTask("dremio.Query", {
    url: `jdbc:dremio:direct=${stub.host.split(":")[0]}:31010;restPort=${stub.host.split(":")[1]}`,
    password: "token",
    sql: "SELECT 1",
    fetchType: "STORE",
  });
  assertEquals([outputs.size, offsets], [1_000, ["0", "500"]]);
});

Deno.test("addRows() lets others run between its rows", async () => {
  let rows = 0, seen: number | undefined;
  setTimeout(() => seen = rows, 0);
  const busyUntil = (end: number) => {
    while (performance.now() < end);
  };
  const sink = {
    columns: () => {},
    row: () => {
      rows++;
      busyUntil(performance.now() + 2);
    },
  };
  assertEquals(await addRows(Array(200).fill([1]), sink, String), 200);
  assertEquals(seen !== undefined && seen < 200, true);
});
