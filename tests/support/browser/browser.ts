/**
 * Stories in a real browser against the real server. They are skipped, with a notice, where there is no Chromium. A
 * message of the console, an exception, a breach of the content security policy or of accessibility, and a request that
 * the OpenAPI description does not have, fail the story.
 */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type ConsoleMessage,
  type Page,
  type Request,
} from "playwright-core";
import type { JsonObject } from "../../../src/base/json.ts";
import { Description } from "../../fuzz/http/description.ts";
import { fail } from "../assert.ts";
import { ServerProcess, type ServerProcessOptions } from "../processes/server_process.ts";
import { withTempDir } from "../temp_dir.ts";
import { checkAccessibility } from "./accessibility.ts";

export type { Browser, Locator, Page } from "playwright-core";
export { checkAccessibility } from "./accessibility.ts";

/** The first needs two thirds of the time of the others. */
const CHROMIUM = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
].find(isFile);
/** Those that playwright disables, because the option replaces its own, and new frames for each navigation: a tenth of the time of pages. */
const DISABLED_FEATURES = [
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"],
  ...["HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding", "OptimizationHints"],
  ...["ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "NetworkTimeServiceQuerying"],
  ...["AimEnabled", "PreconnectToSearch", "RenderDocument"],
];
/** Pages of servers share a process, which has compiled the scripts already: a tenth of the processor time. */
const ONE_PROCESS = ["--renderer-process-limit=1", "--disable-site-isolation-trials"];
/** Drawing and the network in the process of the browser: messages between processes take another tenth. */
const IN_PROCESS = ["--in-process-gpu", "--enable-features=NetworkServiceInProcess2"];
const BROWSER_ARGS = [
  "--no-sandbox",
  ...ONE_PROCESS,
  ...IN_PROCESS,
  `--disable-features=${DISABLED_FEATURES}`,
];
const SIZES = { wide: { width: 1440, height: 900 }, small: { width: 390, height: 844 } };
/** Names of the sizes, for stories that run at each. */
export const SIZE_NAMES = ["wide", "small"] as const;
/** Longest time for one step of a story; a page is drawn in a fraction of it on a machine that does nothing else. */
const STEP_TIMEOUT_MS = 60_000;
/** Longest time for a story: scripts in a page, keys and the mouse are steps without a limit of their own. */
const STORY_TIMEOUT_MS = 600_000;

if (CHROMIUM === undefined) {
  await Deno.stderr.write(new TextEncoder().encode("Stories of the UI are skipped: there is no Chromium\n"));
}

/** Options of the server of stories. */
type StoryServer = Pick<ServerProcessOptions, "args" | "env">;

/** One of several stories on the same server. */
export interface PageStory {
  readonly name: string;
  /** 1440 × 900, or 390 × 844. */
  readonly size?: keyof typeof SIZES;
  readonly scheme?: "light" | "dark";
  /** Console messages that the story causes on purpose. */
  readonly expectedErrors?: RegExp;
  /** True if the story changes the page beyond what can be reset, for example its clock. */
  readonly needsOwnPage?: boolean;
  readonly run: (page: Page, server: ServerProcess) => Promise<void>;
}

/** What a group of stories starts from. */
export interface StoryGroup extends StoryServer {
  /** Stories on the server before `prepare`. */
  readonly before?: readonly PageStory[];
  /** Fills the server. */
  readonly prepare?: (server: ServerProcess) => Promise<void>;
}

/**
 * Registers stories that share a server, a browser and a page: starting them takes longer than most stories, and a page that
 * has loaded the scripts does not compile them again. They run in their order. Each works in a namespace of its own and leaves
 * alone what the others use.
 */
export function stories(
  subject: string,
  list: readonly PageStory[],
  { before = [], prepare, ...options }: StoryGroup = {},
): void {
  shareBrowser();
  const fn = (test: Deno.TestContext) =>
    withServer(options, async (server) => {
      await using page = new SharedPage(server);
      for (const each of before) await runStory(test, each, page);
      await prepare?.(server);
      for (const each of list) await runStory(test, each, page);
    });
  Deno.test({ name: subject, ignore: CHROMIUM === undefined, fn });
}

/** The browser of the groups of stories in this module of tests; another one follows when it was closed. */
let shared: Browser | undefined;
let isShared = false;

/** Starts a browser before the first test of the module, and closes it after the last one. */
function shareBrowser(): void {
  if (isShared || CHROMIUM === undefined) return;
  isShared = true;
  Deno.test.beforeAll(async () => {
    shared = await launch();
  });
  Deno.test.afterAll(async () => {
    await shared?.close();
  });
}

async function runStory(test: Deno.TestContext, story: PageStory, page: SharedPage): Promise<void> {
  await test.step({
    name: story.name,
    // The browser outlives the step; the test checks what is left open.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () => page.run(story),
  });
}

/** A page for one story after the other. Between two of them it loses its storage, routes, headers and permissions. */
class SharedPage implements AsyncDisposable {
  readonly #server: ServerProcess;
  #context: BrowserContext | undefined;

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  async run(story: PageStory): Promise<void> {
    if (story.needsOwnPage) await this[Symbol.asyncDispose]();
    let isReusable = false;
    try {
      await withinTime(this.#tell(story));
      isReusable = !story.needsOwnPage;
    } finally {
      if (!isReusable) await this[Symbol.asyncDispose]();
    }
  }

  async #tell(story: PageStory): Promise<void> {
    if (!shared?.isConnected()) shared = await launch();
    this.#context ??= await newContext(shared, this.#server);
    const page = this.#context.pages()[0] ?? await this.#context.newPage();
    await page.setViewportSize(SIZES[story.size ?? "wide"]);
    await page.emulateMedia({ colorScheme: story.scheme ?? "light" });
    await watchPage(page, story.expectedErrors, () => story.run(page, this.#server));
    if (!story.needsOwnPage) await reset(page);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const context = this.#context;
    this.#context = undefined;
    // A browser that was closed has closed it.
    if (context?.browser()?.isConnected()) await context.close();
  }
}

/** Fails when a story takes too long. The browser is closed then: the step that the story waits for fails and is named as the cause. */
async function withinTime(story: Promise<void>): Promise<void> {
  const closed = Promise.withResolvers<never>();
  let closing: Promise<void> | undefined;
  const timer = setTimeout(async () => {
    await (closing = shared?.close() ?? Promise.resolve());
    closed.reject(new Error("The story waits for something outside the browser"));
  }, STORY_TIMEOUT_MS);
  try {
    await Promise.race([story, closed.promise]);
  } catch (cause) {
    if (!closing) throw cause;
    await closing;
    throw new Error(`The story has not ended after ${STORY_TIMEOUT_MS / 1_000} s`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

async function reset(page: Page): Promise<void> {
  const context = page.context();
  await context.setOffline(false);
  await page.unrouteAll();
  // A page of the same process that runs no script of the application, which could store something or send a request.
  await page.goto("/ui/assets/icon.svg", { waitUntil: "commit" });
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  // The page of the story would draw itself again for these.
  await context.clearCookies();
  await context.clearPermissions();
  await page.setExtraHTTPHeaders({});
  await page.mouse.move(0, 0);
}

async function withServer(
  options: StoryServer,
  run: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dataDir) => {
    await using server = await ServerProcess.start({ ...options, dataDir });
    await run(server);
  });
}

/** Runs `use` with a browser, and closes it. */
export async function withBrowser(use: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await launch();
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}

function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: BROWSER_ARGS });
}

async function newContext(
  browser: Browser,
  server: ServerProcess,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: server.url,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    ...options,
  });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  return context;
}

