/**
 * Stories in a real browser against the real server. They are skipped, with a notice, where there is no Chromium. A
 * message of the console, an exception, a breach of the content security policy or of accessibility, and a request that
 * the OpenAPI description does not have, fail the story.
 */
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import type { JsonObject } from "../../src/base/json.ts";
import { Description } from "../fuzz/http/description.ts";
import { fail } from "./assert.ts";
import { ServerProcess, type ServerProcessOptions } from "./server_process.ts";
import { withTempDir } from "./temp_dir.ts";

export type { Browser, Page } from "playwright-core";

const ROOT = new URL("../../", import.meta.url).pathname;
/** The first needs two thirds of the time of the others. */
const CHROMIUM = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
].find(isFile);
const SIZES = { wide: { width: 1440, height: 900 }, small: { width: 390, height: 844 } };
/** Longest time for one step of a story; a page is drawn in a fraction of it on a machine that does nothing else. */
const STEP_TIMEOUT_MS = 60_000;

/** How a page is opened. */
export interface PageOptions {
  /** 1440 × 900, or 390 × 844. */
  readonly size?: keyof typeof SIZES;
  readonly scheme?: "light" | "dark";
  /** Console messages that the story causes on purpose. */
  readonly expectedErrors?: RegExp;
}

if (CHROMIUM === undefined) {
  await Deno.stderr.write(new TextEncoder().encode("Stories of the UI are skipped: there is no Chromium\n"));
}

/** Options of the server of a story. */
export type StoryServer = Pick<ServerProcessOptions, "args" | "env">;

/** One of several stories on the same server. */
export interface PageStory extends PageOptions {
  readonly name: string;
  readonly run: (page: Page, server: ServerProcess) => Promise<void>;
}

/** Registers a story: it gets a server with the UI and an empty data directory. */
export function story(
  name: string,
  run: (server: ServerProcess) => Promise<void>,
  options: StoryServer = {},
): void {
  Deno.test({ name, ignore: CHROMIUM === undefined, fn: () => withServer(options, run) });
}

/**
 * Registers stories that share a server and a browser, which takes a fraction of the time. Each gets a page of its own, and
 * must leave alone what the others use: it works in a namespace of its own. `prepare` fills the server beforehand.
 */
export function stories(
  subject: string,
  list: readonly PageStory[],
  { prepare, ...options }: StoryServer & { readonly prepare?: (server: ServerProcess) => Promise<void> } = {},
): void {
  const fn = (test: Deno.TestContext) =>
    withServer(options, async (server) => {
      await prepare?.(server);
      await withBrowser(async (browser) => {
        for (const { name, run, ...page } of list) {
          await test.step({
            name,
            // The browser outlives the step; the test checks what is left open.
            sanitizeOps: false,
            sanitizeResources: false,
            fn: () => openPage(browser, server, page, (opened) => run(opened, server)),
          });
        }
      });
    });
  Deno.test({ name: subject, ignore: CHROMIUM === undefined, fn });
}

async function withServer(
  options: StoryServer,
  run: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  await buildUi();
  await withTempDir(async (dataDir) => {
    await using server = await ServerProcess.start({ ...options, dataDir });
    await run(server);
  });
}

/** Runs `use` with a browser, and closes it. */
export async function withBrowser(use: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}

/** Opens a page in a browser of its own; checks after `use` what the page reported, and its accessibility. */
export async function withPage(
  server: ServerProcess,
  options: PageOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  await withBrowser((browser) => openPage(browser, server, options, use));
}

async function openPage(
  browser: Browser,
  server: ServerProcess,
  { size = "wide", scheme = "light", expectedErrors }: PageOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  await using context = await browser.newContext({
    baseURL: server.url,
    viewport: SIZES[size],
    colorScheme: scheme,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  const page = await context.newPage();
  const reports = reportsOf(page);
  const requests = requestsOf(page);
  await use(page);
  await checkAccessibility(page);
  const unexpected = reports.filter((report) => !expectedErrors?.test(report));
  if (unexpected.length > 0) fail(`The page reported:\n${unexpected.join("\n")}`);
  await checkDescribed(page, requests);
}

/** Fails if the page as it is now breaks a rule of WCAG 2.2 A or AA that axe-core knows. */
export async function checkAccessibility(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
    const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const result = await axe.run({ runOnly });
    return result.violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary}`)
    );
  });
  if (violations.length > 0) fail(`Accessibility of ${page.url()}:\n${violations.join("\n")}`);
}

/** Chromium writes breaches of the content security policy to the console, too. */
function reportsOf(page: Page): string[] {
  const reports: string[] = [];
  page.on("pageerror", (error) => reports.push(`exception: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      reports.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    }
  });
  return reports;
}

/** The requests to the API, as method and path. */
function requestsOf(page: Page): ReadonlySet<string> {
  const requests = new Set<string>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) requests.add(`${request.method()} ${pathname}`);
  });
  return requests;
}

/** Fails on a request that scripts could not know of. A server that asks who calls is described once a page has logged in. */
async function checkDescribed(page: Page, requests: ReadonlySet<string>): Promise<void> {
  const description = await readDescription(page);
  const missing = [...requests].filter((request) => {
    const [method = "", path = ""] = request.split(" ");
    return description?.matching(method, path).length === 0;
  });
  if (missing.length > 0) fail(`Requests that the OpenAPI description does not have:\n${missing.join("\n")}`);
}

/** The same for all servers of a build. */
let known: Description | undefined;

async function readDescription(page: Page): Promise<Description | undefined> {
  if (known) return known;
  const response = await page.request.get("/openapi.json");
  if (response.ok()) known = new Description(await response.json() as JsonObject);
  return known;
}

/** Builds the UI if its sources are newer; test files that run at the same time wait for each other. */
export async function buildUi(): Promise<void> {
  using lock = await Deno.open(`${ROOT}src/ui/build.ts`);
  await lock.lock(true);
  const args = ["run", "-A", "--no-check", "src/ui/build.ts"];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).output();
  if (!success) fail(`Cannot build the UI:\n${new TextDecoder().decode(stderr)}`);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
