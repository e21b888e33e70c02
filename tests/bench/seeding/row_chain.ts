// deno-lint-ignore-file no-console
/**
 * Measures the memory of a server that moves the rows of a PostgreSQL table to S3: a query that is stored as a file, its conversion
 * to CSV, the upload. `deno run -A --no-check tests/bench/seeding/row_chain.ts [rows]`; a million rows unless given.
 */
import { DATABASE_PASSWORD, startPostgresql } from "../../support/servers/database_programs.ts";
import { createFlow, flowOf, start } from "../api.ts";
import { ObjectSink } from "../servers/object_sink.ts";
import { ServerUnderTest } from "../servers/server_under_test.ts";

const FLOW = "chain";
const PLUGIN = "io.svc.plugin";

function chainOf(port: number, rows: number, sinkUrl: string): string {
  const sql =
    "SELECT i AS id, 'name ' || i AS name, (i * 1.5)::numeric(12,2) AS amount, now() AS at, i % 2 = 0 AS flag " +
    `FROM generate_series(1, ${rows}) i`;
  const database =
    `url: "jdbc:postgresql://127.0.0.1:${port}/postgres?sslmode=disable", username: app, password: ${DATABASE_PASSWORD}`;
  const bucket =
    `endpointOverride: "${sinkUrl}", forcePathStyle: true, region: us-east-1, accessKeyId: a, secretKeyId: b, bucket: c`;
  return flowOf(
    FLOW,
    `{id: query, type: ${PLUGIN}.jdbc.postgresql.Query, ${database}, fetchType: STORE, sql: "${sql}"}`,
    `{id: csv, type: ${PLUGIN}.serdes.csv.IonToCsv, from: "{{ outputs.query.uri }}"}`,
    `{id: upload, type: ${PLUGIN}.aws.s3.Upload, ${bucket}, key: rows.csv, from: "{{ outputs.csv.uri }}"}`,
  );
}

const rows = Number(Deno.args[0] ?? 1_000_000);
await using database = await startPostgresql();
if (!database) throw new Error("Cannot measure: PostgreSQL is not installed");
await using sink = ObjectSink.start();
const dataDir = await Deno.makeTempDir({ prefix: "sluice-bench-" });
try {
  await using server = await ServerUnderTest.start({ dataDir });
  await createFlow(server.url, chainOf(database.port, rows, sink.url));
  const idle = await server.residentBytes();
  const cpuBefore = await server.cpuMs();
  const begin = performance.now();
  const { state } = await start(server.url, FLOW, "?wait=true");
  const seconds = (performance.now() - begin) / 1000;
  const inMb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  console.log(
    `${state.current}: ${rows} rows, ${inMb(sink.received)} uploaded in ${seconds.toFixed(1)} s, ${
      ((await server.cpuMs() - cpuBefore) / 1000).toFixed(1)
    } s of CPU time;`,
    `resident memory ${inMb(idle)} before, ${inMb(await server.peakBytes())} at most`,
  );
} finally {
  await Deno.remove(dataDir, { recursive: true });
}
