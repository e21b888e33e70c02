/** The dashboard in a browser. */
import { assertEquals } from "../../support/assert.ts";
import { checkAccessibility, type Page, type PageStory, stories } from "../../support/browser/browser.ts";
import type { ServerProcess } from "../../support/processes/server_process.ts";
import { runFlow, saveFlow } from "./flows.ts";
import { tryAgain } from "./try_again.ts";

const GOOD = `id: good
namespace: shop
tasks: [{id: log, type: io.svc.plugin.core.log.Log, message: fine}]
triggers: [{id: yearly, type: io.svc.plugin.core.trigger.Schedule, cron: "0 0 1 1 *"}]`;
const BAD = `id: bad
namespace: shop
tasks: [{id: fail, type: io.svc.plugin.core.execution.Fail}]`;

const EMPTY: PageStory = {
  name: "an empty server offers a flow that runs",
  size: "small",
  scheme: "dark",
  run: async (page, server) => {
    await page.goto("/ui/");
    await page.getByText("Welcome to Sluice").waitFor();
    await page.getByText(`curl -X POST ${server.url}/api/v1/main/executions/samples/first_steps`).waitFor();
    await checkAccessibility(page);
    await page.getByRole("button", { name: "Run the sample flow" }).click();
    await page.waitForURL("**/ui/executions/samples/first_steps/*");
    const { results } = await server.json<{ results: { id: string }[] }>("GET", "/executions/search");
    const id = results[0]?.id;
    await (await fetch(`${server.url}/api/v1/main/executions/${id}/follow`)).text();
    const { state, outputs } = await server.json<{ state: { current: string }; outputs: unknown }>(
      "GET",
      `/executions/${id}`,
    );
    assertEquals([state.current, outputs], ["SUCCESS", { greeted: 3 }]);
  },
};

/** Six flows fail, the first once, the second twice, …; eleven have a schedule, of which one ran seven times. */
async function failOften(server: ServerProcess): Promise<void> {
  for (let number = 1; number <= 6; number++) {
    await saveFlow(server, BAD.replace("id: bad", `id: bad${number}`));
    for (let run = 0; run < number; run++) await runFlow(server, `shop/bad${number}`);
  }
  for (let number = 1; number <= 11; number++) {
    await saveFlow(server, GOOD.replace("id: good", `id: good${number}`));
  }
  for (let run = 0; run < 7; run++) await runFlow(server, "shop/good1");
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
    name: "numbers lead to the executions behind them",
    run: async (page) => {
      await page.goto("/ui/?timeRange=PT1H");
      await page.getByText("25 %", { exact: true }).waitFor();
      await page.getByText("of 28 that have ended").waitFor();
      await page.getByText("yearly").first().waitFor();
      await page.getByText("✓ UP").waitFor();
      await checkAccessibility(page);

      await page.getByText("As a table").click();
      const times = page.getByRole("table").getByRole("link");
      const counts = await page.getByRole("table").locator("tbody tr td:last-child").allTextContents();
      assertEquals(counts.reduce((sum, count) => sum + Number(count), 0), 28);
      await times.first().click();
      await page.waitForURL("**/ui/executions?filters*");
      await page.getByRole("button", { name: /^Remove the filter From/ }).waitFor();
      await page.getByText(`${counts[0]} in all`).waitFor();

      await page.goBack();
      await page.getByRole("link", { name: "shop.bad6" }).click();
      await page.getByText("6 in all").waitFor();
      assertEquals(new URL(page.url()).searchParams.get("state"), "FAILED");
    },
  },
  {
    name: "a card that cannot be loaded leaves the others",
    expectedErrors: /500/,
    run: async (page) => {
      await page.route(
        "**/stats/executions/daily",
        (route) => route.fulfill({ status: 500, body: "broken" }),
      );
      await page.goto("/ui/");
      const chart = page.getByRole("region", { name: "Executions over time" });
      await chart.getByText("broken").waitFor();
      await page.getByText("yearly").first().waitFor();
      await page.unroute("**/stats/executions/daily");
      await tryAgain(chart, chart.getByText("As a table"));
      await page.getByText("25 %", { exact: true }).waitFor();
    },
  },
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
    name: "days are those of UTC in each time zone, in the form of the chosen language",
    run: async (page) => {
      await page.goto("/ui/settings");
      const choice = JSON.stringify({ language: "de", timeZone: "America/New_York" });
      await page.evaluate((chosen) => localStorage.setItem("sluice.preferences", chosen), choice);
      await page.goto("/ui/?timeRange=P7D");
      await page.getByText("Als Tabelle").click();
      const link = page.getByRole("table").getByRole("link").last();
      const day = new URL(await link.getAttribute("href") ?? "", page.url()).search.match(/\d{4}-\d\d-\d\d/);
      const text = day?.[0].split("-").toReversed().join(".");
      assertEquals(await link.innerText(), text);
      const title = await page.locator(".plot title", { hasText: "SUCCESS" }).last().textContent();
      assertEquals(title?.split("\n")[0], text);
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
    needsOwnPage: true,
    run: async (page, server) => {
      const { count } = await openWithClock(page);
      await runFlow(server, "shop/good1");
      await Promise.all([page.waitForResponse("**/stats/executions/daily"), page.clock.runFor(10_000)]);
      await page.getByText("SUCCESS 8").waitFor();
      await setHidden(page, true);
      const before = count();
      await page.clock.runFor(60_000);
      assertEquals(count(), before);
      await runFlow(server, "shop/good1");
      await setHidden(page, false);
      await page.getByText("SUCCESS 9").waitFor();
    },
  },
];

/** The execution of the empty server is of no interest to the others. */
async function prepare(server: ServerProcess): Promise<void> {
  await server.json("DELETE", "/executions/by-query?namespace=samples");
  await failOften(server);
}

stories("/", DEFAULT, { before: [EMPTY], prepare });
