/** Buttons that copy a text. */
import type { Locator, Page } from "../../support/browser/browser.ts";

/** Presses a button that copies, and waits until it says that it has. It says so for a moment only: the page itself watches. */
export async function pressCopy(page: Page, button: Locator): Promise<void> {
  const isCopied = await page.evaluateHandle(() => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const observer = new MutationObserver(() => {
      const buttons = [...document.querySelectorAll("button")];
      if (!buttons.some(({ textContent, ariaLabel }) => textContent === "Copied" || ariaLabel === "Copied")) {
        return;
      }
      observer.disconnect();
      resolve();
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    return { promise };
  });
  await button.click();
  await isCopied.evaluate(({ promise }) => promise);
}

/** Presses a button that copies, and gives the text. The page needs the rights of the clipboard. */
export async function copiedBy(page: Page, button: Locator): Promise<string> {
  await pressCopy(page, button);
  return await page.evaluate(() => navigator.clipboard.readText());
}
