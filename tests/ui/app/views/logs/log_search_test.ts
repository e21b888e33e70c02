/** The search of log lines in a browser: each filter, saved views, and links of lines. */
import { assertEquals } from "../../../../support/assert.ts";
import { type Page, stories } from "../../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { runFlow } from "../../flows.ts";
import { afterResponse, holdResponse } from "../../held_requests.ts";
import { typeBefore } from "../../typed.ts";
import {
  checkWidth,
  CORE,
  LOST_CONNECTION,
  rowsOf,
  saveIn,
  tryLostConnection,
  tryViews,
  waitForRows,
} from "../../list_page.ts";

const LIST = "/ui/logs";
const TABLE = "Logs";
const LINES = `tasks:
  - {id: calm, type: ${CORE}log.Log, message: "all is calm"}
  - {id: loud, type: ${CORE}log.Log, level: ERROR, message: "something broke"}`;
const OTHER = `tasks: [{id: other, type: ${CORE}log.Log, level: WARN, message: "take care"}]`;

const waitFor = (page: Page, count: number) => waitForRows(page, TABLE, count);

async function prepare(server: ServerProcess): Promise<void> {
  await saveIn(server, "shop.web", "lines", LINES);
  await saveIn(server, "ops", "other", OTHER);
  await runFlow(server, "shop.web/lines");
  await runFlow(server, "ops/other");
}

async function open(page: Page): Promise<void> {
  await page.goto(LIST);
  await waitFor(page, 3);
}

/** A flow that logs so many lines with consecutive numbers. */
async function saveNumbers(server: ServerProcess, id: string, first: number, count: number): Promise<void> {
  const messages = Array.from({ length: count }, (_, index) => `"line ${first + index}"`);
  await saveIn(server, "ops.gap", id, `tasks: [{id: all, type: ${CORE}log.Log, message: [${messages}]}]`);
}

