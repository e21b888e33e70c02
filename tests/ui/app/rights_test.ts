/** What a viewer and an editor find in each view: nothing that they press is refused for their role. */
import { assertEquals } from "../../support/assert.ts";
import { checkAccessibility, type Page, stories } from "../../support/browser/browser.ts";
import type { ServerProcess } from "../../support/processes/server_process.ts";
import { checkWidth, CORE } from "./list_page.ts";
import { NOT_SENT, pressEverything, watchRights } from "./press_everything.ts";
import { createUser, logIn, sendAsRoot, waitForRights, WITH_ROOT } from "./users.ts";
import { visit } from "./visit.ts";

const flow = (description: string) =>
  `id: hello
namespace: shop
description: ${description}
inputs: [{id: name, type: STRING, defaults: World}]
tasks:
  - {id: say, type: ${CORE}debug.Return, format: "Hello {{ inputs.name }}"}
  - {id: ask, type: ${CORE}flow.Pause}
triggers:
  - {id: daily, type: ${CORE}trigger.Schedule, cron: "0 1 1 1 *"}
  - {id: hook, type: ${CORE}trigger.Webhook, key: a-secret-key}`;
const BROKEN = `id: broken\nnamespace: shop\ntasks: [{id: no, type: ${CORE}execution.Fail}]`;
const DASHBOARD = `id: overview
title: Overview
charts:
  - id: states
    type: io.kestra.plugin.core.dashboard.chart.Table
    chartOptions: {displayName: States}
    data:
      type: io.kestra.plugin.core.dashboard.data.Executions
      columns: {state: {field: STATE}, count: {agg: COUNT}}`;

/** Executions by name. */
const ids = { paused: "", broken: "" };

async function fill(server: ServerProcess): Promise<void> {
  await createUser(server, "vic", "viewer");
  await createUser(server, "edda", "editor");
  const send = <Result = unknown>(method: string, path: string, body?: object | string) =>
    sendAsRoot<Result>(server, method, path, body);
  await send("POST", "/main/flows", flow("First"));
  await send("PUT", "/main/flows/shop/hello", flow("Second"));
  await send("POST", "/main/flows", BROKEN);
  const start = async (path: string) =>
    (await send<{ id: string }>("POST", `/main/executions/${path}`, new FormData())).id;
  ids.broken = await start("shop/broken?wait=true");
  ids.paused = await start("shop/hello");
  await send("POST", "/main/dashboards", DASHBOARD);
  await send("PUT", "/main/namespaces/shop/kv/color", { name: "blue" });
  await send("PUT", "/main/namespaces/shop/secrets", { key: "TOKEN", value: "hidden" });
  await send("PUT", "/main/namespaces/shop/variables", "region: north");
  for (const text of ["one", "two"]) {
    const form = new FormData();
    form.append("fileContent", new File([text], "a.txt"));
    await send("POST", "/main/namespaces/shop/files?path=a.txt", form);
  }
  await send("POST", "/me/api-tokens", { name: "ci" });
}

const FLOW_TABS = [
  "",
  "/editor",
  "/executions",
  "/revisions",
  "/triggers",
  "/logs",
  "/files",
  "/dependencies",
];
const EXECUTION_TABS = ["", "/gantt", "/logs", "/topology", "/outputs", "/metrics"];
const NAMESPACE_TABS = ["", "/flows", "/executions", "/kv", "/secrets", "/variables", "/plugin-defaults"];
const ADMIN_TABS = ["", "/processes", "/users", "/tokens", "/tenants", "/audit", "/maintenance"];

const paths = (): readonly string[] => [
  ...["/", "/executions", "/flows", "/triggers", "/namespaces", "/logs", "/blueprints", "/settings"],
  ...FLOW_TABS.map((tab) => `/flows/edit/shop/hello${tab}`),
  ...["?side=test", "?side=run", "?run=1"].map((query) => `/flows/edit/shop/hello/editor${query}`),
  ...["/flows/new", "/triggers?trigger=shop/hello/daily", "/triggers?trigger=shop/hello/hook"],
  ...EXECUTION_TABS.map((tab) => `/executions/shop/hello/${ids.paused}${tab}`),
  `/executions/shop/broken/${ids.broken}`,
  ...NAMESPACE_TABS.map((tab) => `/namespaces/shop${tab}`),
  ...["", "?file=a.txt", "?file=a.txt&view=history"].map((query) => `/namespaces/shop/files${query}`),
  ...["/namespaces/unknown", "/namespaces/unknown/flows", "/namespaces/unknown/kv"],
  ...["/dashboards/overview", "/dashboards/overview/edit", "/dashboards?create=1"],
  `/plugins/${CORE}log.Log`,
  ...ADMIN_TABS.map((tab) => `/admin${tab}`),
];

async function open(page: Page, path: string): Promise<void> {
  await visit(page, path);
  await waitForRights(page);
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
}

/** Views that show a viewer other things than an editor; of the others they leave out some. */
const OF_VIEWERS = /\/editor|\/new|\/admin|\/settings|\/files/;
/** What may be pressed does not depend on the size; other stories show what an editor sees on a small page. */
const VISITS = [
  { user: "vic", role: "viewer", size: "small", views: /^/, presses: true },
  { user: "vic", role: "viewer", size: "wide", views: OF_VIEWERS, presses: false },
  { user: "edda", role: "editor", size: "wide", views: /^/, presses: true },
] as const;

stories(
  "views of people with few rights",
  VISITS.map(({ user, role, size, views, presses }) => ({
    name: `a person with the role ${role} finds nothing that is refused (${size})`,
    size,
    expectedErrors: new RegExp(`${NOT_SENT}|404`),
    async run(page: Page) {
      await logIn(page, user, "/ui/settings");
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const refused = await watchRights(page, role);
      const links: string[] = [];
      const pressed = new Set<string>();
      for (const path of paths().filter((each) => views.test(each))) {
        await open(page, path);
        await checkAccessibility(page);
        await checkWidth(page);
        if (presses) links.push(...await pressEverything(page, role, pressed));
      }
      assertEquals([...refused, ...new Set(links)], []);
    },
  })),
  { args: WITH_ROOT, prepare: fill },
);
