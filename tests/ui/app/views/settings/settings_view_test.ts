/** The settings in a browser: each of them changes what the page shows, and lasts. */
import { assertEquals, assertMatch } from "../../../../support/assert.ts";
import { type Page, stories } from "../../../../support/browser/browser.ts";
import { runFlow } from "../../flows.ts";
import { checkWidth, rowsOf, saveIn, SOURCES } from "../../list_page.ts";

/** Chooses in the settings, loads the page again, and sees that the choice is kept. */
async function choose(page: Page, field: string, value: string): Promise<void> {
  await page.goto("/ui/settings");
  await page.getByLabel(field).selectOption(value);
  await page.reload();
  assertEquals(await page.getByLabel(field).inputValue(), value);
}

const colour = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

async function firstStart(page: Page): Promise<string> {
  await page.goto("/ui/executions");
  return await rowsOf(page, "Executions").first().locator("time").innerText();
}

stories("/settings: each choice", [
  {
    name: "the theme is that of the system, light or dark",
    scheme: "dark",
    async run(page) {
      await page.goto("/ui/settings");
      await page.getByLabel("Theme").waitFor();
      const dark = await colour(page);
      await choose(page, "Theme", "light");
      const light = await colour(page);
      assertEquals(light === dark, false);
      await choose(page, "Theme", "dark");
      assertEquals(await colour(page), dark);
    },
  },
  {
    name: "compact rows are lower",
    async run(page) {
      const height = async () => {
        await firstStart(page);
        return (await rowsOf(page, "Executions").first().boundingBox())?.height ?? 0;
      };
      const comfortable = await height();
      await choose(page, "Density", "compact");
      assertEquals(await height() < comfortable, true);
    },
  },
  {
    name: "the language",
    size: "small",
    async run(page) {
      await page.goto("/ui/settings");
      for (
        const [language, title] of [["de", "Einstellungen"], ["fr", "Réglages"], ["en", "Settings"]] as const
      ) {
        await page.locator("select").filter({ hasText: "Deutsch" }).selectOption(language);
        await page.getByRole("heading", { name: title, level: 1 }).waitFor();
        assertEquals(await page.locator("html").getAttribute("lang"), language);
        await checkWidth(page);
      }
    },
  },
  {
    name: "the time zone, with an example",
    async run(page) {
      await choose(page, "Dates are shown", "absolute");
      await choose(page, "Time zone", "UTC");
      const utc = await firstStart(page);
      await choose(page, "Time zone", "Asia/Tokyo");
      await page.getByText(/^Now: /).waitFor();
      assertEquals(await firstStart(page) === utc, false);
    },
  },
  {
    name: "dates are relative or absolute",
    async run(page) {
      assertMatch(await firstStart(page), /ago|now/);
      await choose(page, "Dates are shown", "absolute");
      assertMatch(await firstStart(page), /\b20\d\d\b/);
    },
  },
  {
    name: "the lowest level of log lines of an execution",
    async run(page, server) {
      const id = await runFlow(server, "shop/good");
      await choose(page, "Lowest level", "ERROR");
      await page.goto(`/ui/executions/shop/good/${id}/logs`);
      // Said only once the lines are read: there are some, and none of them is an error.
      await page.getByText("No line matches the filters").waitFor();
      assertEquals(await page.locator(".log-line .text", { hasText: "fine" }).count(), 0);
      await choose(page, "Lowest level", "INFO");
      await page.goto(`/ui/executions/shop/good/${id}/logs`);
      await page.locator(".log-line .text", { hasText: "fine" }).waitFor();
    },
  },
  {
    name: "the font size of editors, within its limits",
    async run(page) {
      await page.goto("/ui/settings");
      const field = page.getByLabel("Font size of editors");
      await field.fill("99");
      await field.blur();
      assertEquals(await field.inputValue(), "24");
      assertEquals(await page.locator("pre.code").evaluate((pre) => getComputedStyle(pre).fontSize), "24px");
    },
  },
  {
    name: "a message stays while the pointer is on its button",
    needsOwnPage: true,
    async run(page) {
      await page.clock.install();
      await page.goto("/ui/settings");
      await page.getByRole("button", { name: "Reset all" }).click();
      const undo = page.getByRole("button", { name: "Undo" });
      await undo.hover();
      await page.clock.runFor(20_000);
      assertEquals(await undo.isVisible(), true);
      await page.mouse.move(0, 0);
      await page.clock.runFor(3_000);
      await undo.waitFor({ state: "detached" });
    },
  },
  {
    name: "choices and saved views of two open tabs do not undo each other",
    async run(page) {
      const other = await page.context().newPage();
      for (const tab of [page, other]) await tab.goto("/ui/executions?state=FAILED");
      for (const [tab, name] of [[page, "First"], [other, "Second"]] as const) {
        await tab.getByText("Saved views", { exact: true }).click();
        await tab.getByLabel("Name of the view").fill(name);
        await tab.getByRole("button", { name: "Save", exact: true }).click();
      }
      await page.getByRole("link", { name: "Second" }).waitFor();
      await other.reload();
      await other.getByText("Saved views", { exact: true }).click();
      await other.getByRole("link", { name: "First" }).waitFor();
      await choose(other, "Density", "compact");
      await page.locator('[data-density="compact"]').waitFor();
      await other.close();
    },
  },
  {
    name: "all are reset, which can be taken back",
    async run(page) {
      await choose(page, "Density", "compact");
      await page.getByRole("button", { name: "Reset all" }).click();
      assertEquals(await page.getByLabel("Density").inputValue(), "comfortable");
      await page.getByRole("button", { name: "Undo" }).click();
      assertEquals(await page.getByLabel("Density").inputValue(), "compact");
    },
  },
], {
  async prepare(server) {
    await saveIn(server, "shop", "good", SOURCES.good);
    await runFlow(server, "shop/good");
  },
});
