/** Pages, the keyboard, and actions on many executions in their list, in a browser. */
import { assertEquals, assertMatch } from "../../../../support/assert.ts";
import {
  checkAccessibility,
  type Page,
  type PageStory,
  stories,
} from "../../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { runFlow, startFlow } from "../../flows.ts";
import { holdSaves } from "../../held_requests.ts";
import { confirm, CORE, pressBoth, rowsOf, saveIn, SOURCES, waitForRows } from "../../list_page.ts";

const LIST = "/ui/executions";
const TABLE = "Executions";
const HOOKED = `${SOURCES.good}
triggers: [{id: hook, type: ${CORE}trigger.Webhook, key: a-long-enough-key}]`;

const waitFor = (page: Page, count: number) => waitForRows(page, TABLE, count);

interface ActionStory extends Omit<PageStory, "run"> {
  readonly flow: keyof typeof SOURCES;
  readonly count?: number;
  readonly run: (page: Page, server: ServerProcess, namespace: string) => Promise<void>;
}

let lastNamespace = 0;

/** A story in a namespace of its own, whose executions are in the list. */
function action({ flow, count = 2, run, ...story }: ActionStory): PageStory {
  const namespace = `actions${++lastNamespace}`;
  return {
    ...story,
    async run(page, server) {
      await saveIn(server, namespace, "one", SOURCES[flow]);
      const start = flow === "paused" ? startFlow : runFlow;
      for (let index = 0; index < count; index++) await start(server, `${namespace}/one`);
      await page.goto(`/ui/executions?namespace=${namespace}`);
      await waitFor(page, count);
      await run(page, server, namespace);
    },
  };
}

async function selectFirst(page: Page): Promise<void> {
  await rowsOf(page, TABLE).first().getByRole("checkbox").check();
  await page.getByText("1 selected").waitFor();
}

async function selectByQuery(page: Page, count: number): Promise<void> {
  await selectFirst(page);
  await page.getByRole("button", { name: `Select all ${count} that match` }).click();
  await page.getByText(`${count} selected`).waitFor();
}

const press = (page: Page, name: string) =>
  page.getByRole("toolbar").getByRole("button", { name, exact: true }).click();

async function waitForStates(page: Page, state: string, count: number): Promise<void> {
  await rowsOf(page, TABLE).getByText(state, { exact: true }).nth(count - 1).waitFor();
}

async function setLabels(page: Page, labels: string): Promise<void> {
  await press(page, "Set labels");
  const dialog = page.getByRole("dialog", { name: "Set labels" });
  await dialog.getByRole("textbox").fill("not a label");
  assertEquals(await dialog.getByRole("button", { name: "Set labels" }).isDisabled(), true);
  await dialog.getByRole("textbox").fill(labels);
  await dialog.getByRole("button", { name: "Set labels" }).click();
}

async function chooseState(page: Page, state: string): Promise<void> {
  await press(page, "Change state");
  const dialog = page.getByRole("dialog", { name: "Change state" });
  await dialog.getByLabel("New state").selectOption(state);
  await dialog.getByRole("button", { name: "Change state" }).click();
}

/** Presses a key as soon as a table has a row, before the next frame. */
function pressWithFirstRow(key: string): void {
  const observer = new MutationObserver(() => {
    if (document.querySelector("main tbody tr") === null) return;
    observer.disconnect();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  });
  observer.observe(document.body, { subtree: true, childList: true });
}

