/** Row 25: rows a second of a PostgreSQL query that is stored as a file, in a flow ÷ by psql. */
import { DATABASE_PASSWORD, startPostgresql } from "../../support/servers/database_programs.ts";
import { createFlow, flowOf, start } from "../api.ts";
import type { Bench } from "../bench.ts";
import { median, perSecond, type RowResult } from "../figures.ts";
import type { Row } from "./row.ts";

const FLOW = "stored";
const ROWS = 1_000_000;
const TURNS = 3;
const SQL =
  `SELECT i AS id, 'name ' || i AS name, (i * 1.5)::numeric(12,2) AS amount, now() AS at, i % 2 = 0 AS flag
  FROM generate_series(1, ${ROWS}) i`;
const TITLE = "rows of a PostgreSQL query stored as a file ÷ psql \\copy";

/** What it costs to store the rows of a query. */
export const storedRowsRow: Row = { number: 25, name: "stored-rows", title: TITLE, measure };

async function measure(bench: Bench): Promise<RowResult> {
  await using database = await startPostgresql();
  if (!database) return { figures: [], notes: ["not measured: PostgreSQL is not installed"] };
  await using server = await bench.startServer();
  const { port } = database;
  const folder = await bench.freshFolder();
  const properties = [
    `url: "jdbc:postgresql://127.0.0.1:${port}/postgres?sslmode=disable", username: app, password: ${DATABASE_PASSWORD}`,
    `sql: SELECT * FROM measured, fetchType: STORE`,
  ].join(", ");
  await psql(port, `CREATE TABLE measured AS ${SQL}`, "VACUUM ANALYZE measured");
  await createFlow(
    server.url,
    flowOf(FLOW, `{id: t, type: io.svc.plugin.jdbc.postgresql.Query, ${properties}}`),
  );
  const [limits, measured]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    limits.push(await rate(() => psql(port, `\\copy measured to '${folder}/rows.txt'`)));
    measured.push(await rate(() => start(server.url, FLOW, "?wait=true")));
  }
  const [limit, value] = [median(limits), median(measured)];
  return {
    figures: [{
      row: 25,
      name: TITLE,
      measured: perSecond(value),
      limit: perSecond(limit),
      value: value / limit,
      unit: "",
      better: "higher",
      floor: 0.5,
      goal: 0.5,
    }],
    notes: [],
  };
}

async function rate(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return ROWS / ((performance.now() - begin) / 1000);
}

async function psql(port: number, ...commands: readonly string[]): Promise<void> {
  const where = ["-h", "127.0.0.1", "-p", String(port), "-U", "app", "-v", "ON_ERROR_STOP=1", "postgres"];
  const { success, stderr } = await new Deno.Command("psql", {
    args: [...where, ...commands.flatMap((text) => ["-c", text.replaceAll(/\n\s*/g, " ")])],
    env: { PGPASSWORD: DATABASE_PASSWORD, PGSSLMODE: "disable" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
