/** Filters, order, pages, saved views and exports of the list of executions in a browser. */
import { assertEquals, assertStringIncludes } from "../../../../support/assert.ts";
import { type Page, stories } from "../../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { runFlow, startFlow } from "../../flows.ts";
import {
  checkWidth,
  CORE,
  downloadOf,
  LOST_CONNECTION,
  rowsOf,
  saveIn,
  SOURCES,
  tryLostConnection,
  tryViews,
  waitForRows,
} from "../../list_page.ts";

const LIST = "/ui/executions";
const TABLE = "Executions";
const PARENT = `tasks:
  - {id: call, type: ${CORE}flow.Subflow, namespace: shop.orders, flowId: good, wait: true}`;

const HOOKED = (region: string) =>
  `inputs: [{id: region, type: STRING, defaults: ${region}}]
triggers: [{id: hook, type: ${CORE}trigger.Webhook, key: ${region}-key}]
tasks: [{id: log, type: ${CORE}log.Log, message: fine}]`;

/** Three executions: two by triggers, and two with the region "eu". */
async function prepareFacts(server: ServerProcess): Promise<void> {
  for (const region of ["eu", "us"]) {
    await saveIn(server, "shop", region, HOOKED(region));
    await server.json("POST", `/executions/webhook/shop/${region}/${region}-key`);
  }
  await runFlow(server, "shop/eu");
}

async function prepare(server: ServerProcess): Promise<void> {
  await saveIn(server, "shop.orders", "good", SOURCES.good);
  await saveIn(server, "shop", "bad", SOURCES.bad);
  await saveIn(server, "ops", "waiting", SOURCES.paused);
  await saveIn(server, "ops", "parent", PARENT);
  await runFlow(server, "shop.orders/good");
  await runFlow(server, "shop/bad");
  await startFlow(server, "ops/waiting");
  await runFlow(server, "ops/parent");
}

const waitFor = (page: Page, count: number) => waitForRows(page, TABLE, count);
const search = (page: Page) => new URL(page.url()).search;

async function open(page: Page, query = ""): Promise<void> {
  await page.goto(LIST + query);
  await rowsOf(page, TABLE).first().waitFor();
}