const LISTED: readonly PageStory[] = [
  {
    name: "an empty server says how to get the first execution",
    scheme: "dark",
    async run(page) {
      await page.goto(LIST);
      await page.getByText("There are no executions yet").waitFor();
      assertEquals(await page.getByRole("link", { name: "To the flows" }).getAttribute("href"), "/ui/flows");
    },
  },
  {
    name: "a refused search is shown, and tried again",
    expectedErrors: /422/,
    async run(page) {
      await page.goto(`${LIST}?timeRange=soon`);
      const alert = page.getByRole("alert");
      await alert.waitFor();
      assertMatch(await alert.textContent() ?? "", /timeRange.*Try again/s);
      await page.getByRole("button", { name: "Clear filters" }).click();
      await alert.waitFor({ state: "detached" });
    },
  },
  {
    name: "the next page is loaded in advance, and is part of the address",
    async run(page, server) {
      await saveIn(server, "many", "good", SOURCES.good);
      for (let count = 0; count < 51; count++) await runFlow(server, "many/good");
      const prefetched = page.waitForRequest(/executions\/search.*page=2/);
      await page.goto(`${LIST}?namespace=many`);
      await prefetched;
      await page.getByText("Page 1 of 2").waitFor();
      await page.getByRole("button", { name: "Next page" }).click();
      await waitFor(page, 1);
      assertEquals(new URL(page.url()).search, "?namespace=many&page=2");
      await page.getByRole("button", { name: "Previous page" }).click();
      await waitFor(page, 50);
      // A new execution does not move the rows of later pages.
      await runFlow(server, "many/good");
      await page.getByRole("button", { name: "Next page" }).click();
      await waitFor(page, 1);
    },
  },
  {
    name: "keys work from the moment that the rows are shown",
    async run(page, server) {
      await saveIn(server, "early", "one", SOURCES.good);
      await runFlow(server, "early/one");
      await page.goto(`${LIST}?namespace=absent`);
      const clear = page.getByRole("link", { name: "Clear filters" });
      await clear.waitFor();
      await page.evaluate(pressWithFirstRow, "j");
      await clear.click();
      await page.locator("tr:focus").waitFor();
    },
  },
  action({
    name: "r replays the execution of the row that has the focus",
    flow: "good",
    async run(page) {
      await page.keyboard.press("j");
      await page.keyboard.press("r");
      await confirm(page, "Replay");
      await page.getByText("Done for 1 executions: Replay").waitFor();
    },
  }),
  action({
    name: "k goes back, x selects, a full stop goes to the actions",
    flow: "good",
    async run(page) {
      for (const key of ["j", "j", "k", "x"]) await page.keyboard.press(key);
      await page.getByText("1 selected").waitFor();
      assertEquals(await rowsOf(page, TABLE).first().getByRole("checkbox").isChecked(), true);
      await page.keyboard.press("x");
      await page.getByRole("toolbar").waitFor({ state: "detached" });
      await page.keyboard.press(".");
      await page.locator(".bulk button:focus").waitFor();
    },
  }),
  action({
    name: "from the start page to an execution and back without a mouse",
    flow: "good",
    async run(page, _server, namespace) {
      await page.goto("/ui/");
      await page.getByRole("heading", { name: "Dashboard" }).waitFor();
      await pressBoth(page, "g", "e");
      // The dashboard has headings with that word, too.
      await rowsOf(page, TABLE).first().waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type(namespace);
      await waitFor(page, 2);
      await page.locator("main").focus();
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/ui/executions/${namespace}/one/*`);
      await page.goBack();
      await waitFor(page, 2);
      assertEquals(new URL(page.url()).search, `?q=${namespace}`);
    },
  }),
  {
    name: "an execution that a trigger started links to the trigger",
    async run(page, server) {
      await saveIn(server, "hooked", "one", HOOKED);
      await server.json("POST", "/executions/webhook/hooked/one/a-long-enough-key");
      await page.goto("/ui/executions?namespace=hooked");
      await page.getByRole("link", { name: "hook", exact: true }).click();
      await page.getByRole("dialog", { name: "one · hook" }).waitFor();
    },
  },
];

const SELECTED: readonly PageStory[] = [
  action({
    name: "restart of selected executions",
    flow: "bad",
    async run(page) {
      await selectFirst(page);
      await press(page, "Restart");
      await confirm(page, "Restart");
      await page.getByText("Done for 1 executions: Restart").waitFor();
    },
  }),
  action({
    name: "replay of selected executions",
    flow: "good",
    async run(page) {
      await selectFirst(page);
      await press(page, "Replay");
      await confirm(page, "Replay");
      await page.getByRole("button", { name: "1 new" }).click();
      await waitFor(page, 3);
    },
  }),
  action({
    name: "resume of selected executions",
    flow: "paused",
    async run(page) {
      await selectFirst(page);
      await press(page, "Resume");
      await confirm(page, "Resume");
      await waitForStates(page, "SUCCESS", 1);
    },
  }),
  action({
    name: "kill of selected executions",
    flow: "paused",
    scheme: "dark",
    async run(page) {
      await selectFirst(page);
      await press(page, "Kill");
      await checkAccessibility(page);
      await confirm(page, "Kill");
      await waitForStates(page, "KILLED", 1);
    },
  }),
  action({
    name: "delete of selected executions",
    flow: "good",
    async run(page) {
      await selectFirst(page);
      await press(page, "Delete");
      await confirm(page, "Delete");
      await waitFor(page, 1);
    },
  }),
  action({
    name: "labels of selected executions",
    flow: "good",
    async run(page) {
      await selectFirst(page);
      await setLabels(page, "prio:high, url:http://x");
      await confirm(page, "Set labels");
      await page.getByRole("link", { name: "prio: high" }).waitFor();
      await page.getByRole("link", { name: "url: http://x" }).waitFor();
    },
  }),
  action({
    name: "change of the state of selected executions",
    flow: "bad",
    async run(page) {
      await selectFirst(page);
      await chooseState(page, "WARNING");
      await confirm(page, "Change state");
      await waitForStates(page, "WARNING", 1);
    },
  }),
  action({
    name: "what is selected while an action is under way stays selected",
    flow: "bad",
    async run(page) {
      const held = await holdSaves(page, "**/restart/by-ids");
      await selectFirst(page);
      const other = rowsOf(page, TABLE).nth(1);
      const key = await other.getAttribute("data-key");
      await press(page, "Restart");
      await confirm(page, "Restart");
      await held.begun;
      await other.getByRole("checkbox").check();
      await page.getByText("2 selected").waitFor();
      held.release();
      await page.getByText("1 selected").waitFor();
      const selected = page.locator("tr[aria-selected=true]");
      assertEquals(await selected.getAttribute("data-key"), key);
    },
  }),
  action({
    name: "a dialog stays with its text when the selected execution leaves the list",
    flow: "good",
    async run(page, server) {
      await selectFirst(page);
      const id = await rowsOf(page, TABLE).first().getAttribute("data-key");
      await press(page, "Set labels");
      const text = page.getByRole("dialog", { name: "Set labels" }).getByRole("textbox");
      await text.fill("prio:high");
      const deleted = await fetch(`${server.url}/api/v1/main/executions/${id}`, { method: "DELETE" });
      await deleted.body?.cancel();
      await page.locator(`tr[data-key="${id}"]`).waitFor({ state: "detached" });
      assertEquals(await text.count(), 1);
      assertEquals(await text.inputValue(), "prio:high");
    },
  }),
  action({
    name: "a question that is declined changes nothing, and the selection can be cleared",
    flow: "good",
    size: "small",
    async run(page) {
      await selectFirst(page);
      await press(page, "Delete");
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await page.getByText("1 selected").waitFor();
      await press(page, "Clear selection");
      await page.getByText("1 selected").waitFor({ state: "detached" });
      await waitFor(page, 2);
    },
  }),
  action({
    name: "a refusal is shown",
    flow: "paused",
    expectedErrors: /status of 4\d\d/,
    async run(page) {
      await selectFirst(page);
      await setLabels(page, "prio:high");
      await confirm(page, "Set labels");
      await page.getByText("it is PAUSED, and must have ended").waitFor();
    },
  }),
  action({
    name: "executions that start later wait behind a button",
    flow: "good",
    count: 1,
    size: "small",
    scheme: "dark",
    async run(page, server, namespace) {
      await runFlow(server, `${namespace}/one`);
      await runFlow(server, `${namespace}/one`);
      const later = page.getByRole("button", { name: "2 new" });
      await later.waitFor();
      await waitFor(page, 1);
      await later.click();
      await waitFor(page, 3);
      await later.waitFor({ state: "detached" });
    },
  }),
];

