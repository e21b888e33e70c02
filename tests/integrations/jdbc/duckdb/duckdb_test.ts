/** The types of `jdbc.duckdb` with the real program, in a server. */
import { assertEquals, assertMatch } from "@std/assert";
import { type JsonObject, stringifyJson } from "../../../../src/base/json.ts";
import { DatabaseFlows } from "../../../support/flows/database_flows.ts";
import { findDuckdb } from "../../../support/servers/database_programs.ts";
import { Harness } from "../../../support/harness.ts";
import { until } from "../../../support/processes/machine_processes.ts";
import { evaluationsOf, executionsOf, stateOf, triggeredFlow } from "../../../support/flows/triggers.ts";

type Case = readonly [name: string, work: (flows: DatabaseFlows) => Promise<void>];

const ALL_TYPES = `SELECT 7 AS int_, 9007199254740993::BIGINT AS long_, 5::UBIGINT AS unsigned_,
  170141183460469231731687303715884105727::HUGEINT AS huge_, 12.50::DECIMAL(10,2) AS decimal_, 1.5::DOUBLE AS double_,
  'nan'::DOUBLE AS nan_, true AS flag, 'a "b" \\ é' || chr(10) AS text_, NULL AS none, DATE '2024-02-29' AS day_,
  TIMESTAMP '2024-02-29 10:11:12.5' AS local_, TIMESTAMPTZ '2024-02-29 10:11:12+00' AS instant_,
  '{"a": [1, 2.50]}'::JSON AS json_, [1, NULL, 3] AS numbers, {'a': 1, 'b': ['x}']} AS struct_, MAP {'k': 1} AS map_,
  '\\x00a\\xFF'::BLOB AS bytes_, INTERVAL 1 DAY AS interval_, 1 AS twice, 2 AS twice`;

