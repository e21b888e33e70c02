/** Row 19: many schedules: what they cost the boot and an idle server, and how soon a thousand of the same second start. */
import { createFlow, pureFlow } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, inPercent, median, type RowResult, type ServerMetric } from "../figures.ts";
import { PER_FLOW, scheduledFlow, seedSchedules, templateFlow } from "../seeding/schedule_seeding.ts";
import { pause, type ServerUnderTest } from "../servers/server_under_test.ts";
import { bootTimes, idleShare } from "./dormant.ts";
import type { Row } from "./row.ts";

const SHARE = 0.1;
const SAME_SECOND = 1_000;
/** Sets of so many schedules; each has a second of its own, so many seconds after that of the set before. */
const SETS = 3;
const APART_MS = 10_000;
const EVERY_MS = SETS * APART_MS;
const FLOW = "one";
const SETTLE_MS = 2_000;

/** Schedules. */
export const schedulesRow: Row = {
  number: 19,
  name: "schedules",
  title: "many schedules: boot, idle CPU, a thousand in the same second",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  const count = Math.ceil(bench.options.executions * SHARE);
  const [full, empty] = [await bench.freshFolder(), await bench.freshFolder()];
  bench.say(`  stores ${count} schedules`);
  await store(bench, full, count);
  const [fullMs, emptyMs] = await bootTimes(bench, full, empty);
  const none = await idleOf(bench, empty);
  await using server = await bench.startServer({ dataDir: full });
  const idle = await idleShare(server);
  await createFlow(server.url, pureFlow(FLOW));
  const rate = await bench.executionRate(server, FLOW, {});
  const ticks = await sameSecond(bench, server);
  const many = `${count.toLocaleString("en")} schedules of ${(count / PER_FLOW).toLocaleString("en")} flows`;
  return {
    figures: [
      serverMetric(`boot with ${many} − with none`, {
        measured: inMs(fullMs),
        limit: inMs(emptyMs),
        value: fullMs - emptyMs,
        unit: "ms",
        floor: 1_000,
        goal: 300,
      }),
      serverMetric(`idle CPU with ${many}`, {
        measured: inPercent(idle),
        limit: inPercent(none),
        value: idle * 100,
        unit: "%",
        floor: 2,
        goal: 0.5,
      }),
      spread("the first time", ticks.first, rate),
      spread("again", ticks.second, rate),
    ],
    notes: [],
  };
}

function serverMetric(
  name: string,
  rest: Pick<ServerMetric, "measured" | "limit" | "value" | "unit" | "floor" | "goal">,
): ServerMetric {
  return { row: 19, name, better: "lower", ...rest };
}

/** The last start after its second ÷ what so many starts take 64 clients. */
function spread(which: string, lastMs: number, rate: number): ServerMetric {
  const limitMs = SAME_SECOND / rate * 1_000;
  const value = lastMs / limitMs;
  const name = `${
    SAME_SECOND.toLocaleString("en")
  } schedules of one second, ${which}: the last ÷ starts of 64 clients`;
  return serverMetric(name, {
    measured: inMs(lastMs),
    limit: inMs(limitMs),
    value,
    unit: "",
    floor: 1.5,
    goal: 1,
  });
}

async function store(bench: Bench, dataDir: string, count: number): Promise<void> {
  let path: string;
  {
    await using server = await bench.startServer({ dataDir });
    await createFlow(server.url, templateFlow("far"));
    path = server.databasePath;
  }
  await seedSchedules(path, count);
}

async function idleOf(bench: Bench, dataDir: string): Promise<number> {
  await using server = await bench.startServer({ dataDir });
  return await idleShare(server);
}

/** Milliseconds from the second to the last of its starts: the flows are read the first time, and known the second. */
async function sameSecond(
  bench: Bench,
  { url }: ServerUnderTest,
): Promise<{ first: number; second: number }> {
  const [first, second]: [number[], number[]] = [[], []];
  for (let set = 0; set < SETS; set++) {
    await pause(untilDateOf(set));
    bench.say(`  creates ${SAME_SECOND} schedules of the same second`);
    const cron = `${set * APART_MS / 1_000}/${EVERY_MS / 1_000} * * * * *`;
    for (let n = 0; n < SAME_SECOND; n++) {
      await createFlow(url, scheduledFlow(`near-${set}-${n}`, [cron], true));
    }
    first.push(await lastStartAtDateOf(set, url));
  }
  for (let set = 0; set < SETS; set++) second.push(await lastStartAtDateOf(set, url));
  return { first: median(first), second: median(second) };
}

function untilDateOf(set: number): number {
  return EVERY_MS - (Date.now() - set * APART_MS) % EVERY_MS;
}

async function lastStartAtDateOf(set: number, url: string): Promise<number> {
  await pause(untilDateOf(set) + SETTLE_MS);
  const query = `?size=${SAME_SECOND}&sort=state.startDate:desc&q=near-${set}-`;
  const response = await fetch(`${url}/api/v1/main/executions/search${query}`);
  const { results } = await response.json() as { results: { state: { startDate: string } }[] };
  const starts = results.map(({ state }) => Date.parse(state.startDate));
  const last = Math.max(...starts);
  const second = last - last % APART_MS;
  const late = starts.filter((at) => at >= second).length;
  if (late === SAME_SECOND) return last - second;
  throw new Error(`${late} of ${SAME_SECOND} schedules started an execution in their time`);
}
