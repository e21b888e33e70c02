/** `deno task bench:ui`: the budgets of the UI in Chromium, against a real server with many executions. Nothing fails. */
import { parseArgs } from "node:util";
import { type Browser, type Page, withBrowser } from "../support/browser/browser.ts";
import { createFlow, flowOf, getExecution, resume, searchPath, start, startPath } from "./api.ts";
import { Bench } from "./bench.ts";
import { inMegabytes, inMs, inPercent, median, quantile } from "./figures.ts";
import { readOptions } from "./options.ts";
import { bulkFlowId, bulkNamespace } from "./bulk_seeding.ts";
import { pause, type ServerUnderTest } from "./server_under_test.ts";

const USAGE = `deno task bench:ui [options]
  --executions <n>  stored executions (100000)
  --task-runs <n>   of the execution that is opened (2000)
  --lines <n>       of the log that is opened (100000)
  --minutes <n>     that a list stays open while executions start and end (1)`;
const RUNS = 5;
const LIST_RUNS = 200;
const IDLE_MS = 15_000;
const STARTS_PER_SECOND = 5;

/** Run in the page: when its thread is free, since its navigation. */
const WHEN_IDLE = "new Promise((resolve) => requestIdleCallback(() => resolve(performance.now())))";
/** Run in the page: when the state SUCCESS is painted, since 1970. */
const WHEN_SUCCESS = `new Promise((resolve) => {
  const look = () => {
    const state = document.querySelector(".state")?.textContent ?? "";
    requestAnimationFrame(/success/i.test(state) ? () => resolve(Date.now()) : look);
  };
  look();
})`;

interface Options {
  readonly executions: number;
  readonly taskRuns: number;
  readonly lines: number;
  readonly minutes: number;
}

interface Figure {
  readonly what: string;
  readonly budget: string;
  readonly measured: string;
}

/** A server with the flows of the measurements. */
interface Measured {
  readonly server: ServerUnderTest;
  readonly browser: Browser;
  readonly options: Options;
}

type Measurement = (measured: Measured) => Promise<Figure[]>;

const firstView: Measurement = async (measured) => {
  const figures: Figure[] = [];
  for (const [name, path] of [["dashboard", "/ui/"], ["executions", "/ui/executions"]] as const) {
    const times = await repeated(() => withPage(measured, (page) => largestPaintMs(page, path)));
    figures.push({ what: `first view (LCP), ${name}`, budget: "< 1,000 ms", measured: spread(times) });
  }
  return figures;
};

/** With an empty cache. */
async function largestPaintMs(page: Page, path: string): Promise<number> {
  await page.goto(path, { waitUntil: "networkidle" });
  return await page.evaluate(() =>
    new Promise<number>((resolve) => {
      const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0));
      observer.observe({ type: "largest-contentful-paint", buffered: true });
    })
  );
}

const listApi: Measurement = async ({ server }) => {
  const queries = ["?size=50", "?size=50&state=FAILED", `?size=50&namespace=${bulkNamespace(3)}`];
  const times: number[] = [];
  for (let run = 0; run < LIST_RUNS; run++) {
    const startedAt = performance.now();
    const response = await fetch(server.url + searchPath(queries[run % queries.length] ?? ""));
    await response.arrayBuffer();
    times.push(performance.now() - startedAt);
  }
  const measured = `${inMs(quantile(times, 0.95))} (p50 ${inMs(median(times))})`;
  return [{ what: "API of the list, p95", budget: "< 100 ms", measured }];
};

const manyTaskRuns: Measurement = async (measured) => {
  const { server, options: { taskRuns } } = measured;
  const values = JSON.stringify(Array.from({ length: taskRuns }, (_, index) => index));
  const task = "{id: one, type: io.svc.plugin.core.debug.Return, format: '{{ taskrun.value }}'}";
  const loop = `{id: each, type: io.svc.plugin.core.flow.ForEach, values: '${values}', tasks: [${task}]}`;
  await createFlow(server.url, flowOf("many", loop));
  const { id } = await start(server.url, "many", "?wait=true");
  const path = `/ui/executions/bench/many/${id}`;
  const times = async (tab: string) =>
    spread(await repeated(() => withPage(measured, (page) => interactiveMs(page, path + tab))));
  const what = `execution page with ${taskRuns} task runs, interactive`;
  return [
    { what, budget: "< 300 ms", measured: await times("") },
    { what: `${what}: Gantt`, budget: "", measured: await times("/gantt") },
  ];
};

/** Until the state of the execution is shown and the thread of the page is free; the files of the UI are cached. */
async function interactiveMs(page: Page, path: string): Promise<number> {
  await page.goto("/ui/settings", { waitUntil: "networkidle" });
  await page.goto(path, { waitUntil: "commit" });
  await page.locator("h1").first().waitFor();
  await page.locator(".state").first().waitFor();
  return await page.evaluate<number>(WHEN_IDLE);
}

