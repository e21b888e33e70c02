/** Own dashboards in a browser. */
import { assertEquals, assertStringIncludes } from "../../../../support/assert.ts";
import { type Page, type PageStory, stories } from "../../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { tryAgain } from "../../try_again.ts";
import { chart, COUNT, data, EACH_KIND, runSales, saveDashboard, source } from "./dashboard_sources.ts";

const MARKUP = "<img src=x onerror=hacked=1>";

/** A card by its title. */
function card(page: Page, name: string) {
  return page.getByRole("region", { name, exact: true });
}

async function open(page: Page, server: ServerProcess, id: string): Promise<void> {
  await saveDashboard(server, source(id, EACH_KIND));
  await page.goto(`/ui/dashboards/${id}`);
  await card(page, "Namespaces").getByText("sales.us").first().waitFor();
}

/** What all kinds of charts show of the executions. */
async function checkEachKind(page: Page): Promise<void> {
  await card(page, "Notes").locator("strong", { hasText: "bold" }).waitFor();
  await card(page, "About").getByText("What good does").waitFor();
  await card(page, "Rate").getByText("80 %").waitFor();
  await card(page, "Failures").getByText("1", { exact: true }).waitFor();
  await card(page, "Over time").getByText("SUCCESS 4").waitFor();
  await card(page, "Over time").locator(".legend li", { hasText: /Duration \d/ }).waitFor();
  await card(page, "States").getByText("SUCCESS 4 (80%)").waitFor();
  await card(page, "Latest").getByText("FAILED").waitFor();
  await card(page, "Lines").locator(".ansi-bold").getByText("line 1", { exact: true }).first().waitFor();
}

const SHOWING: readonly PageStory[] = [
  {
    name: "each kind of chart shows its data",
    run: async (page, server) => {
      await open(page, server, "kinds");
      await checkEachKind(page);
      assertEquals(await page.title(), "kinds · Dashboard · Sluice");
      assertEquals(await page.locator("main h1").innerText(), "Title of kinds");
    },
  },
  {
    name: "each kind of chart fits on a small dark screen",
    size: "small",
    scheme: "dark",
    run: async (page, server) => {
      await open(page, server, "small");
      await checkEachKind(page);
      assertEquals(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    },
  },
  {
    name: "any id can be opened, also one that is a word of other addresses",
    run: async (page, server) => {
      await saveDashboard(server, source("new", COUNT));
      await page.goto("/ui/dashboards/new");
      await card(page, "All").waitFor();
      assertEquals(await page.locator("main h1").innerText(), "Title of new");
    },
  },
  {
    name: "namespace and time range are in the address, and apply to all charts",
    run: async (page, server) => {
      await saveDashboard(server, source("scope", COUNT));
      await page.goto("/ui/dashboards/scope?namespace=sales.us&timeRange=PT1H");
      await card(page, "All").getByText("1", { exact: true }).waitFor();
      await page.getByRole("searchbox", { name: "Namespace" }).fill("sales.eu");
      await card(page, "All").getByText("4", { exact: true }).waitFor();
      const ranges = page.getByRole("navigation", { name: "Time range" });
      assertEquals(await ranges.getByRole("link").allInnerTexts(), [
        "Last hour",
        "Last 24 hours",
        "Last 7 days",
      ]);
      await ranges.getByRole("link", { name: "Last 7 days" }).click();
      await ranges.locator('[aria-current="true"]', { hasText: "Last 7 days" }).waitFor();
      assertEquals(new URL(page.url()).search, "?namespace=sales.eu&timeRange=P7D");
    },
  },
  {
    name: "a chart that cannot be loaded leaves the others, and can be tried again",
    expectedErrors: /500/,
    run: async (page, server) => {
      await page.route("**/charts/failed?*", (route) => route.fulfill({ status: 500, body: "broken" }));
      await open(page, server, "broken");
      const failed = card(page, "Failures");
      await failed.getByText("broken").waitFor();
      await card(page, "Rate").getByText("80 %").waitFor();
      await page.unroute("**/charts/failed?*");
      await tryAgain(failed, failed.getByText("1", { exact: true }));
    },
  },
  {
    name: "the page of a proxy is not shown, and what is loaded once comes when the server is back",
    expectedErrors: /502/,
    run: async (page, server) => {
      await saveDashboard(server, source("proxied", COUNT));
      const body = "<html><head><title>502 Bad Gateway</title></head></html>";
      const path = "**/api/v1/main/dashboards/proxied";
      await page.route(path, (route) => route.fulfill({ status: 502, contentType: "text/html", body }));
      await page.goto("/ui/dashboards/proxied");
      await page.getByRole("alert").getByText("status 502").waitFor();
      assertEquals(await page.getByText("Bad Gateway").count(), 0);
      await page.unroute(path);
      await card(page, "All").waitFor();
    },
  },
  {
    name: "a table has pages of its own",
    size: "small",
    run: async (page, server) => {
      await open(page, server, "pages");
      const lines = card(page, "Lines");
      await lines.getByText("Page 1 of 2").waitFor();
      await lines.getByRole("button", { name: "Next page" }).click();
      await lines.getByText("Page 2 of 2").waitFor();
      await card(page, "Latest").getByText("FAILED").waitFor();
      assertEquals(new URL(page.url()).search, "");
    },
  },
  {
    name: "the rows of a chart can be saved as CSV",
    run: async (page, server) => {
      await open(page, server, "csv");
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Namespaces as CSV" }).click(),
      ]);
      assertEquals(file.suggestedFilename(), "csv_namespaces_export.csv");
      assertStringIncludes(await Deno.readTextFile(await file.path()), "sales.us");
    },
  },
  {
    name: "markup in titles and texts does not run",
    run: async (page, server) => {
      const text = JSON.stringify(`${MARKUP} [link](javascript:hacked=1) text`);
      const charts = chart(
        "a",
        "Markdown",
        `chartOptions: {displayName: ${JSON.stringify(MARKUP)}}, content: ${text}`,
      );
      await saveDashboard(server, source("markup", charts, MARKUP));
      await page.goto("/ui/dashboards/markup");
      await page.getByText("text").waitFor();
      assertEquals(await page.locator("main h1").innerText(), MARKUP);
      assertEquals(await page.locator('main img, a[href^="javascript"]').count(), 0);
      assertEquals(await page.evaluate(() => "hacked" in globalThis), false);
    },
  },
  {
    name: "columns may have any name",
    run: async (page, server) => {
      const columns =
        "columns: {constructor: {field: STATE}, __proto__: {field: FLOW_ID}, total: {agg: COUNT}}";
      const charts = chart("a", "Table", `chartOptions: {displayName: Odd}, ${data("Executions", columns)}`);
      await saveDashboard(server, source("names", charts));
      await page.goto("/ui/dashboards/names");
      await card(page, "Odd").getByRole("row", { name: "FAILED bad 1" }).waitFor();
    },
  },
  {
    name: "the palette finds a dashboard by its title",
    run: async (page, server) => {
      await saveDashboard(server, source("found", COUNT, "Needle in a haystack"));
      await page.goto("/ui/flows");
      await page.getByRole("heading", { name: "Flows", level: 1 }).waitFor();
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("combobox").fill("needle");
      await page.getByRole("option", { name: "Needle in a haystack" }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/ui/dashboards/found");
      await card(page, "All").getByText("5", { exact: true }).waitFor();
    },
  },
  {
    name: "an unknown dashboard says so, and offers a new one",
    size: "small",
    expectedErrors: /404/,
    run: async (page) => {
      await page.goto("/ui/dashboards/missing");
      await page.getByText("No dashboard has the id missing").waitFor();
      await page.getByRole("link", { name: "New dashboard" }).waitFor();
    },
  },
  {
    name: "one without charts leads to its editor",
    scheme: "dark",
    run: async (page, server) => {
      await saveDashboard(server, "id: empty\ntitle: Empty\n");
      await page.goto("/ui/dashboards/empty");
      await page.getByText("This dashboard has no charts yet").waitFor();
      await page.locator(".empty").getByRole("link", { name: "Edit" }).click();
      await page.waitForURL("**/ui/dashboards/empty/edit");
      await page.getByRole("heading", { name: "empty", exact: true }).waitFor();
    },
  },
  {
    name: "the one that is built in can be duplicated, but not deleted",
    scheme: "dark",
    run: async (page) => {
      await page.goto("/ui/dashboards/default");
      await card(page, "Success Ratio").getByText("80 %").waitFor();
      await card(page, "Log Lines").getByText("INFO 15").waitFor();
      await page.getByRole("button", { name: "Actions" }).click();
      const item = page.getByRole("menuitem", { name: /^Delete/ });
      assertEquals(await item.getAttribute("aria-disabled"), "true");
      await page.getByText("Duplicate it to change it").waitFor();
      await page.getByRole("menuitem", { name: "Duplicate", exact: true }).click();
      await page.waitForURL("**/ui/dashboards?create&copy=default");
      await page.locator(".cm-content").getByText("default_copy").waitFor();
    },
  },
];

