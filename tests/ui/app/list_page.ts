/** What stories of lists share. */
import type { Page } from "../../support/browser/browser.ts";
import { assertEquals } from "../../support/assert.ts";
import { saveFlow } from "./flows.ts";
import type { ServerProcess } from "../../support/processes/server_process.ts";

/** A type of the core plugin. */
export const CORE = "io.svc.plugin.core.";

/** Stores a flow of that namespace from the rest of its source. */
export function saveIn(server: ServerProcess, namespace: string, id: string, rest: string): Promise<void> {
  return saveFlow(server, `id: ${id}\nnamespace: ${namespace}\n${rest}`);
}

/** Sources of flows without id and namespace. */
export const SOURCES = {
  good: `labels: {team: sales}\ntasks: [{id: log, type: ${CORE}log.Log, message: fine}]`,
  bad: `tasks: [{id: fail, type: ${CORE}execution.Fail, errorMessage: closed}]`,
  paused: `tasks: [{id: ask, type: ${CORE}flow.Pause}]`,
} as const;

/** Rows of the table of that name. */
export function rowsOf(page: Page, table: string) {
  return page.getByRole("table", { name: table, exact: true }).locator("tbody tr");
}

/** Waits until the table has exactly so many rows. */
export async function waitForRows(page: Page, table: string, count: number): Promise<void> {
  const rows = rowsOf(page, table);
  await rows.nth(count).waitFor({ state: "detached" });
  // Last: while the table loads, it has no rows at all.
  await rows.nth(count - 1).waitFor();
}

/** Presses a key and then another. Both are sent at once: a slow machine must not let the time for the second one pass. */
export async function pressBoth(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}

/** Confirms the question with that title, after typing its phrase. */
export async function confirm(page: Page, title: string, phrase?: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: title });
  if (phrase !== undefined) {
    assertEquals(await dialog.getByRole("button", { name: title }).isDisabled(), true);
    await dialog.getByLabel(phrase, { exact: true }).fill(phrase);
  }
  await dialog.getByRole("button", { name: title }).click();
  await dialog.waitFor({ state: "detached" });
}

/** Content of the file that a click on this link downloads. */
export async function downloadOf(page: Page, link: string): Promise<string> {
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: link }).click();
  return await Deno.readTextFile(await (await download).path());
}

/** Saves the present filters as a view, finds them again by it, removes it, takes the removal back, and removes it again. */
export async function tryViews(page: Page, path: string, isFiltered: () => Promise<void>): Promise<void> {
  const menu = page.getByText("Saved views", { exact: true });
  await menu.click();
  await page.getByLabel("Name of the view").fill("Mine");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.goto(path);
  await menu.click();
  await page.getByRole("link", { name: "Mine" }).click();
  await isFiltered();
  await menu.click();
  await page.getByRole("button", { name: "Remove the view Mine" }).click();
  // Soon: the button goes after some seconds.
  await page.getByRole("button", { name: "Undo" }).click();
  await menu.click();
  await page.getByRole("link", { name: "Mine" }).waitFor();
  await page.getByRole("button", { name: "Remove the view Mine" }).click();
  await page.getByRole("link", { name: "Mine" }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
}

/** Loses the connection, sees that the page says so, and that the message goes with the cause. */
export async function tryLostConnection(page: Page): Promise<void> {
  await page.context().setOffline(true);
  const alert = page.getByRole("alert").getByText("The server cannot be reached");
  await alert.first().waitFor();
  await page.context().setOffline(false);
  await alert.first().waitFor({ state: "detached" });
}

/** Messages of the console while a page has no connection. */
export const LOST_CONNECTION = /ERR_INTERNET_DISCONNECTED/;

/** Fails if the page is wider than the window. */
export async function checkWidth(page: Page): Promise<void> {
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assertEquals(excess <= 0, true, `${page.url()} is ${excess} px too wide`);
}