stories("/executions: filters", [
  {
    name: "a text finds executions by id, namespace and flow",
    async run(page) {
      await open(page);
      await page.getByLabel("Search", { exact: true }).fill("waiting");
      await waitFor(page, 1);
      assertEquals(search(page), "?q=waiting");
    },
  },
  {
    name: "several states are chips that are removed one by one",
    scheme: "dark",
    async run(page) {
      await open(page);
      await page.getByLabel("State", { exact: true }).selectOption("FAILED");
      await waitFor(page, 1);
      await page.getByLabel("State", { exact: true }).selectOption("PAUSED");
      await waitFor(page, 2);
      await page.getByRole("button", { name: "Remove the filter State: FAILED" }).click();
      await rowsOf(page, TABLE).getByText("PAUSED").waitFor();
      assertEquals(search(page), "?state=PAUSED");
    },
  },
  {
    name: "a namespace includes those below it",
    async run(page) {
      await open(page);
      await page.getByLabel("Namespace").fill("shop");
      await waitFor(page, 3);
    },
  },
  {
    name: "a flow",
    async run(page) {
      await open(page);
      await page.getByLabel("Flow", { exact: true }).fill("bad");
      await waitFor(page, 1);
      await rowsOf(page, TABLE).getByText("FAILED").waitFor();
    },
  },
  {
    name: "a label is typed or followed in a row",
    async run(page) {
      await open(page);
      await page.getByLabel("Labels").fill("team:sales");
      await page.getByLabel("Labels").press("Enter");
      await waitFor(page, 2);
      await page.getByRole("button", { name: "Remove the filter Labels: team:sales" }).click();
      await page.getByRole("link", { name: "team: sales" }).first().click();
      await waitFor(page, 2);
      assertEquals(search(page), "?labels=team%3Asales");
    },
  },
  {
    name: "a range of time, and limits that a link gives",
    async run(page) {
      await open(page, "?filters[startDate][LESS_THAN]=2099-01-01T00:00:00Z");
      await page.getByLabel("Any time").selectOption("PT1H");
      await page.waitForURL(/timeRange=PT1H/);
      await page.getByRole("button", { name: /Remove the filter Before: .*2099/ }).click();
      await page.waitForURL((url) => url.search === "?timeRange=PT1H");
      await rowsOf(page, TABLE).first().waitFor();
    },
  },
  {
    name: "with or without children",
    async run(page) {
      await open(page);
      await page.getByLabel("With children").selectOption("CHILD");
      await waitFor(page, 1);
      await page.getByLabel("With children").selectOption("MAIN");
      await waitFor(page, 4);
    },
  },
  {
    name: "the executions that another one started",
    async run(page, server) {
      const { results } = await server.json<{ results: { id: string }[] }>(
        "GET",
        "/executions/search?flowId=parent",
      );
      await open(page, `?triggerExecutionId=${results[0]?.id}`);
      await waitFor(page, 1);
      await page.getByRole("button", { name: /^Remove the filter Started by/ }).click();
      await waitFor(page, 5);
    },
  },
  {
    name: "no match differs from no execution, and can be cleared",
    async run(page) {
      await page.goto(`${LIST}?namespace=nowhere`);
      await page.getByText("No execution matches the filters").waitFor();
      await page.getByRole("link", { name: "Clear filters" }).click();
      await waitFor(page, 5);
    },
  },
  {
    name: "a column sorts in both directions, as the address says",
    async run(page) {
      await open(page);
      const head = page.getByRole("columnheader", { name: "Flow" });
      await head.getByRole("button").click();
      await rowsOf(page, TABLE).first().getByText("waiting").waitFor();
      assertEquals([search(page), await head.getAttribute("aria-sort")], [
        "?sort=flowId%3Adesc",
        "descending",
      ]);
      await head.getByRole("button").click();
      await rowsOf(page, TABLE).first().getByText("bad").waitFor();
      assertEquals(await head.getAttribute("aria-sort"), "ascending");
    },
  },
  {
    name: "a view is saved, used, removed, and the removal taken back",
    async run(page) {
      await open(page, "?state=FAILED");
      await waitFor(page, 1);
      await tryViews(page, LIST, () => waitFor(page, 1));
    },
  },
  {
    name: "CSV and JSON have the executions that match",
    async run(page) {
      await open(page, "?state=FAILED");
      await waitFor(page, 1);
      const csv = await downloadOf(page, "Export CSV");
      assertEquals(csv.trimEnd().split("\r\n").length, 2);
      assertStringIncludes(csv, "FAILED");
      const rows: { flowId: string }[] = JSON.parse(await downloadOf(page, "Export JSON"));
      assertEquals(rows.map(({ flowId }) => flowId), ["bad"]);
    },
  },
  {
    name: "a lost connection is shown beside the rows, and ends by itself",
    expectedErrors: LOST_CONNECTION,
    async run(page) {
      await open(page, "?state=FAILED");
      await tryLostConnection(page);
      await waitFor(page, 1);
    },
  },
  {
    name: "on a small screen nothing is wider than the window",
    size: "small",
    scheme: "dark",
    async run(page) {
      await open(page);
      await waitFor(page, 5);
      await checkWidth(page);
    },
  },
  {
    name: "Back returns to the scroll position of the list",
    size: "small",
    async run(page) {
      await open(page);
      await waitFor(page, 5);
      const link = rowsOf(page, TABLE).last().getByRole("link").first();
      await link.scrollIntoViewIfNeeded();
      const top = await page.evaluate(() => scrollY);
      assertEquals(top > 100, true, `the last row is ${top} px from the top`);
      await link.click();
      await page.getByRole("heading", { level: 1 }).getByText("good").waitFor();
      assertEquals(await page.evaluate(() => scrollY), 0);
      await page.goBack();
      await page.waitForFunction((before) => scrollY === before, top);
    },
  },
  {
    name: "Back returns to the scroll position also of a list that is loaded slowly",
    size: "small",
    needsOwnPage: true,
    async run(page) {
      await page.clock.install();
      await open(page);
      await waitFor(page, 5);
      const link = rowsOf(page, TABLE).last().getByRole("link").first();
      await link.scrollIntoViewIfNeeded();
      const top = await page.evaluate(() => scrollY);
      await link.click();
      await page.getByRole("heading", { level: 1 }).getByText("good").waitFor();
      const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await page.route("**/executions/search?*", async (route) => {
        begun.resolve();
        await answered.promise;
        await route.continue();
      });
      await page.goBack();
      await begun.promise;
      await page.clock.runFor(10_000);
      answered.resolve();
      await waitFor(page, 5);
      await page.waitForFunction((before) => scrollY === before, top);
    },
  },
], { prepare });

stories("/executions: filters by what records say", [
  {
    name: "a trigger and the value of an input",
    async run(page) {
      await open(page);
      await waitFor(page, 3);
      await page.getByLabel("Trigger", { exact: true }).fill("hook");
      await page.getByLabel("Trigger", { exact: true }).press("Enter");
      await waitFor(page, 2);
      await page.getByLabel("Inputs").fill("region:eu");
      await page.getByLabel("Inputs").press("Enter");
      await waitFor(page, 1);
      await rowsOf(page, TABLE).getByText("shop.eu").waitFor();
      assertEquals(search(page), "?triggerId=hook&inputs=region%3Aeu");
      await page.getByRole("button", { name: "Remove the filter Inputs: region:eu" }).click();
      await waitFor(page, 2);
    },
  },
], { prepare: prepareFacts });