const CHARTS_THAT_LEAD:
  readonly (readonly [what: string, card: string, link: string, address: RegExp, shown: string])[] = [
    ["a KPI", "Failures", "1", /executions\?state=FAILED/, "1 in all"],
    ["a percentage", "Rate", "80 %", /executions\?state=SUCCESS/, "4 in all"],
    ["a slice", "States", "SUCCESS 4 (80%)", /executions\?state=SUCCESS/, "4 in all"],
    ["a bar", "Namespaces", "sales.us", /filters%5Bnamespace%5D%5BEQUALS%5D=sales.us/, "1 in all"],
  ];

const LEADING: readonly PageStory[] = [
  ...CHARTS_THAT_LEAD.map(([what, title, link, address, shown], index): PageStory => ({
    name: `${what} leads to the executions behind it`,
    run: async (page, server) => {
      await open(page, server, `leads${index}`);
      await card(page, title).getByRole("link", { name: link, exact: true }).click();
      await page.waitForURL(address);
      await page.getByText(shown).waitFor();
    },
  })),
  {
    name: "a part of the time leads to the executions that started in it, from the bar and from the table",
    run: async (page, server) => {
      await open(page, server, "part");
      const time = card(page, "Over time");
      await time.getByText("As a table").click();
      await time.locator(".bar").first().click();
      await page.getByRole("button", { name: /^Remove the filter From/ }).waitFor();
      await page.getByText(/^[1-5] in all/).waitFor();
      await page.goBack();
      await time.getByText("As a table").click();
      await time.getByRole("table").getByRole("link").last().click();
      await page.getByRole("button", { name: /^Remove the filter From/ }).waitFor();
    },
  },
  {
    name: "a row leads to its execution",
    size: "small",
    run: async (page, server) => {
      await open(page, server, "row");
      await card(page, "Latest").getByRole("row", { name: /FAILED/ }).getByRole("link").click();
      await page.waitForURL("**/ui/executions/sales.eu/bad/*");
    },
  },
];

stories("/dashboards/:id", [...SHOWING, ...LEADING], { prepare: runSales });
