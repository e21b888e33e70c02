/** Measurements of a page that stays open. */
import type { CDPSession } from "playwright-core";
import { startPath } from "../api.ts";
import { bulkFlowId, bulkNamespace } from "../seeding/bulk_seeding.ts";
import { inMegabytes, inPercent } from "../figures.ts";
import { pause } from "../servers/server_under_test.ts";
import { type Figure, type Measured, type Measurement, metric, metricsOf, withPage } from "./measurement.ts";

const IDLE_MS = 20_000;
const STARTS_PER_SECOND = 5;
const SAMPLE_EVERY_MS = 10_000;
/** Until then caches fill; the slope is that of the samples after it. */
const WARM_UP_SHARE = 0.25;
const HOUR_MS = 3_600_000;
const MB = 1e6;

/** A list that stays open while executions start and end: its heap, the growth of it, and then the time that it computes. */
export const longOpen: Measurement = async (measured) =>
  await withPage(measured, async (page) => {
    await page.goto("/ui/executions", { waitUntil: "networkidle" });
    const session = await metricsOf(page);
    const heap = await heapWhileBusy(measured, session);
    const before = await metric(session, "ProcessTime");
    await pause(IDLE_MS);
    const share = (await metric(session, "ProcessTime") - before) * 1_000 / IDLE_MS;
    const cpu: Figure = {
      what: "CPU of the idle page",
      limit: 2,
      unit: "%",
      value: share * 100,
      measured: inPercent(share),
    };
    return [heap, cpu];
  });

/** The heap after an hour, from its last sample and its growth. */
async function heapWhileBusy({ server, sizes }: Measured, session: CDPSession): Promise<Figure> {
  const samples: { readonly atMs: number; readonly bytes: number }[] = [];
  const path = server.url + startPath(bulkFlowId(0), "", bulkNamespace(0));
  const startedAt = performance.now();
  const endsAt = startedAt + sizes.minutes * 60_000;
  let sampleAt = startedAt + SAMPLE_EVERY_MS;
  while (performance.now() < endsAt) {
    await (await fetch(path, { method: "POST" })).body?.cancel();
    await pause(1_000 / STARTS_PER_SECOND);
    if (performance.now() < sampleAt) continue;
    sampleAt += SAMPLE_EVERY_MS;
    await session.send("HeapProfiler.collectGarbage");
    samples.push({ atMs: performance.now() - startedAt, bytes: await metric(session, "JSHeapUsedSize") });
  }
  const last = samples.at(-1)?.bytes ?? NaN;
  const perHour = slope(samples.slice(Math.floor(samples.length * WARM_UP_SHARE))) * HOUR_MS;
  const afterHour = last + Math.max(0, perHour);
  return {
    what: `JS heap after an hour live (${sizes.minutes} min measured)`,
    limit: 80,
    unit: "MB",
    value: afterHour / MB,
    measured: `${inMegabytes(afterHour)} (${(last / MB).toFixed(1)} MB, slope ${
      (perHour / MB).toFixed(1)
    } MB/h)`,
  };
}

/** Bytes a millisecond, by least squares. */
function slope(samples: readonly { readonly atMs: number; readonly bytes: number }[]): number {
  const mean = (of: (sample: typeof samples[number]) => number) =>
    samples.reduce((sum, each) => sum + of(each), 0) / samples.length;
  const [atMs, bytes] = [mean((each) => each.atMs), mean((each) => each.bytes)];
  const above = mean((each) => (each.atMs - atMs) * (each.bytes - bytes));
  return above / mean((each) => (each.atMs - atMs) ** 2);
}
