/** Requests and responses that a story holds back, as a slow connection does. */
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

/** A response that waits. */
interface HeldResponse {
  /** Waits until the server has answered. */
  readonly begun: Promise<void>;
  /** Hands it to the page. */
  release(): void;
}

/** Holds the first response to a path back; `path` is a pattern of Playwright. */
export async function holdResponse(page: Page, path: string): Promise<HeldResponse> {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(path, async (route) => {
    const response = await route.fetch();
    begun.resolve();
    await released.promise;
    await route.fulfill({ response });
  }, { times: 1 });
  return { begun: begun.promise, release: () => released.resolve() };
}

/** Releases a request, and waits until the page has handled the response to that path. */
export async function afterResponse(page: Page, path: string, release: () => void): Promise<void> {
  const finished = page.waitForEvent("requestfinished", (request) => request.url().includes(path));
  release();
  await finished;
  // The page has drawn what follows from the response.
  await page.evaluate(() =>
    new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  );
}
