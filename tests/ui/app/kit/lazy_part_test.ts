/** Parts whose scripts cannot be loaded: the page says so, and tries again. */
import { stories } from "../../../support/browser/browser.ts";

/** What the console of the browser says about a file that is not sent. */
const NOT_SENT = /Failed to load resource|Failed to fetch dynamically imported module/;
const SETTINGS_SCRIPT = /\/assets\/management-/;

stories("parts that are loaded when they are needed", [
  {
    name: "a view whose script cannot be loaded says so, and is there after another try",
    expectedErrors: NOT_SENT,
    async run(page) {
      await page.route(SETTINGS_SCRIPT, (route) => route.abort());
      await page.goto("/ui/flows");
      await page.getByRole("link", { name: "Settings" }).click();
      const failure = page.getByRole("alert").filter({
        hasText: "This part of the page could not be loaded",
      });
      await failure.waitFor();
      await failure.getByRole("button", { name: "Try again" }).click();
      await failure.waitFor();
      await page.unroute(SETTINGS_SCRIPT);
      await failure.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    },
  },
  {
    name: "the page can be loaded again, as after an update of the server",
    size: "small",
    scheme: "dark",
    expectedErrors: NOT_SENT,
    async run(page) {
      await page.route(SETTINGS_SCRIPT, (route) => route.fulfill({ status: 404 }));
      await page.goto("/ui/settings");
      const reload = page.getByRole("alert").getByRole("button", { name: "Load the page again" });
      await reload.waitFor();
      await page.unroute(SETTINGS_SCRIPT);
      await reload.click();
      await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    },
  },
  {
    name: "a page whose texts cannot be loaded says so instead of staying empty",
    expectedErrors: NOT_SENT,
    async run(page) {
      await page.route(/\/assets\/en-/, (route) => route.abort());
      await page.goto("/ui/flows");
      await page.getByText("The texts of this page could not be loaded").waitFor();
    },
  },
]);
