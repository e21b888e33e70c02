/** Scripts of a page that see something later. */
import type { Page } from "../../support/browser/browser.ts";

/** An object, because Playwright waits for the end of a script that is a promise. */
export interface Watch<Value> {
  readonly seen: Promise<Value>;
}

/**
 * Begins a script in the page and waits until it has begun: a key or a click may reach a page before a script that was sent
 * earlier. The result waits for what the script sees.
 */
export async function watchFor<Value>(
  page: Page,
  script: (argument: string) => Watch<Value>,
  argument = "",
): Promise<() => Promise<Value>> {
  const watch = await page.evaluateHandle(script, argument);
  return () => watch.evaluate(({ seen }) => seen);
}