/** Uses a page of the same size in a browser with another language. */
export async function withPageOfLocale(
  locale: string,
  page: Page,
  server: ServerProcess,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const browser = page.context().browser();
  if (!browser) fail("The page has no browser");
  await using context = await newContext(browser, server, { locale, viewport: page.viewportSize() });
  await use(await context.newPage());
}

/** Checks after `use` what the page reported and requested, and its accessibility. */
async function watchPage(
  page: Page,
  expectedErrors: RegExp | undefined,
  use: () => Promise<void>,
): Promise<void> {
  const reports: string[] = [];
  const requests = new Set<string>();
  using _ = listen(page, reports, requests);
  await use();
  await checkAccessibility(page);
  const unexpected = reports.filter((report) => !expectedErrors?.test(report));
  if (unexpected.length > 0) fail(`The page reported:\n${unexpected.join("\n")}`);
  await checkDescribed(page, requests);
}

/** Collects messages of the console, exceptions, and requests to the API as method and path. */
function listen(page: Page, reports: string[], requests: Set<string>): Disposable {
  // Chromium writes breaches of the content security policy to the console, too.
  const onMessage = (message: ConsoleMessage) => {
    if (["error", "warning"].includes(message.type())) {
      reports.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    }
  };
  const onException = (error: Error) => reports.push(`exception: ${error.stack || error.message}`);
  const onRequest = (request: Request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) requests.add(`${request.method()} ${pathname}`);
  };
  page.on("console", onMessage).on("pageerror", onException).on("request", onRequest);
  return {
    [Symbol.dispose]() {
      page.off("console", onMessage).off("pageerror", onException).off("request", onRequest);
    },
  };
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

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
