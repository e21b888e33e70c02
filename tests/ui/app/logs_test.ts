/** The search of log lines in a browser. */
import { assertEquals } from "../../support/assert.ts";
import { type Page, story, withPage } from "../../support/browser.ts";
import { runFlow, saveFlow } from "./flows.ts";

const LINES = `id: lines
namespace: shop
tasks:
  - {id: plain, type: io.svc.plugin.core.log.Log, message: "a plain line"}
  - {id: colour, type: io.svc.plugin.core.log.Log, level: WARN, message: "\\e[31mred\\e[0m line"}`;
const MANY = `id: many
namespace: shop
tasks: [{id: all, type: io.svc.plugin.core.log.Log, message: ${JSON.stringify(lineTexts(130))}}]`;

const rows = (page: Page) => page.getByRole("table", { name: "Logs" }).locator("tbody tr");

story("/logs: lines are found by level and text, with their colours", async (server) => {
  await saveFlow(server, LINES);
  const id = await runFlow(server, "shop/lines");
  for (const size of ["wide", "small"] as const) {
    await withPage(server, { size }, async (page) => {
      await page.goto("/ui/logs");
      await page.getByText("a plain line").waitFor();
      await page.getByLabel("All levels").selectOption("WARN");
      await page.getByText("a plain line").waitFor({ state: "detached" });
      assertEquals(await page.locator(".ansi-red").textContent(), "red");
      assertEquals(await rows(page).count(), 1);
      await page.getByLabel("Search", { exact: true }).fill("nothing like this");
      await page.getByText("No log line matches").waitFor();
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.getByText("a plain line").waitFor();
      const link = await rows(page).first().getByRole("link").first().getAttribute("href");
      assertEquals(link?.split("?task=")[0], `/ui/executions/shop/lines/${id}/logs`);
    });
  }
});

story("/logs: older lines are added below", async (server) => {
  await saveFlow(server, MANY);
  await runFlow(server, "shop/many");
  await withPage(server, { scheme: "dark" }, async (page) => {
    await page.goto("/ui/logs");
    await rows(page).nth(99).waitFor();
    assertEquals(await rows(page).count(), 100);
    await page.getByRole("button", { name: "Show older lines" }).click();
    await rows(page).nth(129).waitFor();
    assertEquals((await rows(page).last().textContent())?.endsWith("line 0"), true);
  });
});

function lineTexts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `line ${index}`);
}
