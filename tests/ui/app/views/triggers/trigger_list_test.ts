/** The list of triggers in a browser: filters, actions, and what a trigger says about itself. */
import { assertEquals, assertStringIncludes } from "../../../../support/assert.ts";
import {
  checkAccessibility,
  type Page,
  type PageStory,
  stories,
} from "../../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { copiedBy } from "../../copied.ts";
import { holdSaves } from "../../held_requests.ts";
import {
  checkWidth,
  confirm,
  CORE,
  downloadOf,
  LOST_CONNECTION,
  rowsOf,
  saveIn,
  tryLostConnection,
  tryViews,
  waitForRows,
} from "../../list_page.ts";

const TABLE = "Triggers";
const LIST = "/ui/triggers";
const TASKS = `tasks: [{id: hi, type: ${CORE}log.Log, message: Hello}]`;
const PAUSES = `tasks: [{id: ask, type: ${CORE}flow.Pause}]`;
const schedule = (id: string, cron = "0 0 1 1 *", rest = "") =>
  `  - {id: ${id}, type: ${CORE}trigger.Schedule, cron: "${cron}"${rest}}\n`;
const EVERY_SECOND = "* * * * * *";

interface TriggerStates {
  readonly results: readonly { readonly triggerId: string; readonly disabled: boolean }[];
}

const waitFor = (page: Page, count: number) => waitForRows(page, TABLE, count);

async function disabledIn(server: ServerProcess, flow: string): Promise<string[]> {
  const { results } = await server.json<TriggerStates>("GET", `/triggers/${flow}`);
  return results.filter(({ disabled }) => disabled).map(({ triggerId }) => triggerId).sort();
}

/** Three schedules of a flow in a namespace of its own, in the list. */
async function openThree(page: Page, server: ServerProcess, namespace: string): Promise<void> {
  await saveIn(
    server,
    namespace,
    "three",
    `${TASKS}\ntriggers:\n${["a", "b", "c"].map((id) => schedule(id)).join("")}`,
  );
  await page.goto(`${LIST}?namespace=${namespace}`);
  await waitFor(page, 3);
}

async function prepare(server: ServerProcess): Promise<void> {
  await saveIn(
    server,
    "shop.web",
    "nightly",
    `${TASKS}\ntriggers:\n${schedule("daily")}${schedule("off", "0 0 1 1 *", ", disabled: true")}`,
  );
  await saveIn(
    server,
    "shop",
    "hooked",
    `${TASKS}\ntriggers: [{id: hook, type: ${CORE}trigger.Webhook, key: a-long-enough-key}]`,
  );
}

const EMPTY: PageStory = {
  name: "an empty server shows how a flow declares a schedule",
  size: "small",
  scheme: "dark",
  async run(page) {
    await page.goto(LIST);
    await page.getByText("There are no triggers yet").waitFor();
    assertStringIncludes(await page.locator("pre").innerText(), "trigger.Schedule");
    assertEquals(await page.title(), "Triggers · Sluice");
  },
};

