/** Goes from view to view without loading the page again. */
import type { Page } from "../../support/browser/browser.ts";

/** Shows a view, path below `/ui`, by the router, which takes less time than a new page, unless the present view or a dialog keeps the page. */
export async function visit(page: Page, path: string): Promise<void> {
  const isThere = await page.evaluate(async (target) => {
    history.pushState(null, "", target);
    dispatchEvent(new PopStateEvent("popstate"));
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    return `${location.pathname}${location.search}` === target && !document.querySelector("dialog");
  }, `/ui${path}`);
  if (!isThere) await page.goto(`/ui${path}`);
}
