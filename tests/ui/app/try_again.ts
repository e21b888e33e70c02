/** Failures that a page tries again by itself, too. */
import type { Locator } from "../../support/browser/browser.ts";

/**
 * Presses "Try again", and waits for the result. A page that has tried again by itself has no such button any more; then the
 * result is pressed, which does nothing.
 */
export async function tryAgain(place: Locator, result: Locator): Promise<void> {
  await place.getByRole("button", { name: "Try again" }).or(result).first().click();
  await result.waitFor();
}
