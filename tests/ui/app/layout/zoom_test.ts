/** Every view at 200 % zoom, and in the narrowest window of WCAG 1.4.10: nothing is wider than the window. */
import { type Page, type PageStory, stories } from "../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../support/processes/server_process.ts";
import { helloIn } from "../editing.ts";
import { runFlow, saveFlow } from "../flows.ts";
import { checkWidth } from "../list_page.ts";
import { visit } from "../visit.ts";

const DOUBLE = { width: 720, height: 450 };
const FOURFOLD = { width: 320, height: 256 };
/** In CSS pixels: 1440 × 900 at 200 %, and 1280 × 1024 at 400 %. Texts of other languages are longer. */
const WINDOWS = [
  ["200 %", DOUBLE, "en"],
  ["400 % in German", FOURFOLD, "de"],
  ["400 % in French", FOURFOLD, "fr"],
] as const;
const FLOW = "flows/edit/zoomed/hello";
const PAGES = [
  "",
  "executions",
  "flows",
  "flows/new",
  FLOW,
  ...["editor", "executions", "revisions", "triggers", "logs", "files", "dependencies"].map((tab) =>
    `${FLOW}/${tab}`
  ),
  "triggers",
  "triggers?trigger=zoomed/hello/daily",
  "namespaces",
  ...["", "/flows", "/executions", "/files", "/kv", "/secrets", "/variables", "/plugin-defaults"].map((tab) =>
    `namespaces/zoomed${tab}`
  ),
  "logs",
  "plugins",
  "blueprints",
  ...["", "/processes", "/maintenance", "/tokens", "/tenants"].map((tab) => `admin${tab}`),
  "settings",
  "dashboards?create",
];
const TABS = ["", "/gantt", "/logs", "/topology", "/outputs", "/metrics"];

/** Waits until the page shows what it loads. */
async function waitForContent(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const main = document.querySelector("main");
    return main?.querySelector("h1, .empty") && !main.querySelector(".skeleton");
  });
}

async function prepare(server: ServerProcess): Promise<void> {
  await saveFlow(server, helloIn("zoomed"));
}

const ZOOMED = WINDOWS.map(([zoom, viewport, language]): PageStory => ({
  name: `no view is wider than the window at ${zoom}`,
  async run(page, server) {
    await page.setViewportSize(viewport);
    await page.goto("/ui/settings");
    await page.locator("select").filter({ hasText: "Deutsch" }).selectOption(language);
    await page.locator(`html[lang=${language}]`).waitFor();
    const execution = `executions/zoomed/hello/${await runFlow(server, "zoomed/hello")}`;
    for (const path of [...PAGES, ...TABS.map((tab) => execution + tab)]) {
      await visit(page, `/${path}`);
      await waitForContent(page);
      await checkWidth(page);
    }
  },
}));

stories("views that are enlarged", ZOOMED, { prepare });
