/** The rename of a namespace, with what refers to it. */
import { assertEquals } from "../../../../support/assert.ts";
import {
  checkAccessibility,
  type PageStory,
  SIZE_NAMES,
  stories,
} from "../../../../support/browser/browser.ts";
import { holdSaves } from "../../held_requests.ts";
import { checkWidth, CORE, saveIn, SOURCES } from "../../list_page.ts";
import { fill, openTab, press, putPair } from "./contents.ts";

const WEBHOOK = `triggers: [{id: hook, type: ${CORE}trigger.Webhook, key: abcdefgh12345678}]`;

const RENAMED = SIZE_NAMES.map((size): PageStory => ({
  name: `a namespace is renamed with those below it, after a look at what refers to it (${size})`,
  size,
  expectedErrors: /status of 40[49]/,
  async run(page, server) {
    const old = `rename.${size}`, name = `renamed.${size}`;
    await saveIn(server, old, "hello", `${SOURCES.good}\n${WEBHOOK}`);
    await saveIn(server, `${old}.below`, "deep", SOURCES.good);
    await saveIn(
      server,
      `other.${size}`,
      "caller",
      `tasks: [{id: call, type: ${CORE}flow.Subflow, namespace: ${old}, flowId: hello}]`,
    );
    await putPair(server, old, "kept", 1);
    await openTab(page, old, "overview");
    await page.getByRole("button", { name: "Rename…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Places that refer to it: 1").waitFor();
    await dialog.getByRole("link", { name: `other.${size}.caller` }).waitFor();
    await dialog.getByText(`webhooks of these flows change: ${old}.hello`).waitFor();
    assertEquals(await dialog.getByLabel(`Also rename those below it: ${old}.below`).isChecked(), true);
    await checkWidth(page);
    await checkAccessibility(page);
    await fill(page, "Name", name);
    await press(page, "Rename");
    await dialog.getByRole("alert").getByText(`it is referred to by "other.${size}.caller"`).waitFor();
    await dialog.getByLabel("Rename it all the same.").check();
    await press(page, "Rename");
    await page.getByText(`Namespace ${old} renamed`).waitFor();
    await page.getByRole("heading", { name, exact: true }).waitFor();
    await page.getByRole("link", { name: `${name}.below` }).waitFor();
    await openTab(page, name, "kv");
    await page.locator("code", { hasText: "kept" }).waitFor();
    await openTab(page, old, "overview");
    await page.getByText(`it was renamed to "${name}"`).waitFor();
    await checkAccessibility(page);
    await page.goto(`/ui/flows/edit/${old}/hello`);
    await page.getByText(`its namespace was renamed to "${name}"`).waitFor();
  },
}));

stories("/namespaces: rename", [
  ...RENAMED,
  {
    name: "a namespace is renamed by the keyboard alone, and Escape changes nothing",
    async run(page, server) {
      await saveIn(server, "keys.old", "hello", SOURCES.good);
      await openTab(page, "keys.old", "overview");
      const button = page.getByRole("button", { name: "Rename…" });
      await button.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await button.and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").getByLabel("Name", { exact: true }).waitFor();
      await page.keyboard.press("Control+a");
      await page.keyboard.type("keys.new");
      await page.keyboard.press("Enter");
      await page.getByText("Namespace keys.old renamed").waitFor();
      await page.getByRole("heading", { name: "keys.new", exact: true }).waitFor();
    },
  },
  {
    name: "a rename whose dialog was closed meanwhile does not leave the page or close another dialog",
    async run(page, server) {
      await saveIn(server, "held.old", "hello", SOURCES.good);
      await openTab(page, "held.old", "overview");
      const held = await holdSaves(page, "**/rename");
      await page.getByRole("button", { name: "Rename…" }).click();
      await fill(page, "Name", "held.new");
      await press(page, "Rename");
      await held.begun;
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Rename…" }).click();
      await fill(page, "Name", "held.other");
      held.release();
      await page.getByText("Namespace held.old renamed").waitFor();
      await page.evaluate(() => new Promise(requestAnimationFrame));
      assertEquals(
        await page.getByRole("dialog").getByLabel("Name", { exact: true }).inputValue(),
        "held.other",
      );
      assertEquals(new URL(page.url()).pathname, "/ui/namespaces/held.old/overview");
    },
  },
  {
    name: "a taken name and executions that have not ended are reasons that the dialog shows",
    expectedErrors: /status of 409/,
    async run(page, server) {
      await saveIn(server, "busy.old", "ask", SOURCES.paused);
      await saveIn(server, "busy.taken", "hello", SOURCES.good);
      await server.json("POST", "/executions/busy.old/ask");
      await openTab(page, "busy.old", "overview");
      await page.getByRole("button", { name: "Rename…" }).click();
      await page.getByText("Executions that have not ended: 1.").waitFor();
      await fill(page, "Name", "busy.new");
      await press(page, "Rename");
      await page.getByRole("alert").getByText("1 executions of its flows have not ended").waitFor();
      await fill(page, "Name", "busy.taken");
      await press(page, "Rename");
      await page.getByRole("alert").getByText("holds flows; choose another name").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("heading", { name: "busy.old", exact: true }).waitFor();
    },
  },
]);
