/** A source that another view opens in the editor of a new flow. It survives a reload of the page. */
import { pagePath } from "../../core/places.ts";
import { navigate } from "../../core/router.ts";

const KEY = "sluice.draft";

/** Opens the editor of a new flow with a source. */
export function openDraft(source: string): void {
  try {
    sessionStorage.setItem(KEY, source);
  } catch {
    // Without storage the editor begins with its own template.
  }
  navigate(`${pagePath("flows", "new")}?draft=1`);
}

/** The source that was given last. */
export function readDraft(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