const LISTED: readonly PageStory[] = [
  {
    name: "a text",
    async run(page) {
      await page.goto(LIST);
      await waitFor(page, 3);
      await page.getByLabel("Search", { exact: true }).fill("hook");
      await waitFor(page, 1);
    },
  },
  {
    name: "a namespace includes those below it; a flow",
    scheme: "dark",
    async run(page) {
      await page.goto(LIST);
      await page.getByLabel("Namespace").fill("shop.web");
      await waitFor(page, 2);
      await page.getByLabel("Namespace").fill("shop");
      await waitFor(page, 3);
      await page.getByLabel("Flow", { exact: true }).fill("hooked");
      await waitFor(page, 1);
    },
  },
  {
    name: "enabled or disabled, also by the flow",
    async run(page) {
      await page.goto(LIST);
      await page.getByLabel("State").selectOption("DISABLED");
      await waitFor(page, 1);
      await rowsOf(page, TABLE).getByRole("link", { name: "off" }).waitFor();
      await page.getByLabel("State").selectOption("ENABLED");
      await waitFor(page, 2);
    },
  },
  {
    name: "no match differs from no trigger",
    async run(page) {
      await page.goto(`${LIST}?q=nothing-like-this`);
      await page.getByText("No trigger matches the filters").waitFor();
      await page.getByRole("link", { name: "Clear filters" }).click();
      await waitFor(page, 3);
    },
  },
  {
    name: "a view is saved, used, removed, and the removal taken back",
    async run(page) {
      await page.goto(`${LIST}?q=hook`);
      await waitFor(page, 1);
      await tryViews(page, LIST, () => waitFor(page, 1));
    },
  },
  {
    name: "CSV has the triggers that match",
    async run(page) {
      await page.goto(`${LIST}?namespace=shop.web`);
      await waitFor(page, 2);
      const csv = await downloadOf(page, "Export CSV");
      assertEquals(csv.trimEnd().split("\r\n").length, 3);
      assertStringIncludes(csv, "nightly");
    },
  },
  {
    name: "a column sorts in both directions",
    async run(page) {
      await page.goto(LIST);
      await waitFor(page, 3);
      const head = page.getByRole("columnheader", { name: "Flow" });
      assertEquals(await head.getAttribute("aria-sort"), "ascending");
      await head.getByRole("button").click();
      await rowsOf(page, TABLE).first().getByText("nightly").waitFor();
      assertEquals(await head.getAttribute("aria-sort"), "descending");
    },
  },
  {
    name: "a lost connection is shown beside the rows, and ends by itself",
    expectedErrors: LOST_CONNECTION,
    async run(page) {
      await page.goto(LIST);
      await waitFor(page, 3);
      await tryLostConnection(page);
      await waitFor(page, 3);
    },
  },
  {
    name: "on a small screen nothing is wider than the window",
    size: "small",
    scheme: "dark",
    async run(page) {
      await page.goto(`${LIST}?trigger=shop/hooked/hook`);
      await page.getByRole("dialog").getByText(/a-long-enough-key$/).first().waitFor();
      await checkWidth(page);
    },
  },
];

