/** `deno task docs:images`: pictures of the views in `docs/images/`, of a server with flows and executions as people have. */
import { buildServer } from "../../../src/server/build.ts";
import { type Browser, type Page, withBrowser } from "./browser.ts";
import { ServerProcess } from "../processes/server_process.ts";
import { smallPng } from "./small_png.ts";
import { withTempDir } from "../temp_dir.ts";

const FOLDER = new URL("../../../docs/images/", import.meta.url).pathname;
const VIEWPORT = { width: 1440, height: 900 };
/** Of one picture; a larger one is reported. */
const MAX_BYTES = 120_000;
const CORE = "io.svc.plugin.core";

const ORDERS = `id: import_orders
namespace: shop.orders
description: Loads the orders of each region, checks them and books the total.
labels:
  team: orders
inputs:
  - id: regions
    type: ARRAY
    itemType: STRING
    defaults: ["north", "south", "west"]
tasks:
  - id: each_region
    type: ${CORE}.flow.ForEach
    values: "{{ inputs.regions }}"
    concurrencyLimit: 2
    tasks:
      - id: load
        type: io.svc.plugin.scripts.shell.Script
        script: |
          echo "Loading orders of {{ taskrun.value }}"
          sleep 0.4
          echo '::{"outputs": {"orders": 42}}::'
      - id: check
        type: ${CORE}.log.Log
        message: "Orders of {{ taskrun.value }} are complete"
  - id: prices
    type: ${CORE}.flow.Parallel
    tasks:
      - id: convert
        type: io.svc.plugin.scripts.shell.Script
        script: sleep 0.7
      - id: discounts
        type: io.svc.plugin.scripts.shell.Script
        script: sleep 0.3
  - id: book
    type: ${CORE}.debug.Return
    format: "{{ inputs.regions | length }} regions booked"
outputs:
  - id: result
    type: STRING
    value: "{{ outputs.book.value }}"
triggers:
  - id: every_quarter
    type: ${CORE}.trigger.Schedule
    cron: "*/15 * * * *"
`;
const CARDS = `id: charge_cards
namespace: shop.billing
labels:
  team: billing
inputs:
  - id: day
    type: STRING
    defaults: "2026-11-20"
tasks:
  - id: open_invoices
    type: io.svc.plugin.scripts.shell.Script
    script: |
      echo "Reading invoices of {{ inputs.day }}"
      sleep 0.3
  - id: charge
    type: io.svc.plugin.scripts.shell.Script
    script: |
      echo "Charging 128 cards"
      sleep 0.2
      echo "card 57: the bank did not respond within 30 s" >&2
      exit 1
  - id: receipts
    type: ${CORE}.log.Log
    message: Receipts are sent
triggers:
  - id: nightly
    type: ${CORE}.trigger.Schedule
    cron: "0 2 * * *"
`;
const REPORT = `id: weekly_report
namespace: reports
tasks:
  - id: collect
    type: ${CORE}.debug.Return
    format: 1,204 orders
  - id: approval
    type: ${CORE}.flow.Pause
  - id: publish
    type: ${CORE}.log.Log
    message: "Published: {{ outputs.collect.value }}"
triggers:
  - id: mondays
    type: ${CORE}.trigger.Schedule
    cron: "0 8 * * 1"
`;

/** The user of the pictures: views of users and of the audit log are empty without a log-in. */
const [USER, PASSWORD] = ["anna@example.org", "correct:horse"];
const AUTHORIZATION = { authorization: `Basic ${btoa(`${USER}:${PASSWORD}`)}` };
const USERS = [
  { username: "ben@example.org", role: "editor" },
  { username: "chloe@example.org", role: "viewer" },
  { username: "dev@example.org", role: "editor", tenants: ["research"] },
];

/** Executions by name. */
type Ids = Readonly<Record<"orders" | "cards", string>>;

/** A picture: the address, and the text that is there once the view is drawn. */
interface Picture {
  readonly path: (ids: Ids) => string;
  readonly shows: string | RegExp;
}

