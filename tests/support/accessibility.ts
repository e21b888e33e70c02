/**
 * Checks of accessibility by axe-core. One check of a whole page takes a quarter of the CPU time of a story, and most elements of a
 * page are like those that an earlier story had on it. Only elements of a kind that has not passed yet are checked.
 */
import axe from "axe-core/axe.min.js";
import type { Page } from "playwright-core";
import { fail } from "./assert.ts";

interface ElementsToCheck {
  elementsToCheck: Element[];
}

/** Kinds of elements that have passed in this process. */
const passed = new Set<number>();

/** Fails if the page as it is now breaks a rule of WCAG 2.2 A or AA that axe-core knows. */
export async function checkAccessibility(page: Page): Promise<void> {
  const kinds = await page.evaluate(kindsOfElements);
  const isNew = kinds.map((kind) => !passed.has(kind));
  if (!isNew.includes(true)) return;
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(axe.source);
  const violations = await page.evaluate(findViolations, isNew);
  if (violations.length > 0) fail(`Accessibility of ${page.url()}:\n${violations.join("\n")}`);
  for (const kind of kinds) passed.add(kind);
}

/**
 * Runs in the page. The kind of each element in the order of the document: a hash of what rules read, of the element and all that
 * contain it. Colours, roles of children, and whether names and references exist are part of it; texts and addresses are not.
 */
function kindsOfElements(): number[] {
  const NAMED = /^(?:a|button|label|th|h\d|summary|title|option|legend|caption|figcaption)$/;
  const REFERENCES = /^(?:aria-(?:labelledby|describedby|controls|owns|activedescendant|details)|for)$/;
  const VALUES = /^(?:role|class|type|tabindex|lang|scope|autocomplete|aria-.*)$/;
  const WORD = /^[a-z]*$/i;
  const numbers = new Map<Element, number>();
  const hash = (text: string, start: number) => {
    let result = start;
    for (let index = 0; index < text.length; index++) {
      result = Math.imul(result ^ text.charCodeAt(index), 16_777_619);
    }
    return result;
  };
  const attribute = ({ name, value }: Attr) => {
    if (REFERENCES.test(name)) {
      return `${name}=${value.split(/\s+/).map((id) => document.getElementById(id) !== null)}`;
    }
    const isKept = name === "role" || name === "class" || VALUES.test(name) && WORD.test(value);
    return isKept ? `${name}=${value}` : `${name} ${value.trim() === "" ? "" : "filled"}`;
  };
  const roleOf = (element: Element) => element.getAttribute("role") ?? element.localName;
  const describe = (element: Element) => {
    const { color, backgroundColor, opacity, fontSize, fontWeight, display, visibility } = getComputedStyle(
      element,
    );
    const { labels } = element as HTMLInputElement;
    const isNamed = NAMED.test(element.localName) || element.hasAttribute("role");
    const ownText = [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim());
    return [
      element.localName,
      [...element.attributes].map(attribute).sort(),
      [color, backgroundColor, opacity, fontSize, fontWeight, display, visibility],
      ownText,
      isNamed && element.textContent?.trim() !== "",
      labels?.length,
      [...new Set(Array.from(element.children, roleOf))].sort(),
    ].join("|");
  };
  const page = `${innerWidth} ${matchMedia("(prefers-color-scheme: dark)").matches} ${document.title === ""}`;
  // Kept until `findViolations`, as a page that is live may have other elements by then.
  const elements = [...document.querySelectorAll("*")];
  (globalThis as unknown as ElementsToCheck).elementsToCheck = elements;
  return elements.map((element) => {
    const parent = element.parentElement && numbers.get(element.parentElement);
    const kind = hash(describe(element), parent ?? hash(page, 2_166_136_261));
    numbers.set(element, kind);
    return kind;
  });
}

/** Runs in the page. Checks the elements that are marked, or the page if its root is. */
async function findViolations(isNew: readonly boolean[]): Promise<string[]> {
  const { axe, elementsToCheck } = globalThis as unknown as ElementsToCheck & {
    axe: typeof import("axe-core");
  };
  const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const elements = elementsToCheck.filter((element, index) => isNew[index] && element.isConnected);
  const isWhole = isNew[0] === true || elements.length === 0;
  const context = isWhole ? document : { include: elements };
  // The selectors of all other nodes take two thirds of the time.
  const result = await axe.run(context as import("axe-core").ElementContext, {
    runOnly,
    resultTypes: ["violations"],
  });
  return result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary}`)
  );
}