stories("/logs: filters", [
  {
    name: "a text, which is marked in the lines",
    async run(page) {
      await open(page);
      await page.getByLabel("Search", { exact: true }).fill("broke");
      await waitFor(page, 1);
      assertEquals(await page.locator("mark").allInnerTexts(), ["broke"]);
    },
  },
  {
    name: "the lowest level",
    scheme: "dark",
    async run(page) {
      await open(page);
      await page.getByLabel("All levels").selectOption("WARN");
      await waitFor(page, 2);
      await page.getByLabel("All levels").selectOption("ERROR");
      await waitFor(page, 1);
      await page.getByRole("button", { name: "Clear filters" }).click();
      await waitFor(page, 3);
    },
  },
  {
    name: "a namespace includes those below it; a flow",
    async run(page) {
      await open(page);
      await page.getByLabel("Namespace").fill("shop");
      await waitFor(page, 2);
      await page.getByLabel("Namespace").fill("");
      await page.getByLabel("Flow", { exact: true }).fill("other");
      await waitFor(page, 1);
    },
  },
  {
    name: "a task",
    async run(page) {
      await open(page);
      await page.getByLabel("Task", { exact: true }).fill("loud");
      await waitFor(page, 1);
      await rowsOf(page, TABLE).getByText("something broke").waitFor();
    },
  },
  {
    name: "clearing the filters gives up what was typed last",
    needsOwnPage: true,
    async run(page) {
      await page.clock.install();
      await page.goto(`${LIST}?namespace=shop`);
      await waitFor(page, 2);
      await typeBefore(page, page.getByLabel("Search", { exact: true }), async () => {
        await page.getByRole("button", { name: "Clear filters" }).click();
      });
      assertEquals(await page.evaluate(() => location.search), "");
      assertEquals(await page.getByLabel("Search", { exact: true }).inputValue(), "");
      await waitFor(page, 3);
    },
  },
  {
    name: "a range of time; without one only the last hour is searched",
    async run(page) {
      const wanted = page.waitForRequest(/logs\/search\?.*timeRange.*=PT1H/);
      await open(page);
      await wanted;
      const longer = page.waitForRequest(/logs\/search\?.*timeRange.*=P7D/);
      await page.getByLabel("Last hour").selectOption("P7D");
      await longer;
      await waitFor(page, 3);
    },
  },
  {
    name: "limits that a link gives are chips",
    async run(page) {
      await page.goto(`${LIST}?startDate=2001-01-01T00:00:00Z&endDate=2002-01-01T00:00:00Z`);
      await page.getByText("No log line matches").waitFor();
      await page.getByRole("button", { name: /Remove the filter Until/ }).click();
      await waitFor(page, 3);
      await page.getByRole("button", { name: /Remove the filter From/ }).click();
      await page.waitForURL((url) => url.search === "");
    },
  },
  {
    name: "a view is saved, used, removed, and the removal taken back",
    async run(page) {
      await page.goto(`${LIST}?minLevel=ERROR`);
      await waitFor(page, 1);
      await tryViews(page, LIST, () => waitFor(page, 1));
    },
  },
  {
    name: "the time of a line leads to the log of its task run",
    async run(page) {
      await page.goto(`${LIST}?minLevel=ERROR`);
      await rowsOf(page, TABLE).getByRole("link").first().click();
      await page.waitForURL(/\/ui\/executions\/shop\.web\/lines\/\w+\/logs\?task=/);
      await page.getByText("something broke").first().waitFor();
    },
  },
  {
    name: "the button loads the newest lines",
    async run(page, server) {
      await page.goto(`${LIST}?namespace=ops.fresh`);
      await page.getByText("No log line matches").waitFor();
      await saveIn(server, "ops.fresh", "fresh", OTHER);
      await runFlow(server, "ops.fresh/fresh");
      await page.getByRole("button", { name: "Refresh" }).click();
      await waitFor(page, 1);
      await server.json("DELETE", "/executions/by-query?namespace=ops.fresh");
    },
  },
  {
    name: "colours of terminals are shown",
    async run(page, server) {
      const message = '"\\e[31mred\\e[0m line"';
      await saveIn(server, "ops.red", "red", `tasks: [{id: red, type: ${CORE}log.Log, message: ${message}}]`);
      await runFlow(server, "ops.red/red");
      await page.goto(`${LIST}?namespace=ops.red`);
      assertEquals(await page.locator(".ansi-red").textContent(), "red");
      await server.json("DELETE", "/executions/by-query?namespace=ops.red");
    },
  },
  {
    name: "older lines are added below",
    scheme: "dark",
    async run(page, server) {
      const messages = Array.from({ length: 130 }, (_, index) => `"line ${index}"`);
      await saveIn(
        server,
        "ops.many",
        "many",
        `tasks: [{id: all, type: ${CORE}log.Log, message: [${messages}]}]`,
      );
      await runFlow(server, "ops.many/many");
      await page.goto(`${LIST}?namespace=ops.many`);
      await waitFor(page, 100);
      await page.getByRole("button", { name: "Show older" }).click();
      await waitFor(page, 130);
      assertEquals((await rowsOf(page, TABLE).last().textContent())?.endsWith("line 0"), true);
      await server.json("DELETE", "/executions/by-query?namespace=ops.many");
    },
  },
  {
    name: "a response that comes after a newer one is not shown",
    async run(page, server) {
      await page.goto(`${LIST}?namespace=ops.order`);
      await page.getByText("No log line matches").waitFor();
      const held = await holdResponse(page, "**/logs/search?*");
      // Loads as the interval does.
      await page.evaluate(() => dispatchEvent(new Event("online")));
      await held.begun;
      await saveIn(server, "ops.order", "order", OTHER);
      await runFlow(server, "ops.order/order");
      const givenUp = page.waitForEvent(
        "requestfailed",
        (request) => request.url().includes("/logs/search?"),
      );
      await page.getByRole("button", { name: "Refresh" }).click();
      await waitFor(page, 1);
      await givenUp;
      held.release();
      await waitFor(page, 1);
      await server.json("DELETE", "/executions/by-query?namespace=ops.order");
    },
  },
  {
    name: "lines that are written while older ones are added leave no gap",
    async run(page, server) {
      await saveNumbers(server, "early", 0, 250);
      await runFlow(server, "ops.gap/early");
      await page.goto(`${LIST}?namespace=ops.gap`);
      await waitFor(page, 100);
      // Newer lines come only after the older ones were asked for.
      const released = Promise.withResolvers<void>();
      await page.route(
        (url) => url.pathname.endsWith("/logs/search") && !url.searchParams.has("cursor"),
        async (route) => {
          await released.promise;
          await route.continue();
        },
      );
      await saveNumbers(server, "late", 250, 50);
      await runFlow(server, "ops.gap/late");
      await page.getByRole("button", { name: "Show older" }).click();
      await waitFor(page, 200);
      released.resolve();
      await page.getByRole("button", { name: "Show older" }).click();
      await waitFor(page, 250);
      const messages = await rowsOf(page, TABLE).locator(".message").allInnerTexts();
      assertEquals(messages, Array.from({ length: 250 }, (_, index) => `line ${249 - index}`));
      await server.json("DELETE", "/executions/by-query?namespace=ops.gap");
    },
  },
  {
    name: "older lines that arrive after a refresh are not shown: it begins with the newest again",
    async run(page, server) {
      await saveNumbers(server, "before", 0, 150);
      await runFlow(server, "ops.gap/before");
      await page.goto(`${LIST}?namespace=ops.gap`);
      await waitFor(page, 100);
      const held = await holdResponse(page, "**/logs/search?*cursor=*");
      await page.getByRole("button", { name: "Show older" }).click();
      await held.begun;
      await saveNumbers(server, "after", 150, 1);
      await runFlow(server, "ops.gap/after");
      await page.getByRole("button", { name: "Refresh" }).click();
      await rowsOf(page, TABLE).getByText("line 150", { exact: true }).waitFor();
      await afterResponse(page, "cursor=", held.release);
      const messages = await rowsOf(page, TABLE).locator(".message").allInnerTexts();
      assertEquals(messages, Array.from({ length: 100 }, (_, index) => `line ${150 - index}`));
      await server.json("DELETE", "/executions/by-query?namespace=ops.gap");
    },
  },
  {
    name: "a new line on top keeps the rows below",
    async run(page, server) {
      await saveIn(server, "ops.keep", "keep", LINES);
      await runFlow(server, "ops.keep/keep");
      await page.goto(`${LIST}?namespace=ops.keep`);
      await waitFor(page, 2);
      const kept = await rowsOf(page, TABLE).last().elementHandle();
      await runFlow(server, "ops.keep/keep");
      await page.getByRole("button", { name: "Refresh" }).click();
      await waitFor(page, 4);
      assertEquals(await kept?.evaluate((row) => row.isConnected), true);
      await server.json("DELETE", "/executions/by-query?namespace=ops.keep");
    },
  },
  {
    name: "a lost connection is shown beside the lines, and ends by itself",
    expectedErrors: LOST_CONNECTION,
    async run(page) {
      await open(page);
      await tryLostConnection(page);
      await waitFor(page, 3);
    },
  },
  {
    name: "on a small screen nothing is wider than the window",
    size: "small",
    scheme: "dark",
    async run(page) {
      await open(page);
      await checkWidth(page);
    },
  },
], { prepare });