const ORDERS_PATH = "/ui/executions/shop.orders/import_orders";
const PICTURES: Readonly<Record<string, Picture>> = {
  dashboard: { path: () => "/ui/", shows: "charge_cards" },
  executions: { path: () => "/ui/executions", shows: "weekly_report" },
  failure: {
    path: ({ cards }) => `/ui/executions/shop.billing/charge_cards/${cards}`,
    shows: "open_invoices",
  },
  gantt: { path: ({ orders }) => `${ORDERS_PATH}/${orders}/gantt`, shows: "each_region" },
  logs: { path: ({ orders }) => `${ORDERS_PATH}/${orders}/logs`, shows: "Loading orders of" },
  topology: { path: ({ orders }) => `${ORDERS_PATH}/${orders}/topology`, shows: "discounts" },
  flows: { path: () => "/ui/flows", shows: "charge_cards" },
  editor: { path: () => "/ui/flows/edit/shop.orders/import_orders/editor", shows: "each_region" },
  triggers: { path: () => "/ui/triggers", shows: "every_quarter" },
  namespaces: { path: () => "/ui/namespaces", shows: "billing" },
  "log-search": { path: () => "/ui/logs", shows: "Charging 128 cards" },
  plugins: { path: () => `/ui/plugins/${CORE}.flow.ForEach`, shows: "concurrencyLimit" },
  blueprints: { path: () => "/ui/blueprints", shows: /hello/i },
  admin: { path: () => "/ui/admin", shows: /version/i },
  users: { path: () => "/ui/admin/users", shows: "chloe@example.org" },
  audit: { path: () => "/ui/admin/audit", shows: "ben@example.org" },
  backups: { path: () => "/ui/admin/maintenance", shows: "Download" },
  settings: { path: () => "/ui/settings", shows: /theme/i },
};

async function fill({ url }: ServerProcess): Promise<Ids> {
  const send = async <Result>(path: string, body?: FormData | string | object): Promise<Result> => {
    const isGiven = body instanceof FormData || typeof body === "string";
    const type = typeof body === "string" ? "application/x-yaml" : "application/json";
    const response = await fetch(`${url}/api/v1${path}`, {
      method: "POST",
      headers: { ...AUTHORIZATION, ...(!(body instanceof FormData) && { "content-type": type }) },
      body: isGiven ? body : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  for (const body of [ORDERS, CARDS, REPORT]) await send("/main/flows", body);
  const run = async (flow: string, query = "?wait=true") =>
    (await send<{ readonly id: string }>(`/main/executions/${flow}${query}`, new FormData())).id;
  await send("/tenants", { id: "research", name: "Research" });
  for (const user of USERS) await send("/users", { ...user, password: PASSWORD });
  await send("/backups");
  await run("reports/weekly_report", "");
  for (let count = 0; count < 5; count++) {
    await run("shop.orders/import_orders", "?wait=true&labels=env:prod");
  }
  const cards = await run("shop.billing/charge_cards");
  const orders = await run("shop.orders/import_orders");
  return { orders, cards };
}

async function take(
  browser: Browser,
  baseURL: string,
  { ids, scheme }: { readonly ids: Ids; readonly scheme: "light" | "dark" },
): Promise<string[]> {
  const problems: string[] = [];
  await using context = await browser.newContext({
    baseURL,
    viewport: VIEWPORT,
    colorScheme: scheme,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    extraHTTPHeaders: AUTHORIZATION,
  });
  const page = await context.newPage();
  for (const [name, picture] of Object.entries(PICTURES)) {
    const file = `${name}-${scheme}.png`;
    try {
      const bytes = smallPng(await draw(page, picture, ids));
      await Deno.writeFile(FOLDER + file, bytes);
      if (bytes.length > MAX_BYTES) problems.push(`${file} has ${bytes.length} bytes`);
    } catch (error) {
      problems.push(`${file}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return problems;
}

async function draw(page: Page, { path, shows }: Picture, ids: Ids): Promise<Uint8Array> {
  await page.goto(path(ids));
  await page.locator("main").getByText(shows).filter({ visible: true }).first().waitFor();
  // Skeletons, and graphs that are loaded after the rest.
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  await page.waitForLoadState("networkidle", { timeout: 5_000 }).catch(() => {});
  return await page.screenshot();
}

async function main(): Promise<number> {
  await buildServer();
  const problems: string[] = [];
  await withTempDir(async (dataDir) => {
    // With several tenants scripts must be enabled.
    await using server = await ServerProcess.start({
      dataDir,
      args: ["--basic-auth", `${USER}:${PASSWORD}`, "--scripts", "process"],
    });
    const ids = await fill(server);
    await withBrowser(async (browser) => {
      for (const scheme of ["light", "dark"] as const) {
        problems.push(...await take(browser, server.url, { ids, scheme }));
      }
    });
  });
  const text = [...problems, `${Object.keys(PICTURES).length} views, light and dark, in docs/images`].join(
    "\n",
  );
  await Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
