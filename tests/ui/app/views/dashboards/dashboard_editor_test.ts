/** The editor of own dashboards in a browser, and the ways to it. */
import { assertEquals, assertStringIncludes } from "../../../../support/assert.ts";
import { type Page, type PageStory, stories } from "../../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { afterResponse, holdSaves } from "../../held_requests.ts";
import { chart, COUNT, EACH_KIND, runSales, saveDashboard, source } from "./dashboard_sources.ts";

interface Stored {
  readonly title: string;
  readonly sourceCode: string;
}

function stored(server: ServerProcess, id: string): Promise<Stored> {
  return server.json<Stored>("GET", `/dashboards/${id}`);
}

/** Replaces the source. */
async function write(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

function preview(page: Page) {
  return page.getByRole("region", { name: "Preview" });
}

async function edit(page: Page, server: ServerProcess, id: string): Promise<void> {
  await saveDashboard(server, source(id, COUNT));
  await page.goto(`/ui/dashboards/${id}/edit`);
  await preview(page).getByText("5", { exact: true }).waitFor();
}

/** Presses a key until the focus is on an element whose text begins like that. */
async function pressUntilFocused(page: Page, key: string, text: string): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    const focused = await page.evaluate(() => {
      const { activeElement, body } = document;
      const inner = activeElement?.shadowRoot?.activeElement ?? activeElement;
      return inner === body ? "" : inner?.textContent.trim() ?? "";
    });
    if (focused.startsWith(text)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`The focus does not reach "${text}"`);
}

