/** Log-in, log-out and the set-up of the first user in a browser. */
import { assertEquals } from "../support/assert.ts";
import {
  checkAccessibility,
  type Page,
  type PageStory,
  SIZE_NAMES,
  stories,
  withPageOfLocale,
} from "../support/browser/browser.ts";

const PASSWORD = "a-good-password";
const ARGS = ["--basic-auth", `admin:${PASSWORD}`];
/** The browser reports refused requests. */
const REFUSED = /status of 4\d\d/;

async function logIn(page: Page, password: string): Promise<void> {
  await page.getByLabel("User name").fill("admin");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

const GERMAN = SIZE_NAMES.map((size): PageStory => ({
  name: `the pages of a German browser are German (${size})`,
  size,
  async run(shared, server) {
    // The checks after a story look at the shared page.
    await shared.goto("/ui/login");
    await withPageOfLocale("de-DE", shared, server, async (page) => {
      await page.goto("/ui/login");
      const logIn = async (password: string) => {
        await page.getByLabel("Benutzername").fill("admin");
        await page.getByLabel("Passwort").fill(password);
        await page.getByRole("button", { name: "Anmelden" }).click();
      };
      await logIn("wrong");
      await page.getByRole("alert").getByText("Passwort ist falsch").waitFor();
      await checkAccessibility(page);
      await logIn(PASSWORD);
      await page.locator("nav.side", { hasText: "Ausführungen" }).waitFor({ state: "attached" });
    });
  },
}));

stories("/login", [
  ...GERMAN,
  {
    name: "leads back to the page that was wanted",
    async run(page) {
      await page.goto("/ui/executions?state=FAILED");
      await page.waitForURL(/\/ui\/login\?from=/);
      await checkAccessibility(page);
      await logIn(page, PASSWORD);
      await page.waitForURL("**/ui/executions?state=FAILED");
      await page.getByText("No execution matches the filters").waitFor();
    },
  },
  {
    name: "refuses wrong credentials without saying which is wrong, and keeps the name",
    size: "small",
    scheme: "dark",
    expectedErrors: REFUSED,
    async run(page) {
      await page.goto("/ui/login");
      await logIn(page, "wrong");
      await page.getByRole("alert").getByText("The user name or the password is wrong.").waitFor();
      assertEquals(await page.getByLabel("User name").inputValue(), "admin");
      assertEquals(await page.getByLabel("Password").inputValue(), "");
      await checkAccessibility(page);
      await logIn(page, PASSWORD);
      await page.waitForURL("**/ui/");
    },
  },
  {
    name: "the user menu says who is logged in, and logs out",
    async run(page) {
      await page.goto("/ui/login");
      await logIn(page, PASSWORD);
      await page.getByRole("button", { name: "User menu" }).click();
      await page.getByText("Signed in as admin (admin)").waitFor();
      await page.getByRole("button", { name: "Log out" }).click();
      await page.waitForURL("**/ui/login");
      await page.goto("/ui/executions");
      await page.waitForURL(/\/ui\/login\?from=/);
    },
  },
  {
    name: "a session that ends while a page is open leads to the log-in and back",
    expectedErrors: REFUSED,
    async run(page) {
      await page.goto("/ui/login?from=/ui/triggers");
      await logIn(page, PASSWORD);
      await page.getByText("There are no triggers yet").waitFor();
      await page.getByLabel("Search", { exact: true }).fill("anything");
      await page.waitForURL("**/ui/triggers?q=anything");
      await page.context().clearCookies();
      // The list is requested again. A request that was under way can lead to the log-in before.
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))).catch(() => {});
      await page.waitForURL(/\/ui\/login\?from=/);
      await logIn(page, PASSWORD);
      await page.waitForURL("**/ui/triggers?q=anything");
    },
  },
], { args: ARGS });

stories("/setup on the machine of the server", [
  {
    name: "sets the first user without a token",
    size: "small",
    async run(page) {
      await page.goto("/ui/");
      await page.waitForURL("**/ui/setup");
      await page.getByText("This server has no user yet.").waitFor();
      assertEquals(await page.getByLabel("Set-up token").count(), 0);
      await page.getByLabel("User name").fill("ada");
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Set the user" }).click();
      await page.getByText("Welcome to Sluice").waitFor();
      await page.getByRole("button", { name: "User menu" }).click();
      await page.getByText("Signed in as ada (admin)").waitFor();
      // There is a user now: the page leads to the log-in.
      await page.goto("/ui/setup");
      await page.waitForURL("**/ui/login");
    },
  },
], { args: ["--basic-auth", "setup"] });

stories("/setup from elsewhere", [
  {
    name: "needs the token of the console",
    scheme: "dark",
    expectedErrors: REFUSED,
    async run(page, server) {
      const [, token = ""] = /with the token (\S+)/.exec(server.log) ?? [];
      // As a proxy passes on a request of another machine.
      await page.setExtraHTTPHeaders({ "x-forwarded-for": "192.0.2.7" });
      await page.goto("/ui/setup");
      const setUp = async (given: string) => {
        await page.getByLabel("User name").fill("ada");
        await page.getByLabel("Password").fill(PASSWORD);
        await page.getByLabel("Set-up token").fill(given);
        await page.getByRole("button", { name: "Set the user" }).click();
      };
      await setUp("guessed");
      await page.getByRole("alert").waitFor();
      await checkAccessibility(page);
      await setUp(token);
      await page.getByText("Welcome to Sluice").waitFor();
    },
  },
], { args: ["--basic-auth", "setup"] });
