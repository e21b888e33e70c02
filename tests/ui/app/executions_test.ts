/** The list of executions in a browser. */
import { assertEquals, assertMatch } from "../../support/assert.ts";
import { checkAccessibility, type Page, story, withPage } from "../../support/browser.ts";
import { runFlow, saveFlow, startFlow } from "./flows.ts";

const GOOD = `id: good
namespace: shop.orders
labels: {team: sales}
tasks: [{id: log, type: io.svc.plugin.core.log.Log, message: fine}]`;
const BAD = `id: bad
namespace: shop
tasks: [{id: fail, type: io.svc.plugin.core.execution.Fail, errorMessage: closed}]`;
const PAUSED = `id: waiting
namespace: ops
tasks: [{id: ask, type: io.svc.plugin.core.flow.Pause}]`;

const rows = (page: Page) => page.getByRole("table", { name: "Executions" }).locator("tbody tr");

async function waitForRows(page: Page, count: number): Promise<void> {
  await rows(page).nth(count - 1).waitFor();
  await rows(page).nth(count).waitFor({ state: "detached" });
}

/** Writes labels into the dialog, first a wrong one, and confirms. */
async function setLabels(page: Page, labels: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  const set = dialog.getByRole("button", { name: "Set labels" });
  await page.getByRole("button", { name: "Set labels" }).click();
  await dialog.getByRole("textbox").fill("wrong");
  assertEquals(await set.isDisabled(), true);
  await dialog.getByRole("textbox").fill(labels);
  await set.click();
  await dialog.getByText("Continue?").waitFor();
  await set.click();
  await dialog.waitFor({ state: "detached" });
}

story("/executions: an empty server says how to get the first execution", async (server) => {
  await withPage(server, { scheme: "dark" }, async (page) => {
    await page.goto("/ui/executions");
    await page.getByText("There are no executions yet").waitFor();
    assertEquals(await page.getByRole("link", { name: "To the flows" }).getAttribute("href"), "/ui/flows");
  });
});

story("/executions: filters are chips and in the address, and can be saved", async (server) => {
  for (const source of [GOOD, BAD, PAUSED]) await saveFlow(server, source);
  await runFlow(server, "shop.orders/good");
  await runFlow(server, "shop/bad");
  await startFlow(server, "ops/waiting");
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/executions");
    await waitForRows(page, 3);
    await page.getByLabel("State", { exact: true }).selectOption("FAILED");
    await waitForRows(page, 1);
    await page.getByLabel("State", { exact: true }).selectOption("PAUSED");
    await waitForRows(page, 2);
    assertEquals(new URL(page.url()).search, "?state=FAILED&state=PAUSED");
    await page.getByRole("button", { name: "Remove the filter State: PAUSED" }).click();
    await waitForRows(page, 1);

    await page.getByText("Saved views").click();
    await page.getByLabel("Name of the view").fill("Failures");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.goto("/ui/executions");
    await waitForRows(page, 3);
    await page.getByText("Saved views").click();
    await page.getByRole("link", { name: "Failures" }).click();
    await waitForRows(page, 1);

    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("link", { name: "team: sales" }).click();
    await waitForRows(page, 1);
    await page.getByText("shop.orders.").waitFor();
    await page.getByLabel("Namespace").fill("nowhere");
    await page.getByText("No execution matches the filters").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await waitForRows(page, 3);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export CSV" }).click();
    assertEquals((await download).suggestedFilename(), "executions.csv");
  });
});

story("/executions: executions that start later wait behind a pill", async (server) => {
  await saveFlow(server, GOOD);
  await runFlow(server, "shop.orders/good");
  await withPage(server, { size: "small", scheme: "dark" }, async (page) => {
    await page.goto("/ui/executions");
    await waitForRows(page, 1);
    await runFlow(server, "shop.orders/good");
    await runFlow(server, "shop.orders/good");
    const pill = page.getByRole("button", { name: "2 new" });
    await pill.waitFor();
    await waitForRows(page, 1);
    await pill.click();
    await waitForRows(page, 3);
    await pill.waitFor({ state: "detached" });
  });
});

story("/executions: actions on selected executions and on all that match", async (server) => {
  await saveFlow(server, GOOD);
  for (let count = 0; count < 51; count++) await runFlow(server, "shop.orders/good");
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/executions");
    await waitForRows(page, 50);
    await rows(page).first().getByRole("checkbox").check();
    await setLabels(page, "prio:high");
    await page.getByRole("link", { name: "prio: high" }).waitFor();

    await page.getByRole("table").getByRole("checkbox", { name: "Executions" }).check();
    await page.getByRole("button", { name: "Select all 51 that match" }).click();
    await page.getByText("51 selected").waitFor();
    // Another filter ends the selection: it would be one of other executions.
    await page.getByLabel("State", { exact: true }).selectOption("SUCCESS");
    await page.getByText("51 selected").waitFor({ state: "detached" });
    await page.getByRole("table").getByRole("checkbox", { name: "Executions" }).check();
    await page.getByRole("button", { name: "Select all 51 that match" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    const remove = page.getByRole("dialog").getByRole("button", { name: "Delete" });
    assertEquals(await remove.isDisabled(), true);
    await page.getByLabel("delete 51").fill("delete 51");
    await checkAccessibility(page);
    await remove.click();
    await page.getByText("Done for 51 executions: Delete").waitFor();
    await page.getByText("No execution matches the filters").waitFor();
  });
});

story("/executions: a state is assigned, a refusal is shown", async (server) => {
  await saveFlow(server, PAUSED);
  await startFlow(server, "ops/waiting");
  await withPage(server, { expectedErrors: /40\d|422/ }, async (page) => {
    await page.goto("/ui/executions");
    await waitForRows(page, 1);
    await rows(page).first().getByRole("checkbox").check();
    await setLabels(page, "prio:high");
    await page.getByText("it is PAUSED, and must have ended").waitFor();
    await page.getByRole("button", { name: "Kill" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
    await rows(page).first().getByText("KILLED").waitFor();
    await page.getByText("1 selected").waitFor({ state: "detached" });
    await rows(page).first().getByRole("checkbox").check();
    await page.getByRole("button", { name: "Change state" }).click();
    await page.getByLabel("New state").selectOption("WARNING");
    await page.getByRole("dialog").getByRole("button", { name: "Change state" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Change state" }).click();
    await rows(page).first().getByText("WARNING").waitFor();
  });
});

story("/executions: the keyboard moves, selects, replays and opens", async (server) => {
  await saveFlow(server, GOOD);
  await runFlow(server, "shop.orders/good");
  const newest = await runFlow(server, "shop.orders/good");
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/executions");
    await waitForRows(page, 2);
    await page.keyboard.press("/");
    assertEquals(
      await page.getByLabel("Search", { exact: true }).evaluate((field) => field.matches(":focus")),
      true,
    );
    await rows(page).last().getByRole("checkbox").focus();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    await page.keyboard.press("r");
    await page.getByRole("dialog", { name: "Replay" }).getByText("1 executions").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await rows(page).first().focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/ui/executions/shop.orders/good/${newest}`);
  });
});

story("/executions: a refused search is shown, and tried again", async (server) => {
  await saveFlow(server, GOOD);
  await runFlow(server, "shop.orders/good");
  await withPage(server, { expectedErrors: /422/ }, async (page) => {
    await page.goto("/ui/executions?timeRange=soon");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assertMatch(await alert.textContent() ?? "", /timeRange.*Try again/s);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await waitForRows(page, 1);
    await alert.waitFor({ state: "detached" });
  });
});
