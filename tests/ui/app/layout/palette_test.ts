/** The palette and the keys of all views in a browser. */
import { assertEquals } from "../../../support/assert.ts";
import { checkAccessibility, type Page, type PageStory, stories } from "../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../support/processes/server_process.ts";
import { runFlow } from "../flows.ts";
import { CORE, LOST_CONNECTION, pressBoth, rowsOf, saveIn, SOURCES } from "../list_page.ts";

const FLOW = `${SOURCES.good}
triggers: [{id: hook, type: ${CORE}trigger.Webhook, key: a-long-enough-key}]`;

const palette = (page: Page) => page.getByRole("dialog", { name: "Search or run a command" });

async function open(page: Page): Promise<void> {
  await page.goto("/ui/settings");
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await palette(page).waitFor();
}

/** Finds by a text, and chooses the hit of that kind with the mouse. */
async function choose(page: Page, text: string, kind: string): Promise<void> {
  await open(page);
  await palette(page).getByRole("combobox").fill(text);
  await palette(page).getByRole("option").filter({ hasText: new RegExp(`${kind}$`) }).first().click();
  await palette(page).waitFor({ state: "detached" });
}

async function prepare(server: ServerProcess): Promise<void> {
  await saveIn(server, "shop.web", "orders", FLOW);
}

const PALETTE: readonly PageStory[] = [
  {
    name: "opens a view by the keyboard",
    async run(page) {
      await open(page);
      await checkAccessibility(page);
      await page.keyboard.type("t");
      await palette(page).getByRole("option", { name: "Settings View" }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.type("rigg");
      await palette(page).getByRole("option", { name: "Triggers View", selected: true }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/ui/triggers");
    },
  },
  {
    name: "opens a flow",
    async run(page) {
      await choose(page, "orders", "Flow");
      await page.waitForURL("**/ui/flows/edit/shop.web/orders");
    },
  },
  {
    name: "opens a trigger",
    async run(page) {
      await choose(page, "hook", "Trigger");
      await page.getByRole("dialog", { name: "orders · hook" }).waitFor();
    },
  },
  {
    name: "opens a namespace",
    async run(page) {
      await choose(page, "shop", "Namespace");
      await page.waitForURL(/\/ui\/namespaces\/shop/);
    },
  },
  {
    name: "opens an execution by its id",
    async run(page, server) {
      const id = await runFlow(server, "shop.web/orders");
      await choose(page, id, "Execution");
      await page.waitForURL(`**/ui/executions/shop.web/orders/${id}`);
    },
  },
  {
    name: "runs a flow after its form",
    async run(page) {
      await choose(page, "orders", "Action");
      await page.waitForURL(/orders\?run=1/);
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "changes the theme",
    size: "small",
    async run(page) {
      await choose(page, "dark theme", "Action");
      assertEquals(await page.locator("html").getAttribute("data-theme"), "dark");
      await choose(page, "theme of the system", "Action");
      assertEquals(await page.locator("html").getAttribute("data-theme"), "auto");
    },
  },
  {
    name: "shows failed executions by a filter",
    async run(page) {
      await choose(page, "failed", "Action");
      await page.waitForURL("**/ui/executions?state=FAILED&timeRange=PT24H");
    },
  },
  {
    name: "finds views without a connection, and says when nothing is found",
    scheme: "dark",
    expectedErrors: LOST_CONNECTION,
    async run(page) {
      await open(page);
      await page.context().setOffline(true);
      await palette(page).getByRole("combobox").fill("logs");
      await palette(page).getByRole("option", { name: "Logs View" }).waitFor();
      await palette(page).getByRole("combobox").fill("nothing like this");
      await palette(page).getByText("Nothing found").waitFor();
      await page.context().setOffline(false);
    },
  },
];

/** Presses Enter while the search for a text is under way; returns what lets the server answer. */
async function enterEarly(page: Page, text: string): Promise<() => void> {
  const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route("**/flows/search?*", async (route) => {
    begun.resolve();
    await answered.promise;
    await route.continue();
  });
  await open(page);
  await palette(page).getByRole("combobox").fill(text);
  await begun.promise;
  await page.keyboard.press("Enter");
  return () => answered.resolve();
}

const EARLY: readonly PageStory[] = [
  {
    name: "Enter before the server has answered opens the first hit when it is found",
    async run(page) {
      const answer = await enterEarly(page, "orders");
      answer();
      await page.waitForURL("**/ui/flows/edit/shop.web/orders");
      await palette(page).waitFor({ state: "detached" });
    },
  },
  {
    name: "Enter before the server has answered does nothing if the text is changed after it",
    async run(page) {
      const answer = await enterEarly(page, "orders");
      await page.keyboard.press("Backspace");
      answer();
      await palette(page).getByRole("option", { name: "shop.web.orders Flow", exact: true }).waitFor();
      assertEquals(new URL(page.url()).pathname, "/ui/settings");
    },
  },
];

const KEYS: readonly PageStory[] = [
  {
    name: "g and a letter open a view",
    async run(page) {
      await page.goto("/ui/settings");
      await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
      const places = [
        ["e", "executions"],
        ["f", "flows"],
        ["t", "triggers"],
        ["n", "namespaces"],
        ["l", "logs"],
        ["d", ""],
      ] as const;
      for (const [key, path] of places) {
        await pressBoth(page, "g", key);
        await page.waitForURL(`**/ui/${path}`);
      }
    },
  },
  {
    name: "? opens the help, which Escape closes; both leave fields alone",
    async run(page) {
      await page.goto("/ui/executions");
      const help = page.getByRole("dialog", { name: "Keyboard" });
      await page.getByLabel("Search", { exact: true }).waitFor();
      await page.keyboard.press("?");
      await help.getByText("Actions on the selected rows").waitFor();
      await page.keyboard.press("Escape");
      await help.waitFor({ state: "detached" });
      await page.keyboard.press("/");
      await page.keyboard.type("?gl.");
      assertEquals(await page.getByLabel("Search", { exact: true }).inputValue(), "?gl.");
      assertEquals(await help.count(), 0);
    },
  },
  {
    name: "Escape closes only what is above",
    async run(page) {
      await page.goto("/ui/triggers?trigger=shop.web/orders/hook");
      const trigger = page.getByRole("dialog", { name: "orders · hook" });
      await trigger.getByRole("button", { name: "Run the flow now" }).click();
      const question = page.getByRole("dialog", { name: "Run the flow now" });
      await question.waitFor();
      await page.keyboard.press("Control+k");
      await palette(page).waitFor();
      for (const closed of [palette(page), question, trigger]) {
        await page.keyboard.press("Escape");
        await closed.waitFor({ state: "detached" });
        if (closed !== trigger) await trigger.waitFor();
      }
    },
  },
  {
    name: "j enters a list from its top, also after a link inside a row had the focus",
    async run(page, server) {
      for (let count = 0; count < 3; count++) await runFlow(server, "shop.web/orders");
      await page.goto("/ui/executions?namespace=shop.web");
      const rows = rowsOf(page, "Executions");
      const waitForFocus = (index: number) => rows.nth(index).and(page.locator(":focus")).waitFor();
      await rows.nth(2).waitFor();
      await page.keyboard.press("j");
      await waitForFocus(0);
      await rows.nth(1).getByRole("link").first().focus();
      await page.keyboard.press("j");
      await waitForFocus(2);
      await page.keyboard.press("k");
      await waitForFocus(1);
    },
  },
];

stories("the palette and the keys of all views", [...PALETTE, ...EARLY, ...KEYS], { prepare });
