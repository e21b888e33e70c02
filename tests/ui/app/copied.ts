/** Buttons that copy a text. */
import type { Locator, Page } from "../../support/browser/browser.ts";

/** Presses a button that copies, and waits until it says that it has. It says so for a moment only: the wait begins before. */
export async function pressCopy(page: Page, button: Locator): Promise<void> {
  await Promise.all([page.getByRole("button", { name: "Copied" }).waitFor(), button.click()]);
}

/** Presses a button that copies, and gives the text. The page needs the rights of the clipboard. */
export async function copiedBy(page: Page, button: Locator): Promise<string> {
  await pressCopy(page, button);
  return await page.evaluate(() => navigator.clipboard.readText());
}
