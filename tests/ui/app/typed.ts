/** A text that a person types just before another action. */
import type { Locator, Page } from "../../support/browser/browser.ts";

/** Types into a search field, acts before the pause of typing is over, and lets it pass. The clock must be installed. */
export async function typeBefore(page: Page, field: Locator, act: () => Promise<void>): Promise<void> {
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 60_000));
  await field.fill("late");
  await act();
  await page.clock.runFor(1_000);
  await page.clock.resume();
}
