/** Row 2: from start to SUCCESS as one client sees it ÷ a raw POST of the same client. */
import { createFlow, pureFlow, startPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, median, type RowResult } from "../figures.ts";
import { type Latency, type LatencyJob, measureLatency } from "../load/latency_client.ts";
import { RAW_BODY } from "../servers/raw_server.ts";
import type { Row } from "./row.ts";

const FLOW = "one";

/** From start to SUCCESS. */
export const latencyRow: Row = {
  number: 2,
  name: "latency",
  title: "start → SUCCESS p50, 1 client ÷ raw POST p50",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  await using raw = await bench.startRaw();
  await using server = await bench.startServer();
  await createFlow(server.url, pureFlow(FLOW));
  const start = (query: string) => ({ method: "POST", path: startPath(FLOW, query) } as const);
  const rawPost = { method: "POST", path: "/raw", body: RAW_BODY } as const;
  const raws = watch({ url: raw.url, requests: [rawPost] });
  const polls = watch({ url: server.url, requests: [start("")], untilSuccess: true });
  const waits = watch({ url: server.url, requests: [start("?wait=true")] });
  const answers = watch({ url: server.url, requests: [start("")] });
  const sides = [raws, polls, waits, answers].map(({ side }) => side);
  const [limit = NaN, polled = NaN, waited = NaN, answered = NaN] = await bench.byTurns(...sides);
  const p99 = (side: Watched) => inMs(median(side.found.slice(1).map((latency) => latency.p99Ms)));
  return {
    figures: [{
      row: 2,
      name: "start → SUCCESS p50, 1 client ÷ raw POST p50",
      measured: inMs(polled),
      limit: inMs(limit),
      value: polled / limit,
      unit: "",
      better: "lower",
      floor: 4,
      goal: 2.5,
    }],
    notes: [
      `p99 ${p99(polls)}, raw ${p99(raws)}`,
      `wait=true p50 ${inMs(waited)} (${(waited / limit).toFixed(2)} × raw), p99 ${p99(waits)}`,
      `answer to the start alone p50 ${inMs(answered)} (${(answered / limit).toFixed(2)} × raw)`,
    ],
  };
}

interface Watched {
  readonly side: (seconds: number) => Promise<number>;
  readonly found: Latency[];
}

function watch(job: LatencyJob): Watched {
  const found: Latency[] = [];
  const side = async (seconds: number) => {
    const [latency] = await measureLatency({ ...job, seconds });
    if (latency) found.push(latency);
    return latency?.p50Ms ?? NaN;
  };
  return { side, found };
}