const ACTIONS: readonly PageStory[] = [
  {
    name: "one is disabled by its switch, which can be taken back",
    async run(page, server) {
      await openThree(page, server, "switched");
      await page.getByRole("switch", { name: "Trigger a is enabled" }).click();
      const undo = page.getByRole("button", { name: "Undo" });
      // A message stays while the pointer is on its button.
      await undo.hover();
      // The switch shows its new position before the response.
      const undone = page.waitForResponse("**/triggers/set-disabled");
      await undo.click();
      await page.getByRole("switch", { name: "Trigger a is enabled", checked: true }).waitFor();
      await undone;
      assertEquals(await disabledIn(server, "switched/three"), []);
      await page.getByRole("switch", { name: "Trigger b is enabled" }).click();
      await page.getByText("Trigger b disabled").waitFor();
      assertEquals(await disabledIn(server, "switched/three"), ["b"]);
    },
  },
  {
    name: "a switch keeps its new position while the change and a refresh of the list are under way",
    async run(page, server) {
      await openThree(page, server, "held");
      const saves = await holdSaves(page, "**/triggers/set-disabled");
      const shown = (checked: boolean) => page.getByRole("switch", { name: "Trigger a is enabled", checked });
      await shown(true).click();
      await saves.begun;
      await saveIn(server, "held", "more", `${TASKS}\ntriggers:\n${schedule("d")}`);
      // Loads as the interval does.
      await page.evaluate(() => dispatchEvent(new Event("online")));
      await waitFor(page, 4);
      assertEquals(await shown(false).count(), 1);
      await shown(false).click();
      saves.release();
      await page.getByText("Trigger a enabled").waitFor();
      assertEquals(await shown(true).count(), 1);
      assertEquals(await disabledIn(server, "held/three"), []);
      assertEquals(saves.count(), 2);
    },
  },
  {
    name: "those selected are disabled, which can be taken back",
    async run(page, server) {
      await openThree(page, server, "selected");
      await rowsOf(page, TABLE).nth(1).getByRole("checkbox").check();
      await rowsOf(page, TABLE).nth(2).getByRole("checkbox").check();
      await page.getByRole("button", { name: "Disable", exact: true }).click();
      await page.getByText("Disable: 2 of 2 triggers changed").waitFor();
      await page.getByRole("switch", { checked: false }).nth(1).waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("switch", { checked: true }).nth(2).waitFor();
      assertEquals(await disabledIn(server, "selected/three"), []);
    },
  },
  {
    name: "one that is selected while others are disabled stays selected",
    async run(page, server) {
      await openThree(page, server, "meanwhile");
      const held = await holdSaves(page, "**/set-disabled/by-triggers");
      await rowsOf(page, TABLE).nth(1).getByRole("checkbox").check();
      await page.getByRole("button", { name: "Disable", exact: true }).click();
      await held.begun;
      await rowsOf(page, TABLE).nth(2).getByRole("checkbox").check();
      await page.getByText("2 selected").waitFor();
      held.release();
      await page.getByText("1 selected").waitFor();
      assertEquals(await rowsOf(page, TABLE).nth(2).getByRole("checkbox").isChecked(), true);
    },
  },
  {
    name: "one that the flow disables stays so",
    async run(page, server) {
      const declared = `${schedule("on")}${schedule("off", "0 0 1 1 *", ", disabled: true")}`;
      await saveIn(server, "declared", "two", `${TASKS}\ntriggers:\n${declared}`);
      await page.goto(`${LIST}?namespace=declared`);
      const off = page.getByRole("switch", { name: "Trigger off is enabled" });
      assertEquals(await off.isDisabled(), true);
      await page.getByRole("checkbox", { name: "Triggers" }).click();
      await page.getByRole("button", { name: "Enable", exact: true }).click();
      await page.getByText("Enable: 1 of 2 triggers changed").waitFor();
      assertEquals(await disabledIn(server, "declared/two"), ["off"]);
    },
  },
  {
    name: "all that match are disabled after their number is typed, others stay",
    async run(page, server) {
      await openThree(page, server, "others");
      await openThree(page, server, "matched");
      await rowsOf(page, TABLE).first().getByRole("checkbox").check();
      await page.getByRole("button", { name: "Select all 3 that match" }).click();
      await page.getByRole("button", { name: "Disable", exact: true }).click();
      await confirm(page, "Disable", "Disable 3");
      await page.getByText("Disable: 3 of 3 triggers changed").waitFor();
      assertEquals(await disabledIn(server, "matched/three"), ["a", "b", "c"]);
      assertEquals(await disabledIn(server, "others/three"), []);
    },
  },
  {
    name: "the flow is run now, and its execution opened",
    async run(page, server) {
      await openThree(page, server, "run");
      await rowsOf(page, TABLE).first().getByRole("link").first().click();
      await page.getByRole("button", { name: "Run the flow now" }).click();
      await confirm(page, "Run the flow now");
      await page.waitForURL("**/ui/executions/run/three/*");
      await page.getByText("SUCCESS").first().waitFor();
    },
  },
  {
    name: "a schedule says why it did not fire",
    async run(page, server) {
      const never =
        `, withSeconds: true, conditions: [{type: ${CORE}condition.Expression, expression: "{{ false }}"}]`;
      await saveIn(
        server,
        "skipped",
        "one",
        `${TASKS}\ntriggers:\n${schedule("never", EVERY_SECOND, never)}`,
      );
      await page.goto(`${LIST}?trigger=skipped/one/never`);
      const first = page.getByRole("dialog").getByRole("listitem").first();
      await first.getByText("SKIPPED").waitFor();
      assertStringIncludes((await first.innerText()).toLowerCase(), "condition");
      await page.keyboard.press("Escape");
      await page.goto(`${LIST}?namespace=skipped`);
      await rowsOf(page, TABLE).first().getByText("SKIPPED", { exact: true }).waitFor();
      await server.json("DELETE", "/flows/delete/by-query?namespace=skipped");
    },
  },
  {
    name: "one that waits for its execution is marked, and is unlocked",
    async run(page, server) {
      const every = schedule("every", EVERY_SECOND, ", withSeconds: true");
      await saveIn(server, "locked", "one", `${PAUSES}\ntriggers:\n${every}`);
      await page.goto(`${LIST}?namespace=locked`);
      await rowsOf(page, TABLE).first().getByText("LOCKED", { exact: true }).waitFor();
      await rowsOf(page, TABLE).first().getByRole("link").first().click();
      await page.getByRole("dialog").getByText("waits for the end of its execution").waitFor();
      await page.getByRole("button", { name: "Unlock" }).last().click();
      await confirm(page, "Unlock");
      await page.getByText("Trigger every unlocked").waitFor();
    },
  },
  {
    name: "a backfill is started, paused, continued and deleted; Escape closes only the form above",
    expectedErrors: /status of 422/,
    async run(page, server) {
      // So many dates that the backfill does not end by itself.
      await saveIn(server, "filled", "daily", `${TASKS}\ntriggers:\n${schedule("a", "0 0 * * *")}`);
      await page.goto(`${LIST}?trigger=filled/daily/a`);
      const open = page.getByRole("button", { name: "Start a backfill" });
      const form = page.getByRole("dialog", { name: "Start a backfill" });
      await open.click();
      await form.waitFor();
      await page.keyboard.press("Escape");
      await form.waitFor({ state: "detached" });
      await page.getByRole("dialog", { name: "daily · a" }).waitFor();
      await open.click();
      await checkAccessibility(page);
      await form.getByLabel("From").fill("2040-01-01T00:00");
      await form.getByRole("button", { name: "Start a backfill" }).click();
      await form.getByText("start must lie before end").waitFor();
      await form.getByLabel("From").fill("1900-06-01T00:00");
      await form.getByRole("button", { name: "Start a backfill" }).click();
      await page.getByRole("button", { name: "Pause backfill" }).click();
      await page.getByRole("button", { name: "Continue backfill" }).click();
      await page.getByRole("button", { name: "Pause backfill" }).click();
      await page.getByRole("button", { name: "Continue backfill" }).waitFor();
      await page.getByRole("button", { name: "Delete backfill" }).click();
      await confirm(page, "Delete backfill");
      await open.waitFor();
    },
  },
  {
    name: "a call of a webhook is put together, copied, and works",
    async run(page, server) {
      const hook = `{id: hook, type: ${CORE}trigger.Webhook, key: a-long-enough-key}`;
      await saveIn(server, "built", "hooked", `${TASKS}\ntriggers: [${hook}]`);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto(`${LIST}?trigger=built/hooked/hook`);
      await page.getByLabel("Method").selectOption("PUT");
      await page.getByLabel("Query parameters").fill("city=Berlin, count=2");
      await page.getByLabel("Body as JSON").fill(`{"name": "it's"}`);
      const url =
        `${server.url}/api/v1/main/executions/webhook/built/hooked/a-long-enough-key?city=Berlin&count=2`;
      await page.getByText(url, { exact: true }).waitFor();
      await page.getByText(`-d '{"name": "it'\\''s"}' '${url}'`).waitFor();
      const copied = await copiedBy(page, page.getByRole("button", { name: "Copy" }).first());
      assertEquals(copied, url);
      const response = await fetch(copied, { method: "PUT", body: "{}" });
      assertEquals((await response.json()).flowId, "hooked");
      await page.getByLabel("Method").selectOption("GET");
      await page.getByLabel("Body as JSON").waitFor({ state: "detached" });
      await page.getByText(`curl -X GET '${url}'`).waitFor();
    },
  },
];

stories("/triggers", [...LISTED, ...ACTIONS], { before: [EMPTY], prepare });
