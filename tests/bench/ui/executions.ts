/** Measurements of the page of an execution. */
import type { Page } from "../../support/browser/browser.ts";
import { getExecution, resume, start } from "../api.ts";
import {
  type Figure,
  figureOf,
  fillCache,
  type Measured,
  type Measurement,
  metric,
  metricsOf,
  openCached,
  timeFigure,
  withPage,
} from "./measurement.ts";
import { LOG_FLOW_ID, type OpenedExecutions, PAUSED_FLOW_ID, taskRunsFlowId } from "./ui_seeding.ts";

/** Task runs of the execution that the budget names. */
const BUDGET_TASK_RUNS = 2_000;
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

/** Until the page is drawn and responds, for each number of task runs. */
export function openExecutions({ byTaskRuns }: OpenedExecutions): Measurement {
  return async (measured) => {
    const figures: Figure[] = [];
    for (const [count, id] of byTaskRuns) {
      const path = `/ui/executions/bench/${taskRunsFlowId(count)}/${id}`;
      const what = `execution of ${count.toLocaleString("en")} task runs, interactive`;
      const limit = count <= BUDGET_TASK_RUNS ? 300 : undefined;
      const processorTimes: number[] = [];
      figures.push(await timeFigure(what, limit, () => interactiveMs(measured, path, processorTimes)));
      figures.push(figureOf(`${what}: processor time of the page`, undefined, processorTimes));
      figures.push(await timeFigure(`${what}: Gantt`, limit, () => interactiveMs(measured, `${path}/gantt`)));
    }
    return figures;
  };
}

/** Until the state of the execution is shown and the thread of the page is free. Adds what its process worked meanwhile. */
function interactiveMs(
  measured: Measured,
  path: string,
  processorTimes: number[] = [],
): Promise<number> {
  return withPage(measured, async (page) => {
    await fillCache(page);
    const session = await metricsOf(page);
    const before = await metric(session, "ProcessTime");
    await page.goto(path, { waitUntil: "commit" });
    await page.locator("h1").first().waitFor();
    await page.locator(".state").first().waitFor();
    const elapsedMs = await page.evaluate<number>(WHEN_IDLE);
    processorTimes.push((await metric(session, "ProcessTime") - before) * 1_000);
    return elapsedMs;
  });
}

/** Until the first lines of a long log are drawn. */
export function openLog({ log }: OpenedExecutions): Measurement {
  return async (measured) => {
    const firstLine = async (page: Page) => {
      await openCached(page, `/ui/executions/bench/${LOG_FLOW_ID}/${log}/logs`);
      await page.locator(".log-line:not(.probe) .text").first().waitFor();
      return await page.evaluate(() => performance.now());
    };
    const what = `log of ${measured.sizes.lines.toLocaleString("en")} lines, first lines`;
    return [await timeFigure(what, undefined, () => withPage(measured, firstLine))];
  };
}

/** From the date of the last state to its paint: resuming gives two changes, one after the other. */
export const updates: Measurement = async (measured) => {
  const { server } = measured;
  const measure = async () => {
    const { id } = await start(server.url, PAUSED_FLOW_ID, "?wait=false");
    return await withPage(measured, async (page) => {
      await page.goto(`/ui/executions/bench/${PAUSED_FLOW_ID}/${id}`);
      await page.locator(".state", { hasText: /paused/i }).first().waitFor();
      const painted = page.evaluate<number>(WHEN_SUCCESS);
      await resume(server.url, id);
      const shownAt = await painted;
      const { state } = await getExecution(server.url, id);
      return shownAt - Date.parse(state.histories.at(-1)?.date ?? "");
    });
  };
  return [await timeFigure("end of an execution → paint", 100, measure)];
};