const CASES: readonly Case[] = [
  ["Query STORE keeps the types of columns in Ion", async (flows) => {
    const { id, outputs, errors } = await flows.run({
      q: { type: "Query", sql: ALL_TYPES, fetchType: "STORE", timeZoneId: "Europe/Paris" },
    });
    assertEquals([errors, outputs.q?.size], [[], 1]);
    assertEquals(
      await flows.file(id, outputs.q?.uri),
      '{"int_":7,"long_":9007199254740993,"unsigned_":5,"huge_":170141183460469231731687303715884105727,' +
        '"decimal_":12.50,"double_":1.5e0,"nan_":nan,"flag":true,"text_":"a \\"b\\" \\\\ é\\n","none":null,' +
        '"day_":2024-02-29,"local_":"2024-02-29T10:11:12.5","instant_":2024-02-29T11:11:12+01:00,' +
        '"json_":{"a": [1, 2.50]},"numbers":[1,null,3],"struct_":{"a":1,"b":["x}"]},"map_":{"k":1},' +
        '"bytes_":{{AGH/}},"interval_":"1 day","twice":2}\n',
    );
  }],
  ["Query FETCH_ONE and FETCH give the rows of the last statement that has some", async (flows) => {
    const sql =
      "CREATE TABLE a (n int); INSERT INTO a VALUES (1), (2); SELECT ';' AS x; SELECT n FROM a ORDER BY n;";
    const { outputs, errors } = await flows.run({
      one: { type: "Query", sql, fetchType: "FETCH_ONE" },
      all: { type: "Query", sql: `${sql} -- the end`, fetchType: "FETCH" },
      none: { type: "Query", sql: "SELECT 1 AS n WHERE false", fetchType: "FETCH" },
      shown: { type: "Query", sql: "CREATE TABLE b (n int); SHOW TABLES", fetch: true },
    });
    assertEquals(errors, []);
    assertEquals(outputs.one, { row: { n: 1 }, size: 1 });
    assertEquals(outputs.all, { rows: [{ n: 1 }, { n: 2 }], size: 2 });
    assertEquals(outputs.none, { rows: [], size: 0 });
    assertEquals(outputs.shown, { rows: [{ name: "b" }], size: 1 });
  }],
  ["Query reads input files, and stores the output files that its SQL writes", async (flows) => {
    const { id, outputs, errors } = await flows.run({
      file: { type: "core.storage.Write", content: "id,name\n1,ada\n2,grace\n" },
      q: {
        type: "Query",
        inputFiles: { "in.csv": "{{ outputs.file.uri }}" },
        outputFiles: ["out", "*.parquet"],
        sql: "CREATE TABLE t AS SELECT * FROM read_csv_auto('{{ workingDir }}/in.csv'); " +
          "COPY t TO 'copy.parquet' (FORMAT parquet);" +
          "COPY (SELECT name, id FROM 'in.csv') TO '{{ outputFiles.out }}' (HEADER, DELIMITER ';');",
      },
    });
    assertEquals(errors, []);
    const files = outputs.q?.outputFiles as JsonObject;
    assertEquals(Object.keys(files), ["copy.parquet", "out"]);
    assertEquals(await flows.file(id, files.out), "name;id\nada;1\ngrace;2\n");
  }],
  ["outputDbFile stores the database, and databaseUri continues with it", async (flows) => {
    const { outputs, errors } = await flows.run({
      make: { type: "Queries", sql: "CREATE TABLE t (n int); INSERT INTO t VALUES (41)", outputDbFile: true },
      read: {
        type: "Query",
        databaseUri: "{{ outputs.make.databaseUri }}",
        sql: "SELECT n + 1 AS n FROM t",
        fetchType: "FETCH_ONE",
      },
    });
    assertEquals([errors, outputs.read?.row], [[], { n: 42 }]);
  }],
  ["Queries undoes all of its statements if one fails; url names a file", async (flows) => {
    const url = "jdbc:duckdb:{{ workingDir }}/shop.db";
    const { id: flowId } = await flows.app.save(stringifyJson({
      id: "together",
      namespace: "demo",
      tasks: [{
        id: "w",
        type: "io.kestra.plugin.core.flow.WorkingDirectory",
        tasks: [
          { id: "make", type: "io.kestra.plugin.jdbc.duckdb.Query", url, sql: "CREATE TABLE t (n int)" },
          {
            id: "fail",
            type: "io.kestra.plugin.jdbc.duckdb.Queries",
            url,
            sql: "INSERT INTO t VALUES (1); SELECT error('wrong')",
            allowFailure: true,
          },
          {
            id: "count",
            type: "io.kestra.plugin.jdbc.duckdb.Queries",
            url,
            sql: "SELECT count(*) AS n FROM t; SELECT 2 AS m",
            fetchType: "FETCH_ONE",
          },
        ],
      }],
    }));
    const { id } = await flows.app.start(String(flowId), {}, "?wait=true");
    const { taskRunList } = await flows.app.execution(String(id));
    assertEquals(taskRunList.at(-1)?.outputs, {
      outputs: [{ row: { n: 0 }, size: 1 }, { row: { m: 2 }, size: 1 }],
    });
  }],
  ["parameters are literals, and commands of the shell are refused", async (flows) => {
    const { outputs, errors } = await flows.run({
      q: {
        type: "Query",
        sql: "SELECT :text AS t, :number + 1 AS n, ':text' AS s, :list::JSON AS l",
        parameters: { text: "it's; --", number: 41, list: [1, "a"] },
        fetchOne: true,
      },
      shell: { type: "Query", sql: "SELECT 1;\n-- then\n.shell id" },
    });
    assertEquals(outputs.q?.row, { t: "it's; --", n: 42, s: ":text", l: [1, "a"] });
    assertEquals(errors, ["Invalid sql: it has a command of DuckDB's shell; only SQL is allowed"]);
  }],
  ["an error has the words of DuckDB", async (flows) => {
    const { errors } = await flows.run({ q: { type: "Query", sql: "SELECT 1; SELECT * FROM missing" } });
    assertMatch(
      errors[0] ?? "",
      /^Cannot run the SQL with DuckDB: Catalog Error: Table with name missing does not exist!/,
    );
  }],
  ["a kill stops the program", async (flows) => {
    const sql = "SELECT count(*) FROM range(100000000000) a, range(100000000000) b";
    const { id } = await flows.app.start(await flows.save({ q: { type: "Query", sql } }));
    const stateIs = (state: string) => async () =>
      (await flows.app.execution(id)).taskRunList[0]?.state.current === state;
    await until(stateIs("RUNNING"));
    await flows.app.json("DELETE", `/executions/${id}/kill`);
    await until(stateIs("KILLED"));
  }],
  ["a Trigger starts an execution with rows, and afterSQL marks them", async (flows) => {
    const { app } = flows;
    const folder = await Deno.makeTempDir();
    try {
      const url = `jdbc:duckdb:${folder}/e.db`;
      await flows.run({
        q: { type: "Query", url, sql: "CREATE TABLE e (n int, seen bool); INSERT INTO e VALUES (5, false)" },
      });
      await app.save(triggeredFlow("p", {
        type: "io.kestra.plugin.jdbc.duckdb.Trigger",
        url,
        sql: "SELECT n FROM e WHERE NOT seen",
        afterSQL: "UPDATE e SET seen = true",
        fetchType: "FETCH",
      }));
      await app.advance(1_000);
      await until(async () => evaluationsOf(await stateOf(app, "p")).length === 1);
      await app.advance(60_000);
      await until(async () => evaluationsOf(await stateOf(app, "p")).length === 2);
      assertEquals((await executionsOf(app, "p")).map((each) => each.trigger), [{
        rows: [{ n: 5 }],
        size: 1,
      }]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }],
];

Deno.test("the types of jdbc.duckdb", async (t) => {
  if (!await findDuckdb()) return;
  await using app = await Harness.start();
  const flows = new DatabaseFlows(app, { kind: "duckdb" });
  for (const [name, work] of CASES) await t.step(name, () => work(flows));
});
