/** What the measurements of the UI have in common: their budgets, and pages of a browser. */
import type { CDPSession } from "playwright-core";
import type { Browser, Page } from "../../support/browser/browser.ts";
import { inMs, median } from "../figures.ts";
import type { ServerUnderTest } from "../servers/server_under_test.ts";

/** How much there is to show, and how long a page stays open. */
export interface Sizes {
  readonly executions: number;
  readonly flows: number;
  /** Of the executions that are opened, one execution each. */
  readonly taskRuns: readonly number[];
  readonly lines: number;
  /** That a list stays open while executions start and end. */
  readonly minutes: number;
}

/** A full server and a browser. */
export interface Measured {
  readonly server: ServerUnderTest;
  readonly browser: Browser;
  readonly sizes: Sizes;
}

/** One measured value. */
export interface Figure {
  readonly what: string;
  /** As a person reads it. */
  readonly measured: string;
  /** What is compared with {@link limit}; its unit is that of the limit. */
  readonly value: number;
  /** The value must be below it; absent: there is no budget. */
  readonly limit?: number;
  /** Of the limit. */
  readonly unit?: "ms" | "MB" | "KB" | "%";
}

/** Measures one or several figures. */
export type Measurement = (measured: Measured) => Promise<Figure[]>;

const RUNS = 7;
const VIEWPORT = { width: 1440, height: 900 };

/** Whether the budget is held; `undefined` without one. */
export function isHeld({ value, limit }: Figure): boolean | undefined {
  return limit === undefined ? undefined : value < limit;
}

/** Runs `use` with a page whose cache and storage are empty. */
export async function withPage<T>(
  { browser, server }: Measured,
  use: (page: Page) => Promise<T>,
): Promise<T> {
  await using context = await browser.newContext({ baseURL: server.url, viewport: VIEWPORT });
  return await use(await context.newPage());
}

/** Measures a time several times. The median is compared with the limit, in milliseconds. */
export async function timeFigure(
  what: string,
  limit: number | undefined,
  measure: () => Promise<number>,
): Promise<Figure> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push(await measure());
  return figureOf(what, limit, times);
}

/** The median of times in milliseconds, with the shortest and the longest. */
export function figureOf(what: string, limit: number | undefined, times: readonly number[]): Figure {
  const value = median(times);
  const measured = `${inMs(value)} (${inMs(Math.min(...times))} to ${inMs(Math.max(...times))})`;
  return { what, limit, unit: "ms", value, measured };
}

/** Gives {@link metric} what the browser counts of a page. */
export async function metricsOf(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  return session;
}

/** What the browser has counted of a page, for example the `ProcessTime` in seconds. */
export async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find((each) => each.name === name)?.value ?? 0;
}

/** Opens a page of the UI whose scripts are in the cache of the browser, as they are after the first visit. */
export async function openCached(page: Page, path: string): Promise<void> {
  await fillCache(page);
  await page.goto(path, { waitUntil: "commit" });
}

/** Loads the scripts of the UI into the cache of the browser. */
export async function fillCache(page: Page): Promise<void> {
  await page.goto("/ui/settings", { waitUntil: "networkidle" });
}
