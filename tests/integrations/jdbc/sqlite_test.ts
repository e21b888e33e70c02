/** The types of `jdbc.sqlite`. */
import { assertEquals, assertMatch } from "@std/assert";
import { stringifyJson } from "../../../src/base/json.ts";
import { DatabaseFlows } from "../../support/flows/database_flows.ts";
import { Harness } from "../../support/harness.ts";
import { evaluationsOf, executionsOf, stateOf, triggeredFlow } from "../../support/flows/triggers.ts";
import { until } from "../../support/processes/machine_processes.ts";

/** Fails at its third row. */
const FAILING =
  "SELECT CASE WHEN value = 3 THEN abs(-9223372036854775808) ELSE value END AS v FROM json_each('[1,2,3,4]')";

type Case = readonly [name: string, work: (flows: DatabaseFlows) => Promise<void>];

const CASES: readonly Case[] = [
  ["Query gives each value of SQLite its type", async (flows) => {
    const sql =
      `SELECT 9007199254740993 AS i, 2.0 AS r, 'a "b"' || char(9) || char(10) AS t, x'00ff' AS b, NULL AS n,
      1 AS twice, 2 AS twice`;
    const { id, outputs, errors } = await flows.run({
      one: { type: "Query", sql, fetchType: "FETCH_ONE" },
      file: { type: "Query", sql, fetchType: "STORE" },
    });
    const text = '{"i":9007199254740993,"r":2.0,"t":"a \\"b\\"\\t\\n","b":"AP8=","n":null,"twice":2}';
    assertEquals([errors, stringifyJson(outputs.one?.row ?? null)], [[], text]);
    assertEquals(await flows.file(id, outputs.file?.uri), `${text}\n`);
  }],
  [
    "outputDbFile stores the database, also with a journal of its own, and sqliteFile continues with it",
    async (flows) => {
      const { outputs, errors } = await flows.run({
        make: {
          type: "Queries",
          sql:
            "PRAGMA journal_mode = WAL; CREATE TABLE t (n int, s text); INSERT INTO t VALUES (:n, :s), (2, 'b')",
          transaction: false,
          parameters: { n: 1, s: "it's" },
          outputDbFile: true,
        },
        rows: {
          type: "Query",
          sqliteFile: "{{ outputs.make.databaseUri }}",
          sql: "INSERT INTO t VALUES (3, NULL); SELECT * FROM t ORDER BY n",
          fetchType: "FETCH",
        },
        again: {
          type: "Query",
          sqliteFile: "{{ outputs.make.databaseUri }}",
          sql: "SELECT count(*) AS n FROM t",
          fetch: true,
        },
      });
      assertEquals(errors, []);
      assertEquals(outputs.rows?.rows, [{ n: 1, s: "it's" }, { n: 2, s: "b" }, { n: 3, s: null }]);
      assertEquals(outputs.again?.rows, [{ n: 2 }]);
    },
  ],
  [
    "tasks of a WorkingDirectory share a file; a failed transaction changes nothing; Batch inserts rows",
    async (flows) => {
      const type = "io.kestra.plugin.jdbc.sqlite";
      const url = "jdbc:sqlite:shop.db";
      await flows.app.save(stringifyJson({
        id: "shared",
        namespace: "demo",
        tasks: [{
          id: "w",
          type: "io.kestra.plugin.core.flow.WorkingDirectory",
          tasks: [
            { id: "make", type: `${type}.Query`, url, sql: "CREATE TABLE t (n int UNIQUE, s text)" },
            {
              id: "fail",
              type: `${type}.Queries`,
              url,
              sql: "INSERT INTO t VALUES (1, 'x'); INSERT INTO t VALUES (1, 'y')",
              allowFailure: true,
            },
            {
              id: "rows",
              type: `${type}.Query`,
              url,
              sql: "SELECT 5 AS n, 'five' AS s UNION SELECT 6, NULL",
              store: true,
            },
            { id: "batch", type: `${type}.Batch`, url, from: "{{ outputs.rows.uri }}", table: "t" },
            { id: "end", type: `${type}.Query`, url, sql: "SELECT * FROM t ORDER BY n", fetchType: "FETCH" },
          ],
        }],
      }));
      const { id } = await flows.app.start("shared", {}, "?wait=true");
      const { taskRunList } = await flows.app.execution(String(id));
      const byTask = new Map(taskRunList.map(({ taskId, outputs }) => [taskId, outputs]));
      assertEquals(byTask.get("batch"), { rowCount: 2, updatedCount: 2 });
      assertEquals(byTask.get("end")?.rows, [{ n: 5, s: "five" }, { n: 6, s: null }]);
    },
  ],
  ["an error among the rows fails the task, whatever becomes of them", async (flows) => {
    for (const fetchType of ["FETCH", "FETCH_ONE", "STORE", "NONE"]) {
      const { errors, outputs, state } = await flows.run({ q: { type: "Query", sql: FAILING, fetchType } });
      const message = 'Cannot query "database.db": integer overflow';
      assertEquals({ fetchType, state, errors, outputs: outputs.q }, {
        fetchType,
        state: "FAILED",
        errors: [message],
        outputs: {},
      });
    }
  }],
  ["a constraint fails Queries and Batch also with RETURNING", async (flows) => {
    const message = 'Cannot query "database.db": UNIQUE constraint failed: t.n';
    const { errors } = await flows.run({
      make: { type: "Query", sql: "CREATE TABLE t (n UNIQUE); INSERT INTO t VALUES (1)", outputDbFile: true },
      queries: {
        type: "Queries",
        sqliteFile: "{{ outputs.make.databaseUri }}",
        sql: "INSERT INTO t VALUES (2), (1) RETURNING n; SELECT count(*) AS n FROM t",
        fetchType: "FETCH",
        allowFailure: true,
      },
      rows: { type: "Query", sql: "VALUES (2), (1)", fetchType: "STORE" },
      batch: {
        type: "Batch",
        sqliteFile: "{{ outputs.make.databaseUri }}",
        from: "{{ outputs.rows.uri }}",
        sql: "INSERT INTO t VALUES (?) RETURNING n",
      },
    });
    assertEquals(errors, [message, message]);
  }],
  ["no other file than those of the directory can be reached", async (flows) => {
    const { errors } = await flows.run({ q: { type: "Query", sql: "ATTACH '/tmp/other.db' AS o" } });
    assertMatch(errors[0] ?? "", /^Cannot query "database.db": too many attached databases/);
    for (
      const [url = "", reason = ""] of [
        ["jdbc:sqlite:/etc/passwd", "Invalid url: it must be like jdbc:sqlite:shop.db"],
        ["jdbc:sqlite:../../x.db", "Illegal argument: path"],
        ["jdbc:mysql://h/d", "Invalid url: it must be like jdbc:sqlite:shop.db"],
      ]
    ) {
      const refused = await flows.run({ q: { type: "Query", url, sql: "SELECT 1" } });
      assertEquals([url, refused.errors[0]?.startsWith(reason)], [url, true], refused.errors[0]);
    }
  }],
  ["a kill ends a statement that would never end", async (flows) => {
    const sql = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c";
    const { id } = await flows.app.start(await flows.save({ q: { type: "Query", sql } }));
    const stateIs = (state: string) => async () =>
      (await flows.app.execution(id)).taskRunList[0]?.state.current === state;
    await until(stateIs("RUNNING"));
    await flows.app.json("DELETE", `/executions/${id}/kill`);
    await until(stateIs("KILLED"));
  }],
  ["a Trigger starts an execution with the rows of its query", async ({ app }) => {
    await app.save(triggeredFlow("p", {
      type: "io.kestra.plugin.jdbc.sqlite.Trigger",
      url: "jdbc:sqlite::memory:",
      sql: "SELECT 5 AS n",
      fetchType: "FETCH",
    }));
    await app.advance(1_000);
    await until(async () => evaluationsOf(await stateOf(app, "p")).length === 1);
    assertEquals((await executionsOf(app, "p")).map((each) => each.trigger), [{ rows: [{ n: 5 }], size: 1 }]);
  }],
  ["a Trigger whose query fails among its rows starts nothing", async ({ app }) => {
    await app.save(triggeredFlow("failing", {
      type: "io.kestra.plugin.jdbc.sqlite.Trigger",
      url: "jdbc:sqlite::memory:",
      sql: FAILING,
      fetchType: "FETCH",
    }));
    await app.advance(1_000);
    await until(async () => evaluationsOf(await stateOf(app, "failing")).length === 1);
    assertEquals(evaluationsOf(await stateOf(app, "failing")), [
      'SKIPPED: Cannot query "database.db": integer overflow',
    ]);
    assertEquals(await executionsOf(app, "failing"), []);
  }],
];

Deno.test("the types of jdbc.sqlite", async (t) => {
  await using app = await Harness.start();
  const flows = new DatabaseFlows(app, { kind: "sqlite" });
  for (const [name, work] of CASES) await t.step(name, () => work(flows));
});
