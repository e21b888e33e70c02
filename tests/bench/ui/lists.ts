/** Measurements of lists and of what a browser loads first. */
import { readBundle } from "../../../src/ui/bundle.ts";
import type { Page } from "../../support/browser/browser.ts";
import { bundleSizes } from "../../ui/app/bundle_sizes.ts";
import { searchPath } from "../api.ts";
import { bulkNamespace } from "../seeding/bulk_seeding.ts";
import { inMs, median, quantile } from "../figures.ts";
import { type Figure, type Measurement, openCached, timeFigure, withPage } from "./measurement.ts";

const LIST_RUNS = 200;
const KB = 1_000;

/** Compressed sizes of the scripts and styles. */
export const bundle: Measurement = () => {
  const built = readBundle();
  if (!built) return Promise.resolve([]);
  const { firstView, all } = bundleSizes(built);
  const figure = (what: string, bytes: number, limit: number): Figure => ({
    what,
    limit,
    unit: "KB",
    value: bytes / KB,
    measured: `${(bytes / KB).toFixed(1)} KB`,
  });
  return Promise.resolve([
    figure("scripts and styles of the first view, gzip", firstView.gzip, 90),
    figure("scripts and styles of all views, gzip", all.gzip, 250),
  ]);
};

/** Pages of the list of executions, one after the other. */
export const listApi: Measurement = async ({ server }) => {
  const queries = ["?size=50", "?size=50&state=FAILED", `?size=50&namespace=${bulkNamespace(3)}`];
  const times: number[] = [];
  for (let run = 0; run < LIST_RUNS; run++) {
    const startedAt = performance.now();
    const response = await fetch(server.url + searchPath(queries[run % queries.length] ?? ""));
    await response.arrayBuffer();
    times.push(performance.now() - startedAt);
  }
  const value = quantile(times, 0.95);
  const measured = `${inMs(value)} (p50 ${inMs(median(times))})`;
  return [{ what: "API of the list of executions, p95", limit: 100, unit: "ms", value, measured }];
};

/** With an empty cache. */
export const firstViews: Measurement = async (measured) => {
  const views = [["dashboard", "/ui/"], ["executions", "/ui/executions"], ["flows", "/ui/flows"]] as const;
  const figures: Figure[] = [];
  for (const [name, path] of views) {
    const measure = () => withPage(measured, (page) => largestPaintMs(page, path));
    figures.push(await timeFigure(`first view (LCP), ${name}`, 1_000, measure));
  }
  return figures;
};

async function largestPaintMs(page: Page, path: string): Promise<number> {
  await page.goto(path, { waitUntil: "networkidle" });
  return await page.evaluate(() =>
    new Promise<number>((resolve) => {
      const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0));
      observer.observe({ type: "largest-contentful-paint", buffered: true });
    })
  );
}

/** Until the rows of the list are there, with the scripts in the cache. */
export const flowList: Measurement = async (measured) => {
  const what = `list of ${measured.sizes.flows.toLocaleString("en")} flows, rows`;
  const measure = () =>
    withPage(measured, async (page) => {
      await openCached(page, "/ui/flows?namespace=company.listed");
      await page.locator("main tbody tr").first().waitFor();
      return await page.evaluate(() => performance.now());
    });
  return [await timeFigure(what, undefined, measure)];
};
