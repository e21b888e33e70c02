/** Saves that a story holds back, as a slow connection does. */
import type { Page } from "../../support/browser/browser.ts";

/** Requests that wait. */
interface HeldSaves {
  /** Waits until the first one was sent. */
  readonly begun: Promise<void>;
  /** How many were sent. */
  count(): number;
  /** Sends these and all later ones. */
  release(): void;
}

/** Holds the requests of a page to a path that change something; `path` is a pattern of Playwright. */
export async function holdSaves(page: Page, path: string): Promise<HeldSaves> {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  await page.route(path, async (route) => {
    if (route.request().method() !== "GET") {
      count++;
      begun.resolve();
      await released.promise;
    }
    await route.continue();
  });
  return { begun: begun.promise, count: () => count, release: () => released.resolve() };
}