const EDITING: readonly PageStory[] = [
  {
    name: "a new dashboard begins with a template that shows data, and is saved",
    run: async (page, server) => {
      await page.goto("/ui/");
      await page.getByRole("button", { name: "Dashboards" }).click();
      await page.getByRole("menuitem", { name: "New dashboard" }).click();
      await page.waitForURL("**/ui/dashboards?create");
      await preview(page).getByRole("region", { name: "Failed executions" }).getByText("1", { exact: true })
        .waitFor();
      await preview(page).getByText("SUCCESS 4").first().waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL("**/ui/dashboards/my_dashboard");
      await page.getByRole("heading", { name: "Executions", exact: true }).waitFor();
      assertEquals((await stored(server, "my_dashboard")).title, "Executions");
    },
  },
  {
    name: "the preview follows the source",
    scheme: "dark",
    run: async (page, server) => {
      await edit(page, server, "follows");
      await write(page, source("follows", EACH_KIND, "Another title"));
      await preview(page).getByRole("heading", { name: "Another title" }).waitFor();
      await preview(page).getByRole("region", { name: "Rate" }).getByText("80 %").waitFor();
      await preview(page).getByRole("link", { name: "Last 7 days" }).click();
      await preview(page).locator('[aria-current="true"]', { hasText: "Last 7 days" }).waitFor();
      assertEquals((await stored(server, "follows")).title, "Title of follows");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The dashboard is saved").waitFor();
      assertEquals((await stored(server, "follows")).title, "Another title");
    },
  },
  {
    name: "the preview ignores a response for an earlier source",
    run: async (page, server) => {
      await edit(page, server, "late");
      const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await page.route("**/dashboards/validate", async (route) => {
        held.resolve();
        await released.promise;
        await route.continue();
      }, { times: 1 });
      await write(page, source("late", COUNT, "Earlier title"));
      await held.promise;
      await write(page, source("late", COUNT, "Later title"));
      await preview(page).getByRole("heading", { name: "Later title" }).waitFor();
      await afterResponse(page, "/dashboards/validate", () => released.resolve());
      assertEquals(await preview(page).getByRole("heading", { name: "Later title" }).count(), 1);
    },
  },
  {
    name: "another time range of the preview leaves a new dashboard and its text in the editor",
    run: async (page) => {
      await page.goto("/ui/dashboards?create");
      await write(page, source("typed", EACH_KIND, "Typed title"));
      await preview(page).getByRole("heading", { name: "Typed title" }).waitFor();
      for (const range of ["Last 7 days", "Last 24 hours"]) {
        await preview(page).getByRole("link", { name: range }).click();
        await preview(page).locator('[aria-current="true"]', { hasText: range }).waitFor();
        assertStringIncludes(await page.locator(".cm-content").innerText(), "Typed title");
      }
      assertEquals(new URL(page.url()).searchParams.has("create"), true);
    },
  },
  {
    name: "a problem is shown with its line, beside the source and in its card; the other charts stay",
    run: async (page, server) => {
      await edit(page, server, "problem");
      const wrong = COUNT.replace("count", "wrong").replace("displayName: All", "displayName: Wrong").replace(
        "COUNT",
        "CUONT",
      );
      await write(page, source("problem", COUNT + wrong));
      const problems = page.getByRole("list", { name: "Problems" });
      await problems.getByText(/^6:\d+/).waitFor();
      await problems.getByText("charts[1].data.columns.agg").waitFor();
      await preview(page).getByRole("region", { name: "Wrong" }).getByText("must be one of COUNT").waitFor();
      await preview(page).getByRole("region", { name: "All" }).getByText("5", { exact: true }).waitFor();
      await problems.getByRole("button").first().click();
      await page.keyboard.insertText("x");
      assertStringIncludes(await page.locator(".cm-activeLine").innerText(), "xCUONT");
    },
  },
  {
    name: "a misspelt name is replaced by the one that was meant",
    run: async (page, server) => {
      await edit(page, server, "fix");
      const sum = COUNT.replace("agg: COUNT", "agg: SUM, field: DURATOIN");
      await write(page, source("fix", sum));
      await page.getByRole("button", { name: "Replace by DURATION" }).click();
      await preview(page).getByText(/ ms$| s$/).waitFor();
      await page.getByText("✓ Valid").waitFor();
    },
  },
  {
    name: "a source whose syntax is wrong keeps the last preview, and is not stored",
    size: "small",
    expectedErrors: /422/,
    run: async (page, server) => {
      await edit(page, server, "syntax");
      await write(page, "title: [\n");
      await page.getByText(/Problems: \d/).waitFor();
      await preview(page).getByText("5", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator(".toast.bad").waitFor();
      assertEquals((await stored(server, "syntax")).title, "Title of syntax");
    },
  },
  {
    name: "values of the wrong kind do no harm",
    run: async (page, server) => {
      await edit(page, server, "kinds");
      const odd = chart(
        "odd",
        "Markdown",
        "chartOptions: {displayName: {a: 1}, description: [2], width: 12}, content: hello",
      );
      await write(page, `title: {a: 1}\ndescription: 3\ncharts:\n${odd}  - 7\n  - {id: x}\n`);
      await preview(page).getByRole("region", { name: "odd" }).getByText("hello").waitFor();
      await preview(page).getByRole("region", { name: "charts[1]" }).getByText("must be an object").waitFor();
    },
  },
  {
    name: "changes that are not saved are not lost without a question",
    run: async (page, server) => {
      await edit(page, server, "guard");
      await write(page, source("guard", COUNT, "Changed"));
      await page.getByText("Not saved").waitFor();
      page.once("dialog", (dialog) => void dialog.dismiss());
      await page.getByRole("link", { name: "Back to the dashboard" }).click();
      assertEquals(new URL(page.url()).pathname, "/ui/dashboards/guard/edit");
      page.once("dialog", (dialog) => void dialog.accept());
      await page.getByRole("link", { name: "Back to the dashboard" }).click();
      await page.getByRole("heading", { name: "Title of guard" }).waitFor();
      assertEquals((await stored(server, "guard")).title, "Title of guard");
    },
  },
  {
    name: "a version of somebody else is not replaced without a question",
    run: async (page, server) => {
      await edit(page, server, "conflict");
      const body = source("conflict", COUNT, "Theirs");
      await server.json("PUT", "/dashboards/conflict", {
        headers: { "content-type": "application/x-yaml" },
        body,
      });
      await write(page, source("conflict", COUNT, "Mine"));
      const save = page.getByRole("button", { name: "Save" });
      const question = page.getByRole("dialog", { name: "The dashboard was changed meanwhile" });
      await save.click();
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      assertEquals((await stored(server, "conflict")).title, "Theirs");
      await save.click();
      await question.getByRole("button", { name: "Replace it" }).click();
      await page.getByText("The dashboard is saved").waitFor();
      assertEquals((await stored(server, "conflict")).title, "Mine");
    },
  },
  {
    name: "saving twice is no conflict, and saves what was written meanwhile",
    run: async (page, server) => {
      await edit(page, server, "twice");
      await write(page, source("twice", COUNT, "First"));
      const held = await holdSaves(page, "**/dashboards/twice");
      await page.keyboard.press("ControlOrMeta+s");
      await held.begun;
      await page.keyboard.press("ControlOrMeta+s");
      await write(page, source("twice", COUNT, "Second"));
      await page.keyboard.press("ControlOrMeta+s");
      held.release();
      await page.getByText("Not saved").waitFor({ state: "detached" });
      assertEquals([held.count(), await page.getByRole("dialog").count()], [2, 0]);
      assertEquals((await stored(server, "twice")).title, "Second");
    },
  },
  {
    name: "a new dashboard is created once, and is left when what was written meanwhile is saved, too",
    run: async (page, server) => {
      await page.goto("/ui/dashboards?create");
      await preview(page).getByText("Success rate").waitFor();
      await write(page, source("created_twice", COUNT, "First"));
      const held = await holdSaves(page, "**/api/v1/main/dashboards");
      await page.keyboard.press("ControlOrMeta+s");
      await held.begun;
      await write(page, source("created_twice", COUNT, "Second"));
      // With Caps Lock the key is "S", without Shift.
      await page.keyboard.press("ControlOrMeta+S");
      held.release();
      await page.waitForURL("**/ui/dashboards/created_twice");
      assertEquals(held.count(), 1);
      assertEquals((await stored(server, "created_twice")).title, "Second");
    },
  },
  {
    name: "the initial source counts as unsaved once another one is stored",
    run: async (page, server) => {
      await edit(page, server, "undone");
      await write(page, source("undone", COUNT, "Stored"));
      await page.keyboard.press("ControlOrMeta+s");
      await page.getByText("The dashboard is saved").waitFor();
      await write(page, source("undone", COUNT));
      await page.getByText("Not saved").waitFor();
      const asked = new Promise((resolve) =>
        page.once("dialog", (dialog) => (resolve(true), void dialog.dismiss()))
      );
      await Promise.all([asked, page.getByRole("link", { name: "Back to the dashboard" }).click()]);
      assertEquals(new URL(page.url()).pathname, "/ui/dashboards/undone/edit");
    },
  },
  {
    name: "a duplicate has another id and the same charts",
    size: "small",
    scheme: "dark",
    run: async (page, server) => {
      await saveDashboard(server, source("first", COUNT));
      await page.goto("/ui/dashboards/first");
      await page.getByRole("button", { name: "Actions" }).click();
      await page.getByRole("menuitem", { name: "Duplicate" }).click();
      await preview(page).getByText("5", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL("**/ui/dashboards/first_copy");
      const copy = source("first", COUNT).replace("id: first", "id: first_copy");
      assertEquals((await stored(server, "first_copy")).sourceCode, copy);
    },
  },
  {
    name: "an id that is taken is refused, and nothing that was written is lost",
    expectedErrors: /409/,
    run: async (page, server) => {
      await saveDashboard(server, source("taken", COUNT));
      await page.goto("/ui/dashboards?create");
      await preview(page).getByText("Success rate").waitFor();
      await write(page, source("taken", COUNT, "Mine"));
      await preview(page).getByRole("heading", { name: "Mine" }).waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText('Cannot create dashboard "taken": it exists').waitFor();
      assertStringIncludes(await page.locator(".cm-content").innerText(), "Mine");
    },
  },
  {
    name: "deleting asks first",
    run: async (page, server) => {
      await saveDashboard(server, source("gone", COUNT));
      await page.goto("/ui/dashboards/gone");
      const ask = async () => {
        await page.getByRole("button", { name: "Actions" }).click();
        await page.getByRole("menuitem", { name: "Delete" }).click();
      };
      const question = page.getByRole("dialog", { name: "Delete the dashboard" });
      await ask();
      await question.getByText("The dashboard Title of gone is deleted for good").waitFor();
      await question.getByRole("button", { name: "Cancel" }).click();
      assertEquals((await stored(server, "gone")).title, "Title of gone");
      await ask();
      await question.getByRole("button", { name: "Delete" }).click();
      await page.getByText("Deleted: Title of gone").waitFor();
      await page.waitForURL("**/ui/");
      const { results } = await server.json<{ results: { id: string }[] }>("GET", "/dashboards?q=gone");
      assertEquals(results, []);
    },
  },
  {
    name: "the keyboard alone switches, writes and saves",
    scheme: "dark",
    run: async (page, server) => {
      await saveDashboard(server, source("keys", COUNT, "By keys"));
      await page.goto("/ui/");
      await page.getByRole("button", { name: "Dashboards" }).waitFor();
      await pressUntilFocused(page, "Tab", "Dashboards ▾");
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: "By keys" }).waitFor();
      await pressUntilFocused(page, "ArrowDown", "By keys");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "By keys" }).waitFor();
      await pressUntilFocused(page, "Tab", "Edit");
      await page.keyboard.press("Enter");
      await preview(page).getByText("5", { exact: true }).waitFor();
      await page.locator(".cm-content").waitFor();
      await pressUntilFocused(page, "Tab", "id: keys");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText(source("keys", COUNT, "Written by keys"));
      await page.keyboard.press("ControlOrMeta+s");
      await page.getByText("The dashboard is saved").waitFor();
      assertEquals((await stored(server, "keys")).title, "Written by keys");
    },
  },
];

stories("/dashboards/:id/edit", EDITING, { prepare: runSales });
