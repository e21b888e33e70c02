/** The dashboard in a browser. */
import { assertEquals } from "../../support/assert.ts";
import {
  checkAccessibility,
  type Page,
  type PageStory,
  stories,
  story,
  withPage,
} from "../../support/browser.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { runFlow, saveFlow } from "./flows.ts";

const GOOD = `id: good
namespace: shop
tasks: [{id: log, type: io.svc.plugin.core.log.Log, message: fine}]
triggers: [{id: yearly, type: io.svc.plugin.core.trigger.Schedule, cron: "0 0 1 1 *"}]`;
const BAD = `id: bad
namespace: shop
tasks: [{id: fail, type: io.svc.plugin.core.execution.Fail}]`;

story("/: an empty server offers a flow that runs", async (server) => {
  await withPage(server, { size: "small", scheme: "dark" }, async (page) => {
    await page.goto("/ui/");
    await page.getByText("Welcome to Sluice").waitFor();
    await page.getByText(`curl -X POST ${server.url}/api/v1/main/executions/samples/first_steps`).waitFor();
    await checkAccessibility(page);
    await page.getByRole("button", { name: "Run the sample flow" }).click();
    await page.waitForURL("**/ui/executions/samples/first_steps/*");
  });
  const { results } = await server.json<{ results: { id: string }[] }>("GET", "/executions/search");
  const id = results[0]?.id;
  const ended = `${server.url}/api/v1/main/executions/${id}/follow`;
  await (await fetch(ended)).text();
  const { state, outputs } = await server.json<{ state: { current: string }; outputs: unknown }>(
    "GET",
    `/executions/${id}`,
  );
  assertEquals([state.current, outputs], ["SUCCESS", { greeted: 3 }]);
});

story("/: figures lead to the executions behind them", async (server) => {
  await saveFlow(server, GOOD);
  await saveFlow(server, BAD);
  for (const path of ["shop/good", "shop/good", "shop/good", "shop/bad"]) await runFlow(server, path);
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/?timeRange=PT1H");
    await page.getByText("75 %", { exact: true }).waitFor();
    await page.getByText("of 4 that have ended").waitFor();
    await page.getByText("yearly").waitFor();
    await page.getByText("✓ UP").waitFor();
    await checkAccessibility(page);

    await page.getByText("As a table").click();
    const times = page.getByRole("table").getByRole("link");
    const counts = await page.getByRole("table").locator("tbody tr td:last-child").allTextContents();
    assertEquals(counts.reduce((sum, count) => sum + Number(count), 0), 4);
    await times.first().click();
    await page.waitForURL("**/ui/executions?filters*");
    await page.getByRole("button", { name: /^Remove the filter From/ }).waitFor();
    await page.getByText(`${counts[0]} in all`).waitFor();

    await page.goBack();
    await page.getByRole("link", { name: "shop.bad" }).click();
    await page.getByText("1 in all").waitFor();
    assertEquals(new URL(page.url()).searchParams.get("state"), "FAILED");
  });
});

story("/: a card that cannot be loaded leaves the others", async (server) => {
  await saveFlow(server, GOOD);
  await runFlow(server, "shop/good");
  await withPage(server, { expectedErrors: /500/ }, async (page) => {
    await page.route("**/stats/executions/daily", (route) => route.fulfill({ status: 500, body: "broken" }));
    await page.goto("/ui/");
    const chart = page.getByRole("region", { name: "Executions over time" });
    await chart.getByText("broken").waitFor();
    await page.getByText("yearly").waitFor();
    await page.unroute("**/stats/executions/daily");
    await chart.getByRole("button", { name: "Try again" }).click();
    await chart.getByText("As a table").waitFor();
    await page.getByText("100 %", { exact: true }).waitFor();
  });
});

/** Six flows fail, the first once, the second twice, …; eleven have a schedule. */
async function failOften(server: ServerProcess): Promise<void> {
  for (let number = 1; number <= 6; number++) {
    await saveFlow(server, BAD.replace("id: bad", `id: bad${number}`));
    for (let run = 0; run < number; run++) await runFlow(server, `shop/bad${number}`);
  }
  for (let number = 1; number <= 11; number++) {
    await saveFlow(server, GOOD.replace("id: good", `id: good${number}`));
  }
}

/** Counts the requests for the bars, while the time of the page stands still. */
async function openWithClock(page: Page): Promise<{ readonly count: () => number }> {
  let count = 0;
  page.on("request", (request) => count += request.url().endsWith("/stats/executions/daily") ? 1 : 0);
  await page.clock.install();
  await page.goto("/ui/?timeRange=PT1H");
  await page.getByText("As a table").waitFor();
  return { count: () => count };
}

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
}

const DEFAULT: readonly PageStory[] = [
  {
    name: "a bar leads to the executions that started in its part of the time",
    run: async (page) => {
      await page.goto("/ui/?timeRange=P30D");
      await page.locator(".bar.bad").first().click();
      await page.getByRole("button", { name: /^Remove the filter From/ }).waitFor();
      await page.getByText(/^\d+ in all/).waitFor();
    },
  },
  {
    name: "the five flows that fail most and the next ten schedules are shown",
    size: "small",
    scheme: "dark",
    run: async (page) => {
      await page.goto("/ui/?timeRange=PT1H");
      const failing = page.getByRole("region", { name: "Flows that fail most" }).getByRole("listitem");
      await failing.first().getByText("6 failed").waitFor();
      const names = await failing.getByRole("link").allInnerTexts();
      assertEquals(names, [6, 5, 4, 3, 2].map((number) => `shop.bad${number}`));
      const schedules = page.getByRole("region", { name: "Next schedules" }).getByRole("listitem");
      await schedules.first().waitFor();
      assertEquals(await schedules.count(), 10);
    },
  },
  {
    name: "the time range is in the address",
    scheme: "dark",
    run: async (page) => {
      await page.goto("/ui/");
      const ranges = page.getByRole("navigation", { name: "Time range" });
      for (const [name, search] of [["Last 30 days", "?timeRange=P30D"], ["Last 24 hours", ""]] as const) {
        await ranges.getByRole("link", { name }).click();
        await ranges.locator('[aria-current="true"]', { hasText: name }).waitFor();
        assertEquals(new URL(page.url()).search, search);
      }
    },
  },
  {
    name: "durations and the size of the database are shown",
    run: async (page) => {
      await page.goto("/ui/?timeRange=PT1H");
      for (const name of ["Median duration", "95 % faster than"]) {
        await page.locator(".tile", { hasText: name }).getByText(/\d+ m?s/).waitFor();
      }
      const database = page.getByRole("region", { name: "Server" }).locator("div", { hasText: "Database" });
      await database.getByText(/[KM]B/).last().waitFor();
    },
  },
  {
    name: "new executions appear every ten seconds, but not while the page is hidden",
    run: async (page, server) => {
      const { count } = await openWithClock(page);
      await runFlow(server, "shop/good1");
      await Promise.all([page.waitForResponse("**/stats/executions/daily"), page.clock.runFor(10_000)]);
      await page.getByText("SUCCESS 1").waitFor();
      await setHidden(page, true);
      const before = count();
      await page.clock.runFor(60_000);
      assertEquals(count(), before);
      await runFlow(server, "shop/good1");
      await setHidden(page, false);
      await page.getByText("SUCCESS 2").waitFor();
    },
  },
];

stories("/", DEFAULT, { prepare: failOften });