const ALL_THAT_MATCH: readonly PageStory[] = [
  action({
    name: "restart of all that match, after their number is typed",
    flow: "bad",
    async run(page) {
      await selectByQuery(page, 2);
      await press(page, "Restart");
      await confirm(page, "Restart", "restart 2");
      await page.getByText("Done for 2 executions: Restart").waitFor();
    },
  }),
  action({
    name: "replay of all that match, after their number is typed",
    flow: "good",
    async run(page) {
      await selectByQuery(page, 2);
      await press(page, "Replay");
      await confirm(page, "Replay", "replay 2");
      await page.getByText("Done for 2 executions: Replay").waitFor();
    },
  }),
  action({
    name: "resume of all that match, after their number is typed",
    flow: "paused",
    async run(page) {
      await selectByQuery(page, 2);
      await press(page, "Resume");
      await confirm(page, "Resume", "resume 2");
      await waitForStates(page, "SUCCESS", 2);
    },
  }),
  action({
    name: "kill of all that match, after their number is typed",
    flow: "paused",
    async run(page) {
      await selectByQuery(page, 2);
      await press(page, "Kill");
      await confirm(page, "Kill", "kill 2");
      await waitForStates(page, "KILLED", 2);
    },
  }),
  action({
    name: "delete of all that match, after their number is typed",
    flow: "good",
    async run(page) {
      await selectByQuery(page, 2);
      await press(page, "Delete");
      await confirm(page, "Delete", "delete 2");
      await page.getByText("No execution matches the filters").waitFor();
    },
  }),
  action({
    name: "labels of all that match, after their number is typed",
    flow: "good",
    async run(page) {
      await selectByQuery(page, 2);
      await setLabels(page, "prio:high");
      await confirm(page, "Set labels", "labels 2");
      await page.getByRole("link", { name: "prio: high" }).nth(1).waitFor();
    },
  }),
  action({
    name: "change of the state of all that match, after their number is typed",
    flow: "bad",
    async run(page) {
      await selectByQuery(page, 2);
      await chooseState(page, "SUCCESS");
      await confirm(page, "Change state", "change-status 2");
      await waitForStates(page, "SUCCESS", 2);
    },
  }),
  action({
    name: "another filter ends the selection of all that match",
    flow: "good",
    async run(page) {
      await selectByQuery(page, 2);
      await page.getByLabel("State", { exact: true }).selectOption("SUCCESS");
      await page.getByText("2 selected").waitFor({ state: "detached" });
    },
  }),
];

stories("/executions: actions", [...LISTED, ...SELECTED, ...ALL_THAT_MATCH]);
