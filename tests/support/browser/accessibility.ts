/**
 * The rules of WCAG 2.2 A and AA that axe-core knows. Each element is checked in each form in which the stories of a run show it, but
 * once in each: a check takes as long as the story, and most of a page looks as it did in the story before.
 */
import axe from "axe-core/axe.min.js";
import type { CDPSession, Page } from "playwright-core";
import { fail } from "../assert.ts";
import { CheckedForms } from "./checked_forms.ts";
import { elementForms, type ReadPage } from "./element_forms.ts";

const checked = new CheckedForms(Deno.env.get("SLUICE_CHECKED_FORMS"));

/**
 * Fails if the page as it is now breaks a rule of WCAG 2.2 A or AA that axe-core knows. Scrolls to its top before: elsewhere the bar
 * covers a part of what is below it, which looks as if it were too small.
 */
export async function checkAccessibility(page: Page): Promise<void> {
  await page.evaluate(() => scrollTo(0, 0));
  const { window, hashes } = await page.evaluate(elementForms);
  const unknown = checked.unknown(window, hashes);
  if (unknown.length === 0) return;
  if (!await page.evaluate(() => "axe" in globalThis)) await evaluateScript(page, axe.source);
  const { violations, isSame } = await page.evaluate(runAxe, unknown.map((hash) => hashes.indexOf(hash)));
  if (violations.length > 0) fail(`Accessibility of ${page.url()}:\n${violations.join("\n")}`);
  if (isSame) checked.add(window, unknown);
}

/** Sessions of pages. */
const sessions = new WeakMap<Page, Promise<CDPSession>>();

/** Runs a long script. `page.evaluate()` takes twice as long for one of this size. */
async function evaluateScript(page: Page, expression: string): Promise<void> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, session);
  const { exceptionDetails } = await (await session).send("Runtime.evaluate", { expression });
  if (exceptionDetails) fail(`The script fails: ${exceptionDetails.text}`);
}

/**
 * What of the elements with these numbers breaks a rule, and whether the page has not changed since its forms were read. If it has
 * changed before, all elements are checked.
 */
async function runAxe(
  numbers: readonly number[],
): Promise<{ readonly violations: string[]; readonly isSame: boolean }> {
  const { axe, readPage } = globalThis as unknown as { axe: typeof import("axe-core"); readPage: ReadPage };
  const { elements, changes } = readPage;
  // Changes that the observer has not reported yet count, too.
  const hasChanged = () => readPage.hasChanged ||= changes.takeRecords().length > 0;
  const include = new Set(numbers.flatMap((number) => elements[number] ?? []));
  const exclude = [...include].flatMap(({ children }) => [...children]).filter((child) =>
    !include.has(child)
  );
  // Rules of whole pages are applied only without a scope.
  const isWhole = hasChanged() || include.has(document.documentElement);
  const scope = isWhole ? document : { include: [...include], exclude } as unknown as axe.ContextObject;
  const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  // The selectors of all other nodes take two thirds of the time; copies of the styles are not needed.
  const preload = { assets: ["media"] };
  const result = await axe.run(scope, { runOnly, preload, resultTypes: ["violations"] });
  const isSame = !hasChanged();
  changes.disconnect();
  const violations = result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary}`)
  );
  return { violations, isSame };
}
