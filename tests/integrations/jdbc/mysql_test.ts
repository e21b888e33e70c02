/** The types of `jdbc.mysql` and `jdbc.mariadb` against MariaDB. */
import { assertEquals, assertMatch } from "@std/assert";
import { type JsonObject, stringifyJson } from "../../../src/base/json.ts";
import { startMariadb } from "../../support/servers/database_programs.ts";
import { DatabaseFlows } from "../../support/flows/database_flows.ts";
import { Harness } from "../../support/harness.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { evaluationsOf, executionsOf, stateOf, triggeredFlow } from "../../support/flows/triggers.ts";

const ALL_TYPES = `SELECT 7 AS int_, 9007199254740993 AS long_, CAST(12.50 AS DECIMAL(10,2)) AS decimal_,
  CAST(1.5 AS DOUBLE) AS double_, 'a "b" \\\\ é\\n' AS text_, NULL AS none, DATE '2024-02-29' AS day_,
  TIMESTAMP '2024-02-29 10:11:12.5' AS local_, X'00ff' AS bytes_, TIME '10:11:12' AS time_`;

type Case = readonly [name: string, work: (flows: DatabaseFlows) => Promise<void>];

const CASES: readonly Case[] = [
  ["Query STORE writes a line of Ion a row, in which types are kept", async (flows) => {
    const { id, outputs, errors } = await flows.run({
      q: { type: "Query", sql: ALL_TYPES, fetchType: "STORE" },
    });
    assertEquals([errors, outputs.q?.size], [[], 1]);
    assertEquals(
      await flows.file(id, outputs.q?.uri),
      '{"int_":7,"long_":9007199254740993,"decimal_":12.50,"double_":1.5e0,"text_":"a \\"b\\" \\\\ é\\n","none":null,' +
        '"day_":2024-02-29,"local_":"2024-02-29T10:11:12.5","bytes_":{{AP8=}},"time_":"10:11:12"}\n',
    );
  }],
  ["columns of tables have their types, also with bound parameters", async (flows) => {
    const sql =
      `CREATE TABLE t (id INT PRIMARY KEY, flag BOOLEAN, at_ TIMESTAMP, note JSON, raw_ BLOB, txt TEXT);
      INSERT INTO t VALUES (1, true, '2024-02-29 10:11:12', '{"a": 1}', 'x', 'it''s; :no');
      SELECT * FROM t WHERE id = :id AND txt <> :text`;
    const { outputs, errors } = await flows.run({
      q: { type: "Query", sql, parameters: { id: 1, text: "it's" }, fetchType: "FETCH_ONE" },
    });
    assertEquals(errors, []);
    assertEquals(outputs.q?.row, {
      id: 1,
      flag: true,
      at_: "2024-02-29T10:11:12Z",
      note: '{"a": 1}', // MariaDB keeps JSON as text.
      raw_: "eA==",
      txt: "it's; :no",
    });
  }],
  ["Queries rolls back what comes before an error", async (flows) => {
    await flows.run({ q: { type: "Queries", sql: "CREATE TABLE b (n INT) ENGINE = InnoDB" } });
    const { errors } = await flows.run({
      q: { type: "Queries", sql: "INSERT INTO b VALUES (1); SELECT * FROM missing" },
    });
    assertEquals(errors, [`Cannot query "127.0.0.1:PORT": Table 'shop.missing' doesn't exist (42S02)`]);
    assertEquals(await flows.rows("SELECT count(*) AS n FROM b"), [{ n: 0 }]);
  }],
  ["a refused password is an error that does not show it", async (flows) => {
    const { errors } = await flows.run({ q: { type: "Query", sql: "SELECT 1", password: "wrong-word" } });
    assertMatch(
      errors[0] ?? "",
      /^Cannot connect to "127\.0\.0\.1:PORT": Access denied for user 'app'@.* \(28000\)$/,
    );
  }],
  [
    "connections have TLS as their address asks for, without sslMode if the address is of MySQL",
    async (flows) => {
      const url = String(flows.connection().url), maria = url.replace("mysql", "mariadb");
      const addresses = [
        url,
        `${url}?sslMode=PREFERRED`,
        `${maria}?sslMode=REQUIRED`,
        `${url}?useSSL=false`,
        maria,
      ];
      const isEncrypted: boolean[] = [];
      for (const address of addresses) {
        const sql = "SHOW STATUS LIKE 'Ssl_cipher'";
        const { outputs } = await flows.run({
          q: { type: "Query", url: address, sql, fetchType: "FETCH_ONE" },
        });
        isEncrypted.push((outputs.q?.row as JsonObject | undefined)?.Value !== "");
      }
      assertEquals(isEncrypted, [true, true, true, false, false]);
    },
  ],
  ["Batch inserts the rows of a stored query", async (flows) => {
    const { outputs, errors } = await flows.run({
      make: { type: "Query", sql: "CREATE TABLE c (id INT, name TEXT, amount DECIMAL(10,2))" },
      q: {
        type: "Query",
        sql: "SELECT seq AS id, concat('it''s ', seq) AS name, seq * 1.5 AS amount FROM seq_1_to_1500",
        fetchType: "STORE",
      },
      in: { type: "Batch", from: "{{ outputs.q.uri }}", table: "c", chunk: 400 },
    });
    assertEquals([errors, outputs.in], [[], { rowCount: 1500, updatedCount: 1500 }]);
    assertEquals(
      await flows.rows(
        "SELECT CAST(sum(amount) AS SIGNED) AS s, max(id) AS m FROM c WHERE name LIKE 'it''s %'",
      ),
      [
        { s: 1_688_625, m: 1500 },
      ],
    );
  }],
  ["LOAD DATA LOCAL INFILE reads the input file, whatever path the SQL names", async (flows) => {
    const load = (path: string) =>
      `LOAD DATA LOCAL INFILE '${path}' INTO TABLE loaded CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' IGNORE 1 LINES`;
    const { outputs, errors } = await flows.run({
      make: { type: "Query", sql: "CREATE TABLE loaded (id INT, name TEXT)" },
      from: {
        type: "core.storage.Write",
        content: `id,name\n${Array.from({ length: 20_000 }, (_, n) => `${n},é${n}\n`).join("")}`,
      },
      in: { type: "Query", inputFile: "{{ outputs.from.uri }}", sql: load("{{ inputFile }}") },
      other: {
        type: "Queries",
        inputFile: "{{ outputs.from.uri }}",
        sql: `${load("/etc/passwd")}; SELECT count(*) AS n, max(name) AS m FROM loaded`,
        fetchType: "FETCH_ONE",
      },
    });
    assertEquals([errors, outputs.other?.outputs], [[], [{ row: { n: 40_000, m: "é9999" }, size: 1 }]]);
  }],
  ["without an input file LOAD DATA LOCAL INFILE reads no file of this machine", async (flows) => {
    await flows.run({ q: { type: "Query", sql: "CREATE TABLE kept (line TEXT)" } });
    const { errors } = await flows.run({
      q: { type: "Query", sql: "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE kept" },
    });
    assertMatch(errors[0] ?? "", /^Cannot query "127\.0\.0\.1:PORT": /);
    assertEquals(await flows.rows("SELECT count(*) AS n FROM kept"), [{ n: 0 }]);
  }],
  ["a kill ends the query on the server", async (flows) => {
    const id = await flows.save({ q: { type: "Query", sql: "SELECT sleep(3000) AS slow_one" } });
    const { id: executionId } = await flows.app.start(id);
    const sql = "SELECT count(*) AS n FROM information_schema.processlist WHERE info LIKE 'SELECT sleep%'";
    const isRunning = async () => stringifyJson(await flows.rows(sql)) === '[{"n":1}]';
    await until(isRunning);
    await flows.app.json("DELETE", `/executions/${executionId}/kill`);
    await until(async () => !await isRunning());
    await until(async () => (await flows.app.execution(executionId)).state.current === "KILLED");
  }],
  ["a Trigger starts an execution with the rows of its query", async (flows) => {
    const { app } = flows;
    await app.save(triggeredFlow("p", {
      type: "io.kestra.plugin.jdbc.mariadb.Trigger",
      ...flows.connection(),
      sql: "SELECT 5 AS n",
      fetchType: "FETCH",
    }));
    await app.advance(1_000);
    await until(async () => evaluationsOf(await stateOf(app, "p")).length === 1);
    assertEquals((await executionsOf(app, "p")).map((each) => each.trigger), [{ rows: [{ n: 5 }], size: 1 }]);
  }],
];

Deno.test("the types of jdbc.mysql and jdbc.mariadb", async (t) => {
  await using server = await startMariadb();
  if (!server) return;
  await using app = await Harness.start();
  const flows = new DatabaseFlows(app, { kind: "mysql", port: server.port, database: "shop" });
  for (const [name, work] of CASES) await t.step(name, () => work(flows));
});
