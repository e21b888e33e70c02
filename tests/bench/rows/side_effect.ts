/** Row 14: what a task with a side effect adds to an execution of one client, and its commits. */
import { createFlow, flowOf, pureFlow, startPath } from "../api.ts";
import { bareRequestMs } from "../load/bare_request.ts";
import type { Bench } from "../bench.ts";
import { DatabaseFile } from "../database_file.ts";
import { EffectServer } from "../servers/effect_server.ts";
import { inMs, type RowResult, type ServerMetric } from "../figures.ts";
import { measureLatency, waitedMs } from "../load/latency_client.ts";
import { rawCommitMs } from "../servers/raw_commit.ts";
import type { ServerUnderTest } from "../servers/server_under_test.ts";
import type { Row } from "./row.ts";

const PURE = "pure";
/** Reads a pair that is not there: an effect that costs one read and writes nothing. */
const READ = "reads";
const REQUEST = "requests";
const CORE = "io.svc.plugin.core";

/** Tasks with side effects. */
export const sideEffectRow: Row = {
  number: 14,
  name: "side-effect",
  title: "what a side effect adds to start → SUCCESS, 1 client ÷ one durable write",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  await using effects = EffectServer.start();
  await using server = await bench.startServer();
  await createFlow(server.url, pureFlow(PURE));
  await createFlow(server.url, flowOf(READ, `{id: t, type: ${CORE}.kv.Get, key: absent}`));
  await createFlow(
    server.url,
    flowOf(REQUEST, `{id: t, type: ${CORE}.http.Request, uri: "${effects.url}"}`),
  );
  const folder = await bench.freshFolder();
  const [write = NaN, bare = NaN, pure = NaN, read = NaN, request = NaN] = await bench.byShortTurns(
    (seconds) => rawCommitMs(folder, seconds),
    (seconds) => bareRequestMs(effects.url, seconds),
    ...[PURE, READ, REQUEST].map((id) => (seconds: number) => waitedMs(server.url, id, seconds)),
  );
  return {
    figures: [
      added("a read adds to an execution ÷ one durable write", read - pure, write),
      added("a request adds, without its own time ÷ one durable write", request - bare - pure, write),
      await commitsFigure(bench, server),
    ],
    notes: [
      `start → SUCCESS with wait=true: pure ${inMs(pure)}, read ${inMs(read)}, request ${inMs(request)}`,
      `the request alone, on a new connection ${inMs(bare)}`,
    ],
  };
}

function added(name: string, addedMs: number, writeMs: number): ServerMetric {
  return {
    row: 14,
    name,
    measured: inMs(addedMs),
    limit: inMs(writeMs),
    value: addedMs / writeMs,
    unit: "",
    better: "lower",
    floor: 2.5,
    goal: 1.5,
  };
}

/** Of one client that waits for each end: one commit with the attempt under way, one with its outcome. */
async function commitsFigure(bench: Bench, server: ServerUnderTest): Promise<ServerMetric> {
  using database = new DatabaseFile(server.databasePath);
  const before = database.commitNumber();
  const requests = [{ method: "POST", path: startPath(READ, "?wait=true") } as const];
  const rounds = Math.ceil(bench.options.seconds * 100);
  await measureLatency({ url: server.url, requests, rounds });
  const commits = database.commitNumber() - before;
  return {
    row: 14,
    name: "commits an execution with a side effect, 1 client",
    measured: String(commits),
    limit: `${rounds} executions`,
    value: commits / rounds,
    unit: "",
    better: "lower",
    // The catalog is sealed now and then.
    floor: 2.05,
    goal: 2.01,
  };
}
