/**
 * Stories in a real browser against the real server. They are skipped, with a notice, where there is no Chromium. A
 * message of the console, an exception, a breach of the content security policy or of accessibility fails the story.
 */
import axe from "axe-core";
import { chromium, type Page } from "playwright-core";
import { fail } from "./assert.ts";
import { ServerProcess } from "./server_process.ts";
import { withTempDir } from "./temp_dir.ts";

export type { Page } from "playwright-core";

const ROOT = new URL("../../", import.meta.url).pathname;
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(isFile);
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

/** Registers a story: it gets a server with the UI and an empty data directory. */
export function story(name: string, run: (server: ServerProcess) => Promise<void>): void {
  Deno.test({ name, ignore: CHROMIUM === undefined, fn: () => withServer(run) });
}

async function withServer(run: (server: ServerProcess) => Promise<void>): Promise<void> {
  await buildUi();
  await withTempDir(async (dataDir) => {
    await using server = await ServerProcess.start({ dataDir });
    await run(server);
  });
}

/** Opens a page in a browser of its own; checks after `use` what the page reported, and its accessibility. */
export async function withPage(
  server: ServerProcess,
  options: PageOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const { size = "wide", scheme = "light", expectedErrors } = options;
    const context = await browser.newContext({
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
    await use(page);
    await checkAccessibility(page);
    const unexpected = reports.filter((report) => !expectedErrors?.test(report));
    if (unexpected.length > 0) fail(`The page reported:\n${unexpected.join("\n")}`);
  } finally {
    await browser.close();
  }
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

/** Builds the UI if its sources are newer; test files that run at the same time wait for each other. */
async function buildUi(): Promise<void> {
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