const longLog: Measurement = async (measured) => {
  const { server, options: { lines } } = measured;
  const script = `{id: count, type: io.svc.plugin.scripts.shell.Commands, commands: ['seq ${lines}']}`;
  await createFlow(server.url, flowOf("lines", script));
  const { id } = await start(server.url, "lines", "?wait=true");
  const times = await repeated(() =>
    withPage(measured, async (page) => {
      await page.goto("/ui/settings", { waitUntil: "networkidle" });
      await page.goto(`/ui/executions/bench/lines/${id}/logs`, { waitUntil: "commit" });
      await page.locator(".log-line:not(.probe) .text").first().waitFor();
      return await page.evaluate(() => performance.now());
    })
  );
  return [{ what: `log of ${lines} lines, first lines`, budget: "", measured: spread(times) }];
};

const updates: Measurement = async (measured) => {
  const { server } = measured;
  await createFlow(server.url, flowOf("paused", "{id: wait, type: io.svc.plugin.core.flow.Pause}"));
  const times = await repeated(async () => {
    const { id } = await start(server.url, "paused", "?wait=false");
    return await withPage(measured, async (page) => {
      await page.goto(`/ui/executions/bench/paused/${id}`);
      await page.locator(".state", { hasText: /paused/i }).first().waitFor();
      const painted = page.evaluate<number>(WHEN_SUCCESS);
      await resume(server.url, id);
      const shownAt = await painted;
      const { state } = await getExecution(server.url, id);
      return shownAt - Date.parse(state.histories.at(-1)?.date ?? "");
    });
  });
  return [{ what: "end of an execution → paint", budget: "< 100 ms", measured: spread(times) }];
};

const longOpen: Measurement = async (measured) => {
  const { server, options: { minutes } } = measured;
  return await withPage(measured, async (page) => {
    await page.goto("/ui/executions", { waitUntil: "networkidle" });
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    const metric = async (name: string) => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find((each) => each.name === name)?.value ?? 0;
    };
    const path = server.url + startPath(bulkFlowId(0), "", bulkNamespace(0));
    for (let left = minutes * 60 * STARTS_PER_SECOND; left > 0; left--) {
      await (await fetch(path, { method: "POST" })).body?.cancel();
      await pause(1_000 / STARTS_PER_SECOND);
    }
    await session.send("HeapProfiler.collectGarbage");
    const heap = await metric("JSHeapUsedSize");
    const busyBefore = await metric("ProcessTime");
    await pause(IDLE_MS);
    const share = (await metric("ProcessTime") - busyBefore) * 1_000 / IDLE_MS;
    return [
      { what: `JS heap after ${minutes} min live`, budget: "< 80 MB", measured: inMegabytes(heap) },
      { what: "CPU of the idle page", budget: "< 2 %", measured: inPercent(share) },
    ];
  });
};

const MEASUREMENTS: readonly Measurement[] = [listApi, firstView, manyTaskRuns, longLog, updates, longOpen];

async function withPage<T>({ browser, server }: Measured, use: (page: Page) => Promise<T>): Promise<T> {
  const viewport = { width: 1440, height: 900 };
  await using context = await browser.newContext({ baseURL: server.url, viewport });
  return await use(await context.newPage());
}

async function repeated(measure: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push(await measure());
  return times;
}

function spread(times: readonly number[]): string {
  return `${inMs(median(times))} (worst ${inMs(Math.max(...times))})`;
}

async function measureAll(options: Options): Promise<Figure[]> {
  const { executions } = options;
  await using bench = await Bench.create({ ...readOptions([]), executions, logLevel: "warn" }, say);
  say(`Stores ${executions} executions`);
  const { dataDir } = await bench.seeded();
  await using server = await bench.startServer({ dataDir });
  const figures: Figure[] = [];
  await withBrowser(async (browser) => {
    for (const measurement of MEASUREMENTS) {
      const measured = await measurement({ server, browser, options });
      for (const { what, measured: value } of measured) say(`${what}: ${value}`);
      figures.push(...measured);
    }
  });
  return figures;
}

function table(figures: readonly Figure[]): string {
  const rows = [
    ["what", "budget", "measured"],
    ...figures.map((each) => [each.what, each.budget, each.measured]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], filler = " ") =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, filler)).join(" | ")} |`;
  const [header = [], ...body] = rows;
  return [line(header), line(["", "", ""], "-"), ...body.map((row) => line(row))].join("\n");
}

function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      executions: { type: "string", default: "100000" },
      "task-runs": { type: "string", default: "2000" },
      lines: { type: "string", default: "100000" },
      minutes: { type: "string", default: "1" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) say(USAGE);
  else {
    const figures = await measureAll({
      executions: Number(values.executions),
      taskRuns: Number(values["task-runs"]),
      lines: Number(values.lines),
      minutes: Number(values.minutes),
    });
    await Deno.stdout.write(new TextEncoder().encode(`${table(figures)}\n`));
  }
}
