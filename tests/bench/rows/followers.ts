/** Row 15: followers of an execution: how soon they see its end, and what a thousand of them cost. */
import { createFlow, flowOf, followPath, getExecution, resume, start } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, median, type RowResult, type ServerMetric } from "../figures.ts";
import { FollowClient } from "../load/follow_client.ts";
import { measureLatency } from "../load/latency_client.ts";
import { pause, type ServerUnderTest } from "../servers/server_under_test.ts";
import type { Row } from "./row.ts";

const CORE = "io.svc.plugin.core";
const PAUSED = '"current":"PAUSED"';
/** Both forms of the stream: whole executions, and what has changed. */
const FORMS = [{ name: "whole", query: "" }, { name: "delta", query: "?format=delta" }] as const;
/** Changes that come faster are joined into one event: what is timed comes later than that. */
const JOIN_MS = 60;
const SAMPLES_PER_SECOND = 5;
const FOLLOWERS = 1_000;
const CHANGES = 8;
const TASK_RUNS = 30;
const DELIVERY_MS = 10_000;
const LOOK_MS = 2;

/** Followers. */
export const followersRow: Row = {
  number: 15,
  name: "followers",
  title: "event streams: how soon, and what a thousand cost",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  await using server = await bench.startServer();
  await createFlow(server.url, flowOf("once", `{id: p, type: ${CORE}.flow.Pause}`));
  await createFlow(server.url, flowOf("often", ...wideTasks()));
  const figures: ServerMetric[] = [], notes: string[] = [];
  for (const { name, query } of FORMS) figures.push(await delayFigure(bench, server, { name, query }));
  const getMs = await cpuOfGet(server);
  for (const { name, query } of FORMS) {
    const one = await costOfChange(server, query, 1);
    const many = await costOfChange(server, query, FOLLOWERS);
    const eachMs = (many.cpuMs - one.cpuMs) / (FOLLOWERS - 1);
    figures.push(eachFigure(name, eachMs, getMs), endedFigure(name, many.ended));
    notes.push(
      `${name}: CPU of a change ${inMs(one.cpuMs)} with one follower, ${inMs(many.cpuMs)} with ${FOLLOWERS}`,
    );
  }
  notes.push("how soon: from the end in the execution's history, whole milliseconds of the server's clock");
  return { figures, notes };
}

/** A pause that is over at once ends the execution with one commit. */
async function delayFigure(
  bench: Bench,
  { url }: ServerUnderTest,
  { name, query }: { readonly name: string; readonly query: string },
): Promise<ServerMetric> {
  const samples = Math.ceil(bench.options.seconds * bench.options.rounds * SAMPLES_PER_SECOND);
  const delays: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    const { id } = await start(url, "once");
    using follower = await FollowClient.connect(url, followPath(id, query), [PAUSED, '"SUCCESS"']);
    await follower.seen(PAUSED);
    await pause(JOIN_MS);
    await resume(url, id);
    const seenAt = await follower.seen('"SUCCESS"');
    const { state } = await getExecution(url, id);
    delays.push(seenAt - Date.parse(state.histories.at(-1)?.date ?? ""));
  }
  const value = median(delays);
  return {
    row: 15,
    name: `SUCCESS → its follower (${name}), p50`,
    measured: inMs(value),
    limit: "",
    value,
    unit: "ms",
    better: "lower",
    floor: 5,
    goal: 2,
  };
}

function eachFigure(name: string, eachMs: number, getMs: number): ServerMetric {
  return {
    row: 15,
    name: `CPU of a change for one follower more (${name}) ÷ GET of the execution`,
    measured: inMs(eachMs),
    limit: inMs(getMs),
    value: eachMs / getMs,
    unit: "",
    better: "lower",
    floor: 1,
    goal: 0.5,
  };
}

function endedFigure(name: string, ended: number): ServerMetric {
  return {
    row: 15,
    name: `followers (${name}) that saw the end`,
    measured: String(ended),
    limit: String(FOLLOWERS),
    value: ended / FOLLOWERS,
    unit: "",
    better: "higher",
    floor: 1,
    goal: 1,
  };
}

interface Cost {
  /** Of one change with all that follows from it. */
  readonly cpuMs: number;
  readonly ended: number;
}

async function costOfChange(server: ServerUnderTest, query: string, count: number): Promise<Cost> {
  const { url } = server;
  const { id } = await start(url, "often");
  const followers: FollowClient[] = [];
  for (let n = 0; n < count; n++) {
    followers.push(await FollowClient.connect(url, followPath(id, query), [PAUSED]));
  }
  await Promise.all(followers.map((follower) => follower.seen(PAUSED)));
  await pause(JOIN_MS * 2);
  const costs: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    const before = await server.cpuMs();
    await changeOnce(url, id, followers);
    costs.push(await server.cpuMs() - before);
  }
  await resume(url, id);
  const ends = followers.map((follower) => follower.ended().then(() => 1, () => 0));
  const ended = await Promise.race([
    Promise.all(ends).then((all) => all.reduce<number>((sum, one) => sum + one, 0)),
    pause(DELIVERY_MS).then(() => NaN),
  ]);
  for (const follower of followers) follower[Symbol.dispose]();
  return { cpuMs: costs.reduce((sum, cost) => sum + cost, 0) / CHANGES, ended };
}

/** From one pause to the next; settles when all have been told. */
async function changeOnce(url: string, id: string, followers: readonly FollowClient[]): Promise<void> {
  const before = followers.map(({ events }) => events);
  await resume(url, id);
  const deadline = performance.now() + DELIVERY_MS;
  while (followers.some(({ events }, index) => events === before[index])) {
    if (performance.now() > deadline) throw new Error("A follower was not told of a change");
    await pause(LOOK_MS);
  }
  await pause(JOIN_MS * 2);
}

/** CPU that the server spends on one GET of an execution as large as the followed one. */
async function cpuOfGet(server: ServerUnderTest): Promise<number> {
  const { id } = await start(server.url, "often");
  const path = followPath(id).replace("/follow", "");
  const requests = [{ method: "GET", path } as const];
  await measureLatency({ url: server.url, requests, seconds: 1 });
  const before = await server.cpuMs();
  const [latency] = await measureLatency({ url: server.url, requests, seconds: 1 });
  return (await server.cpuMs() - before) / (latency?.count ?? NaN);
}

/** Some task runs, then pauses: one more than are timed, for the end. */
function wideTasks(): string[] {
  const done = Array.from(
    { length: TASK_RUNS },
    (_, n) => `{id: t${n}, type: ${CORE}.debug.Return, format: "value ${n}"}`,
  );
  const pauses = Array.from({ length: CHANGES + 1 }, (_, n) => `{id: p${n}, type: ${CORE}.flow.Pause}`);
  return [...done, ...pauses];
}
