/** The types of `jdbc.postgresql` against a real server. */
import { assertEquals, assertMatch } from "@std/assert";
import type { Buffer } from "node:buffer";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { type JsonObject, stringifyJson } from "../../../src/base/json.ts";
import { DatabaseFlows } from "../../support/flows/database_flows.ts";
import { startPostgresql } from "../../support/servers/database_programs.ts";
import { Harness } from "../../support/harness.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { SELF_SIGNED_CERT } from "../../support/processes/self_signed.ts";
import { evaluationsOf, executionsOf, stateOf, triggeredFlow } from "../../support/flows/triggers.ts";

/** Leads to a port of this machine; records the code with which each connection begins. */
class RecordingProxy implements AsyncDisposable {
  readonly codes: number[] = [];
  readonly #server: Server;

  private constructor(port: string) {
    this.#server = createServer((socket) => {
      const target = connect(Number(port), "127.0.0.1");
      socket.once("data", (bytes) => void this.codes.push((bytes as Buffer).readInt32BE(4)));
      for (const [from, to] of [[socket, target], [target, socket]] as const) {
        from.on("error", () => to.destroy()).on("close", () => to.destroy());
        from.pipe(to);
      }
    });
  }

  static async start(port: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const TYPE = "io.kestra.plugin.jdbc.postgresql";

type Case = readonly [name: string, work: (flows: DatabaseFlows) => Promise<void>];

const ALL_TYPES = `SELECT 7::int4 AS int_, 9007199254740993::int8 AS long_, 12.50::numeric(10,2) AS decimal_,
  1.5::float8 AS double_, 'NaN'::float8 AS nan_, true AS flag, 'a "b" \\ é' || chr(10) || chr(1) AS text_, NULL AS none,
  DATE '2024-02-29' AS day_, TIMESTAMP '2024-02-29 10:11:12.5' AS local_,
  TIMESTAMPTZ '2024-02-29 10:11:12+00' AS instant_, '{"a": [1, 2.50]}'::jsonb AS json_, ARRAY[1, NULL, 3] AS numbers,
  ARRAY['a,b', 'c"d'] AS texts, '\\x00ff'::bytea AS bytes_, INTERVAL '1 day' AS interval_,
  '6f1c9a52-0000-4000-8000-000000000001'::uuid AS uuid_, 1 AS twice, 2 AS twice`;

const CASES: readonly Case[] = [
  ["Query FETCH_ONE gives each type of PostgreSQL its type of JSON", async (flows) => {
    const { outputs, errors } = await flows.run({
      q: { type: "Query", sql: ALL_TYPES, fetchType: "FETCH_ONE", timeZoneId: "Europe/Paris" },
    });
    assertEquals([errors, outputs.q?.size], [[], 1]);
    const { long_, decimal_, double_, ...row } = outputs.q?.row as JsonObject;
    assertEquals([String(long_), String(decimal_), String(double_)], ["9007199254740993", "12.5", "1.5"]);
    assertEquals(
      stringifyJson(row),
      stringifyJson({
        int_: 7,
        nan_: "NaN",
        flag: true,
        text_: 'a "b" \\ é\n\u0001',
        none: null,
        day_: "2024-02-29",
        local_: "2024-02-29T10:11:12.5",
        instant_: "2024-02-29T11:11:12+01:00",
        json_: { a: [1, 2.5] },
        numbers: [1, null, 3],
        texts: ["a,b", 'c"d'],
        bytes_: "AP8=",
        interval_: "1 day",
        uuid_: "6f1c9a52-0000-4000-8000-000000000001",
        twice: 2,
      }),
    );
  }],
  ["Query STORE writes a line of Ion a row, in which types are kept", async (flows) => {
    const { id, outputs, errors } = await flows.run({
      q: { type: "Query", sql: ALL_TYPES, fetchType: "STORE", timeZoneId: "UTC" },
    });
    assertEquals([errors, outputs.q?.size], [[], 1]);
    assertEquals(
      await flows.file(id, outputs.q?.uri),
      '{"int_":7,"long_":9007199254740993,"decimal_":12.50,"double_":1.5e0,"nan_":nan,"flag":true,' +
        '"text_":"a \\"b\\" \\\\ é\\n\\u0001","none":null,"day_":2024-02-29,"local_":"2024-02-29T10:11:12.5",' +
        '"instant_":2024-02-29T10:11:12Z,"json_":{"a": [1, 2.50]},"numbers":[1,null,3],"texts":["a,b","c\\"d"],' +
        '"bytes_":{{AP8=}},"interval_":"1 day","uuid_":"6f1c9a52-0000-4000-8000-000000000001","twice":2}\n',
    );
  }],
  ["Query STORE writes rows that are larger than the buffers", async (flows) => {
    const sql = "SELECT i, repeat('x', 300000 + i) AS t FROM generate_series(1, 20) i";
    const { id, outputs } = await flows.run({ q: { type: "Query", sql, store: true } });
    const lines = (await flows.file(id, outputs.q?.uri)).trimEnd().split("\n");
    assertEquals(
      lines.map((line) => line.length),
      lines.map((_line, at) => 300_000 + at + 1 + `{"i":${at + 1},"t":""}`.length),
    );
  }],
  ["Query STORE and CopyOut write no more rows than a stored file may have", async (flows) => {
    const sql = "SELECT repeat('x', 100000) FROM generate_series(1, 200)";
    const tasks: readonly JsonObject[] = [{ type: "Query", sql, store: true }, {
      type: "CopyOut",
      sql,
      format: "CSV",
    }];
    for (const task of tasks) {
      const { errors } = await flows.run({ q: task });
      assertMatch(errors.join(), /it is larger than 10000000 bytes, the limit of --max-upload/);
    }
  }],
  ["Query binds parameters, and leaves casts, texts and comments as they are", async (flows) => {
    const { outputs, errors } = await flows.run({
      q: {
        type: "Query",
        sql:
          "SELECT :text::text AS t, :number + 1 AS n, ':text' AS s, :text || '!' AS u /* :none */ -- :none",
        parameters: { text: "it's; DROP", number: 41 },
        fetchOne: true,
      },
    });
    assertEquals([errors, outputs.q?.row], [[], { t: "it's; DROP", n: 42, s: ":text", u: "it's; DROP!" }]);
  }],
  [
    "Query runs several statements in one transaction, and gives the rows of the last query",
    async (flows) => {
      const sql =
        "CREATE TABLE a (n int); INSERT INTO a VALUES (1), (2); SELECT ';' AS first; SELECT sum(n) AS sum FROM a;";
      const { outputs } = await flows.run({ q: { type: "Query", sql, fetchType: "FETCH" } });
      assertEquals(outputs.q, { rows: [{ sum: 3 }], size: 1 });
      const failed = await flows.run({
        q: { type: "Query", sql: "INSERT INTO a VALUES (3); SELECT nothing FROM a" },
      });
      assertEquals(failed.state, "FAILED");
      assertEquals(await flows.rows("SELECT count(*) AS n FROM a"), [{ n: 2 }]);
    },
  ],
  [
    "Queries gives the result of each statement with rows; without a transaction the first ones last",
    async (flows) => {
      const sql = "CREATE TABLE b (n int); INSERT INTO b VALUES (1) RETURNING n; SELECT n + 1 AS m FROM b";
      const { outputs, errors } = await flows.run({ q: { type: "Queries", sql, fetchType: "FETCH" } });
      assertEquals(errors, []);
      assertEquals(outputs.q, { outputs: [{ rows: [{ n: 1 }], size: 1 }, { rows: [{ m: 2 }], size: 1 }] });
      await flows.run({
        q: { type: "Queries", sql: "INSERT INTO b VALUES (2); SELECT 1 / 0", transaction: false },
      });
      await flows.run({ q: { type: "Queries", sql: "INSERT INTO b VALUES (3); SELECT 1 / 0" } });
      assertEquals(await flows.rows("SELECT n FROM b ORDER BY n"), [{ n: 1 }, { n: 2 }]);
    },
  ],
  [
    "an error names the host, the operation and the words of the server, never the password",
    async (flows) => {
      const missing = await flows.run({ q: { type: "Query", sql: "SELECT * FROM missing" } });
      assertEquals(missing.errors, [
        'Cannot query "127.0.0.1:PORT": relation "missing" does not exist (42P01, at character 15)',
      ]);
      const refused = await flows.run({ q: { type: "Query", sql: "SELECT 1", password: "wrong-word" } });
      assertEquals(refused.errors, [
        'Cannot connect to "127.0.0.1:PORT": password authentication failed for user "app" (28P01)',
      ]);
      const invalid = await flows.run({
        q: { type: "Query", sql: "SELECT 1", url: "jdbc:mysql://app:wrong-word@h/d" },
      });
      assertEquals(invalid.errors, ["Invalid url: it must be like jdbc:postgresql://host:5432/database"]);
    },
  ],
  ["sslMode VERIFY_FULL accepts the name of the certificate by the root certificate alone", async (flows) => {
    const sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    const task = { type: "Query", sql, fetchType: "FETCH_ONE", ...flows.connection("localhost") };
    const verified = await flows.run({
      q: { ...task, sslMode: "VERIFY_FULL", sslRootCert: SELF_SIGNED_CERT },
    });
    assertEquals([verified.errors, verified.outputs.q?.row], [[], { ssl: true }]);
    const untrusted = await flows.run({ q: { ...task, sslMode: "VERIFY_FULL" } });
    assertMatch(untrusted.errors[0] ?? "", /^Cannot connect to "localhost:PORT": .*certificate/i);
    const plain = await flows.run({ q: { ...task, sslMode: "DISABLE" } });
    assertEquals(plain.outputs.q?.row, { ssl: false });
    const preferred = await flows.run({ q: task });
    assertEquals(preferred.outputs.q?.row, { ssl: true });
  }],
  ["CopyOut writes CSV, and CopyIn loads it", async (flows) => {
    const sql = "SELECT i AS id, 'n' || i AS name FROM generate_series(1, 3000) i;";
    const { outputs, errors } = await flows.run({
      make: { type: "Query", sql: 'CREATE TABLE "Copied" (id int, name text)' },
      out: { type: "CopyOut", sql, format: "CSV", header: true, delimiter: ";" },
      in: {
        type: "CopyIn",
        from: "{{ outputs.out.uri }}",
        table: "Copied",
        columns: ["id", "name"],
        format: "CSV",
        header: true,
        delimiter: ";",
      },
      again: { type: "CopyOut", table: "Copied", format: "BINARY" },
    });
    assertEquals(errors, []);
    assertEquals([outputs.out?.rowCount, outputs.in?.rowCount, outputs.again?.rowCount], [3000, 3000, 3000]);
    assertEquals(await flows.rows(`SELECT count(*) AS n, max(name) AS m FROM "Copied"`), [{
      n: 3000,
      m: "n999",
    }]);
  }],
  ["CopyIn loads all rows or none, and says which line is wrong", async (flows) => {
    const { errors } = await flows.run({
      make: { type: "Query", sql: "CREATE TABLE whole (n int)" },
      file: { type: "core.storage.Write", content: "1\n2\nthree\n" },
      in: { type: "CopyIn", from: "{{ outputs.file.uri }}", table: "whole" },
    });
    assertEquals(errors, [
      'Cannot query "127.0.0.1:PORT": invalid input syntax for type integer: "three" (22P02)',
    ]);
    assertEquals(await flows.rows("SELECT count(*) AS n FROM whole"), [{ n: 0 }]);
  }],
  ["Batch inserts the rows of a stored query, by table and by sql", async (flows) => {
    const sql =
      "SELECT i AS id, i * 1.5 AS amount, CASE WHEN i > 1 THEN 'it''s ' || i END AS name FROM generate_series(1, 2500) i";
    const { outputs, errors } = await flows.run({
      make: {
        type: "Queries",
        sql: "CREATE TABLE c (id int, amount numeric, name text); CREATE TABLE d (a int, b text)",
      },
      q: { type: "Query", sql, fetchType: "STORE" },
      table: { type: "Batch", from: "{{ outputs.q.uri }}", table: "c" },
      sql: {
        type: "Batch",
        from: "{{ outputs.q.uri }}",
        sql: "INSERT INTO d (a, b) VALUES (?, ?) ON CONFLICT DO NOTHING;",
        columns: ["id", "name"],
        chunk: 700,
      },
    });
    assertEquals(errors, []);
    assertEquals([outputs.table, outputs.sql], [
      { rowCount: 2500, updatedCount: 2500 },
      { rowCount: 2500, updatedCount: 2500 },
    ]);
    assertEquals(await flows.rows("SELECT count(*) AS n, sum(amount)::int AS s, count(name) AS k FROM c"), [
      { n: 2500, s: 4_689_375, k: 2499 },
    ]);
    assertEquals(await flows.rows("SELECT b FROM d WHERE a = 2"), [{ b: "it's 2" }]);
  }],
  ["a kill cancels the query on the server", async (flows) => {
    const id = await flows.save({ q: { type: "Query", sql: "SELECT pg_sleep(3000) AS slow_one" } });
    const { id: executionId } = await flows.app.start(id);
    const sql =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE '%slow_one' AND state = 'active'";
    const isRunning = async () => stringifyJson(await flows.rows(sql)) === '[{"n":1}]';
    await until(isRunning);
    await flows.app.json("DELETE", `/executions/${executionId}/kill`);
    await until(async () => !await isRunning());
    await until(async () => (await flows.app.execution(executionId)).state.current === "KILLED");
  }],
  ["a kill cancels the query with TLS if its session has TLS", async (flows) => {
    const { port } = new URL(String(flows.connection().url).slice("jdbc:".length));
    await using proxy = await RecordingProxy.start(port);
    const url = `jdbc:postgresql://127.0.0.1:${proxy.port}/postgres?sslmode=require`;
    const id = await flows.save({ q: { type: "Query", url, sql: "SELECT pg_sleep(3000) AS secret_one" } });
    const { id: executionId } = await flows.app.start(id);
    const sql =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE '%secret_one' AND state = 'active'";
    const isRunning = async () => stringifyJson(await flows.rows(sql)) === '[{"n":1}]';
    await until(isRunning);
    await flows.app.json("DELETE", `/executions/${executionId}/kill`);
    await until(async () => !await isRunning());
    await until(async () => (await flows.app.execution(executionId)).state.current === "KILLED");
    assertEquals(proxy.codes, [80_877_103, 80_877_103]);
  }],
  ["a Trigger starts an execution with the rows of its query, and afterSQL marks them", async (flows) => {
    const { app } = flows;
    await flows.run({
      q: { type: "Queries", sql: "CREATE TABLE e (n int, seen bool); INSERT INTO e VALUES (5, false)" },
    });
    const trigger = {
      type: `${TYPE}.Trigger`,
      ...flows.connection(),
      sql: "SELECT n FROM e WHERE NOT seen",
      afterSQL: "UPDATE e SET seen = true",
      fetchType: "FETCH",
    };
    await app.save(triggeredFlow("p", trigger));
    await app.advance(1_000);
    await until(async () => evaluationsOf(await stateOf(app, "p")).length === 1);
    await app.advance(60_000);
    await until(async () => evaluationsOf(await stateOf(app, "p")).length === 2);
    assertEquals((await executionsOf(app, "p")).map((each) => each.trigger), [{ rows: [{ n: 5 }], size: 1 }]);
    assertEquals(evaluationsOf(await stateOf(app, "p")), ["SKIPPED: Its condition is false", "STARTED"]);
  }],
  ["plugin defaults of a prefix apply to all types of the database", async (flows) => {
    const pluginDefaults = [{ type: "io.kestra.plugin.jdbc.postgresql", values: flows.connection() }];
    const tasks = [{ id: "q", type: `${TYPE}.Query`, sql: "SELECT 1 AS n", fetchType: "FETCH_ONE" }];
    await flows.app.save(stringifyJson({ id: "defaults", namespace: "demo", tasks, pluginDefaults }));
    const { id } = await flows.app.start("defaults", {}, "?wait=true");
    assertEquals((await flows.app.execution(id)).taskRunList[0]?.outputs.row, { n: 1 });
  }],
];

Deno.test("the types of jdbc.postgresql", async (t) => {
  await using server = await startPostgresql();
  if (!server) return;
  await using app = await Harness.start();
  const flows = new DatabaseFlows(app, { kind: "postgresql", port: server.port, database: "postgres" });
  for (const [name, work] of CASES) await t.step(name, () => work(flows));
});
