/** Presses everything that a view offers, and notes the requests that the person has no right to. */
import { hasRight, type Right, type Role } from "../../../src/model/access/role.ts";
import { CONFIGS_PATH } from "../../../src/http/pipeline/mount.ts";
import { declaredRight, declaredRoutes } from "../../../src/http/pipeline/route_rights.ts";
import type { Page } from "../../support/browser/browser.ts";

const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** Status of requests that are kept from the server, so that what is pressed changes nothing. */
export const NOT_SENT = 418;

/** Needs no credentials, so no right is declared. */
const OPEN_PATH = relativePath(CONFIGS_PATH);
/** Declared routes with their patterns: making one takes longer than hundreds of comparisons. */
const ROUTES = declaredRoutes().map((route) => {
  const [method = "", pathname = ""] = route.split(" ");
  return { method, pathname, pattern: new URLPattern({ pathname }) };
});

/** What the server says a request to the path needs. */
function rightFor(method: string, path: string): Right {
  const pathname = relativePath(path);
  if (pathname === OPEN_PATH) return "read";
  const matching = ROUTES.filter((route) => route.method === method && route.pattern.test({ pathname }));
  const [nearest] = matching.sort((a, b) => a.pathname.split(":").length - b.pathname.split(":").length);
  return (nearest && declaredRight(method, nearest.pathname)) ?? "administer";
}

/** As routes are declared. */
function relativePath(path: string): string {
  return path.replace(/^\/api\/v1(\/main(?=\/))?/, "");
}

/** Requests of a page that its person has no right to. Those that would change something are not sent. */
export async function watchRights(page: Page, role: Role): Promise<ReadonlySet<string>> {
  const refused = new Set<string>();
  await page.route("**/api/v1/**", async (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    const right = rightFor(request.method(), pathname);
    if (!hasRight(role, right)) {
      refused.add(`${new URL(page.url()).pathname}: ${request.method()} ${pathname}`);
    }
    if (READS.has(request.method()) || right === "read") return await route.continue();
    await route.fulfill({ status: NOT_SENT, json: { message: "not sent" } });
  });
  return refused;
}

/**
 * Presses each button of the view once, confirms what it asks, and presses the keys of lists and editors. Those in `pressed`,
 * to which it adds its own, are left out. Gives the addresses of links to the API that the role may not read.
 */
export async function pressEverything(page: Page, role: Role, pressed: Set<string>): Promise<string[]> {
  for (const button of await page.evaluate(pressButtons, [...pressed])) pressed.add(button);
  for (const key of ["j", "x", ".", "r", "ControlOrMeta+s", "ControlOrMeta+Enter"]) {
    await page.keyboard.press(key);
    await page.evaluate(closeDialogs);
  }
  const links = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLAnchorElement>('a[href*="/api/v1/"]')].map(({ pathname }) => pathname)
  );
  return links.filter((pathname) => !hasRight(role, rightFor("GET", pathname)));
}

/** Runs in the page, so it uses nothing of this module. Gives what is pressed now, and what was before. */
async function pressButtons(before: readonly string[]): Promise<string[]> {
  const MAX = 80;
  const start = location.pathname;
  const send = fetch;
  let sending = 0;
  globalThis.fetch = async (...request: Parameters<typeof fetch>) => {
    sending++;
    try {
      return await send(...request);
    } finally {
      sending--;
    }
  };
  const pressed = new Set(before);
  // The head of a view is the same on all of its tabs.
  const placeOf = (element: Element) =>
    element.closest(".view-head")?.querySelector("h1")?.textContent ?? start;
  const nameOf = (element: Element) =>
    `${placeOf(element)} ${element.tagName} ${element.ariaLabel ?? ""} ${element.textContent} ${
      element.closest("[role=menu]") !== null
    }`
      .replaceAll(/\d+/g, "0");
  for (let count = 0; count < MAX; count++) {
    await drawn();
    const all = document.querySelectorAll<HTMLElement>(
      "main :is(button, summary, input[type=checkbox]), [role=menuitem]",
    );
    const next = [...all].find((element) =>
      element.checkVisibility() && !element.matches(":disabled, [aria-disabled=true]") &&
      !pressed.has(nameOf(element))
    );
    if (!next) break;
    pressed.add(nameOf(next));
    next.click();
    await drawn();
    await confirmDialog();
    if (location.pathname !== start) {
      const isBack = new Promise((resolve) => addEventListener("popstate", resolve, { once: true }));
      history.back();
      await isBack;
      await drawn();
    }
  }
  globalThis.fetch = send;
  return [...pressed];

  /** Waits until what was pressed is drawn, and nothing is loaded or sent. */
  async function drawn(): Promise<void> {
    for (let turn = 0; turn < 3 || sending > 0 || document.querySelector(".skeleton"); turn++) {
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  async function confirmDialog(): Promise<void> {
    const dialog = document.querySelector("dialog");
    if (!dialog) return;
    const phrase = dialog.querySelector("label > code")?.textContent;
    for (const field of dialog.querySelectorAll<HTMLInputElement>("label input:not([type=checkbox])")) {
      if (field.value === "" && field.type !== "file" && !field.type.startsWith("date")) {
        field.value = phrase ?? "1";
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }
    for (const form of dialog.querySelectorAll("form")) form.noValidate = true;
    await drawn();
    for (const button of dialog.querySelectorAll<HTMLButtonElement>("footer :is(.primary, .danger)")) {
      button.click();
    }
    await drawn();
    document.querySelector<HTMLButtonElement>("dialog header button")?.click();
    await drawn();
  }
}

async function closeDialogs(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve));
  document.querySelector<HTMLButtonElement>("dialog footer :is(.primary, .danger)")?.click();
  document.querySelector<HTMLButtonElement>("dialog header button")?.click();
}
