/** The settings in a browser. */
import { assertEquals } from "../../support/assert.ts";
import { stories } from "../../support/browser.ts";

stories("/settings", [
  {
    name: "a theme is kept when the page is loaded again",
    async run(page) {
      await page.goto("/ui/settings");
      await page.getByLabel("Theme").selectOption("dark");
      await page.reload();
      assertEquals(await page.getByLabel("Theme").inputValue(), "dark");
    },
  },
  {
    name: "another language changes all texts at once",
    size: "small",
    async run(page) {
      await page.goto("/ui/settings");
      await page.getByLabel("Language").selectOption("de");
      await page.getByRole("heading", { name: "Einstellungen", level: 1 }).waitFor();
      assertEquals(await page.locator("html").getAttribute("lang"), "de");
    },
  },
]);
