/** Administration in a browser: numbers of the server, tokens, tenants, and what stops or removes executions. */
import { assertEquals, assertMatch } from "../../../../support/assert.ts";
import { checkAccessibility, type Page, stories } from "../../../../support/browser/browser.ts";
import { until } from "../../../../support/processes/machine_processes.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { copiedBy } from "../../copied.ts";
import { checkWidth, confirm, CORE, LOST_CONNECTION, tryLostConnection } from "../../list_page.ts";

const FLOW = `id: one
namespace: shop
tasks: [{id: ask, type: ${CORE}flow.Pause}]
triggers:
  - {id: a, type: ${CORE}trigger.Schedule, cron: "0 0 1 1 *"}
  - {id: b, type: ${CORE}trigger.Schedule, cron: "0 0 1 1 *"}`;

/** Calls the API of the whole server. */
async function send(server: ServerProcess, method: string, path: string, init: RequestInit = {}) {
  const response = await fetch(`${server.url}/api/v1${path}`, { method, ...init });
  assertEquals(response.ok, true, `${method} ${path}: ${response.status}`);
  return await response.json();
}

/** A tenant with a flow that has two triggers and two paused executions. */
async function createTenant(server: ServerProcess, id: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  await send(server, "POST", "/tenants", { headers, body: JSON.stringify({ id, name: id }) });
  await send(server, "POST", `/${id}/flows`, {
    headers: { "content-type": "application/x-yaml" },
    body: FLOW,
  });
  for (let count = 0; count < 2; count++) {
    await send(server, "POST", `/${id}/executions/shop/one`, { body: new FormData() });
  }
  const isPaused = async () =>
    (await send(server, "GET", `/${id}/executions/search?state=PAUSED`)).total === 2;
  await until(isPaused);
}

async function openMaintenance(page: Page, server: ServerProcess, tenant: string): Promise<void> {
  await createTenant(server, tenant);
  await page.goto(`/ui/${tenant}/admin/maintenance`);
  await page.getByRole("heading", { name: "Stop the work" }).waitFor();
}

stories("/admin", [
  {
    name: "the server shows its health, the room of its disk and its slowest requests",
    async run(page) {
      await page.goto("/ui/admin");
      await page.getByText("UP", { exact: true }).waitFor();
      const disk = page.getByRole("progressbar", { name: /free$/ });
      assertMatch(await disk.getAttribute("aria-label") ?? "", /^[\d.]+ [KMGT]?B of [\d.]+ [KMGT]?B free$/);
      const slowest = page.getByRole("table", { name: "Slowest requests" }).locator("tbody tr");
      await slowest.first().getByText(/GET/).waitFor();
      assertMatch(await slowest.first().innerText(), /\d ms$/);
    },
  },
  {
    name: "all metrics of the server can be opened",
    scheme: "dark",
    async run(page) {
      await page.goto("/ui/admin");
      await page.getByText(/^All metrics/).click();
      await page.getByText("sluice_disk_free_bytes").waitFor();
    },
  },
  {
    name: "tabs have addresses, and an unknown one says so",
    async run(page) {
      await page.goto("/ui/admin");
      for (
        const [tab, path] of [["Processes", "processes"], ["API tokens", "tokens"], ["Tenants", "tenants"], [
          "Maintenance",
          "maintenance",
        ]]
      ) {
        await page.getByRole("link", { name: tab, exact: true }).click();
        await page.waitForURL(`**/ui/admin/${path}`);
      }
      await page.goto("/ui/admin/nothing");
      await page.getByText("There is nothing here").waitFor();
    },
  },
  {
    name: "without workers the command that starts one is shown, beside the only server of the database",
    size: "small",
    async run(page, server) {
      await page.goto("/ui/admin/processes");
      await page.getByText("No worker is connected to this tenant").waitFor();
      await page.getByText(`sluice worker --server ${server.url} --group`).waitFor();
      const members = page.getByRole("table", { name: "Servers" }).locator("tbody tr");
      assertMatch(await members.innerText(), /LEADER/);
      await checkWidth(page);
    },
  },
  {
    name: "a worker is shown with its groups and its load, connected or silent",
    scheme: "dark",
    async run(page, server) {
      const hello = { id: "w1", name: "press", version: "1.2.3", groups: ["gpu", "big"], concurrency: 4 };
      const body = JSON.stringify({ ...hello, leases: [] });
      const connection = await fetch(`${server.url}/api/v1/worker/connect`, { method: "POST", body });
      await page.goto("/ui/admin/processes");
      const row = page.getByRole("table", { name: "Workers" }).locator("tbody tr");
      await row.getByText("Connected", { exact: true }).waitFor();
      for (const text of ["press", "gpu, big", "0 of 4", "1.2.3"]) await row.getByText(text).waitFor();
      // A silent worker is in the list for a limited time only, which a slow page could miss.
      const { results } = await server.json<{ results: object[] }>("GET", "/workers");
      const json = { results: results.map((each) => ({ ...each, isConnected: false })), total: 1 };
      await page.route("**/api/v1/main/workers", (route) => route.fulfill({ json }));
      await page.reload();
      await row.getByText("Silent", { exact: true }).waitFor();
      await connection.body?.cancel();
    },
  },
  {
    name: "on a small screen each worker is a card, however long its name and its groups are",
    size: "small",
    async run(page) {
      const long = "without-a-place-to-break".replaceAll("-", "").repeat(3);
      const date = new Date().toISOString();
      const worker = {
        id: "w1",
        name: long,
        groups: ["gpu", long],
        version: "1.2.3",
        concurrency: 128,
        attempts: 127,
        isConnected: true,
        connectedAt: date,
        lastSeenAt: date,
      };
      const json = { results: [worker], total: 1 };
      await page.route("**/api/v1/main/workers", (route) => route.fulfill({ json }));
      await page.goto("/ui/admin/processes");
      const row = page.getByRole("table", { name: "Workers" }).locator("tbody tr");
      await row.getByText("127 of 128").waitFor();
      const titles = await row.locator("td").evaluateAll((cells) =>
        cells.map((cell) => getComputedStyle(cell, "::before").content)
      );
      assertEquals(
        titles,
        ["Name", "State", "Groups", "Attempts", "Version", "Since", "Last seen"].map((title) => `"${title}"`),
      );
      await checkWidth(page);
    },
  },
  {
    name: "the limits of the server and commands for its data are shown, and copied",
    async run(page) {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto("/ui/admin/maintenance");
      await page.getByText("Executions are removed after").waitFor();
      const command = await copiedBy(page, page.getByRole("button", { name: "Copy" }).first());
      assertMatch(command, /^sluice doctor --data-dir '\//);
    },
  },
  {
    name: "all triggers of the tenant are disabled after their number is typed",
    async run(page, server) {
      await openMaintenance(page, server, "stops");
      await page.getByRole("button", { name: "Disable all triggers" }).click();
      await checkAccessibility(page);
      await confirm(page, "Disable all triggers", "disable 2");
      await page.getByText("Disable all triggers: done for 2").waitFor();
      await page.getByRole("button", { name: "Disable all triggers" }).click();
      await page.getByText("Nothing to do").waitFor();
      const { total } = await send(server, "GET", "/stops/triggers/search?triggerState=ENABLED");
      assertEquals(total, 0);
    },
  },
  {
    name: "all unfinished executions of the tenant are killed; none of them run",
    size: "small",
    async run(page, server) {
      await openMaintenance(page, server, "kills");
      await page.getByRole("button", { name: "Pause all running executions" }).click();
      await page.getByText("Nothing to do").waitFor();
      await page.getByRole("button", { name: "Kill all unfinished executions" }).click();
      await confirm(page, "Kill all unfinished executions", "kill 2");
      await page.getByText("Kill all unfinished executions: done for 2").waitFor();
      const { total } = await send(server, "GET", "/kills/executions/search?state=KILLED");
      assertEquals(total, 2);
    },
  },
  {
    name: "old executions are removed; young ones stay",
    async run(page, server) {
      await openMaintenance(page, server, "purged");
      await page.getByLabel("Ended more than").selectOption("7");
      await page.getByLabel(/^State/).selectOption("KILLED");
      const counted = page.waitForRequest(/executions\/search\?.*endDate.*state=KILLED/);
      await page.getByRole("button", { name: "Remove old executions" }).click();
      await counted;
      await page.getByText("Nothing to do").waitFor();
      await send(server, "DELETE", "/purged/executions/kill/by-query?namespace=shop");
      // As if a week had passed.
      await page.clock.setFixedTime(Date.now() + 8 * 86_400_000);
      await page.reload();
      await page.getByLabel("Ended more than").selectOption("7");
      await page.getByRole("button", { name: "Remove old executions" }).click();
      await confirm(page, "Remove old executions", "delete 2");
      await page.getByText("Remove old executions: done for 2").waitFor();
    },
  },
  {
    name: "a token with limits is created, shown once, copied, used and revoked",
    async run(page) {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto("/ui/admin/tokens");
      await page.getByRole("button", { name: "Create a token" }).click();
      const form = page.getByRole("dialog", { name: "Create a token" });
      await form.getByLabel("Name").fill("deploy");
      await form.getByLabel("Description").fill("of the build");
      await form.getByLabel("Valid for").selectOption("P7D");
      await form.getByLabel("Tenants").fill("main");
      await form.getByRole("button", { name: "Create" }).click();
      const shown = page.getByRole("dialog", { name: "Token created" });
      const secret = await copiedBy(page, shown.getByRole("button", { name: "Copy" }));
      assertEquals(await shown.locator("pre").innerText(), secret);
      await shown.getByRole("button", { name: "Close" }).last().click();
      await shown.waitFor({ state: "detached" });
      await page.getByText("of the build").waitFor();
      assertEquals((await page.content()).includes(secret), false);
      await page.getByRole("button", { name: "Revoke" }).click();
      await confirm(page, "Revoke");
      await page.getByText("Token deploy revoked").waitFor();
    },
  },
  {
    name: "a tenant is created, renamed, opened and deleted by its id",
    async run(page) {
      await page.goto("/ui/admin/tenants");
      await page.getByRole("button", { name: "Create a tenant" }).click();
      const form = page.getByRole("dialog");
      await form.getByLabel("Id").fill("acme");
      await form.getByRole("button", { name: "Save" }).click();
      const row = page.getByRole("table", { name: "Tenants" }).locator("tbody tr").filter({
        hasText: "acme",
      });
      await row.getByRole("button", { name: "Rename" }).click();
      await form.getByLabel("Name").fill("Acme Inc.");
      await form.getByRole("button", { name: "Save" }).click();
      await row.getByText("Acme Inc.").waitFor();
      assertEquals(await row.getByRole("link").getAttribute("href"), "/ui/acme/");
      await row.getByRole("button", { name: "Delete" }).click();
      await form.getByRole("textbox").fill("acme");
      await form.getByRole("button", { name: "Delete" }).click();
      await row.waitFor({ state: "detached" });
    },
  },
  {
    name: "the user menu leads to the pages of another tenant",
    async run(page, server) {
      await createTenant(server, "menu");
      await page.goto("/ui/menu/namespaces");
      await page.getByRole("button", { name: "User menu" }).click();
      assertEquals(
        await page.getByRole("link", { name: "menu", exact: true }).getAttribute("href"),
        "/ui/menu/",
      );
    },
  },
  {
    name: "a refused name of a tenant is shown in the form, and nothing typed is lost",
    expectedErrors: /status of 4\d\d/,
    async run(page) {
      await page.goto("/ui/admin/tenants");
      await page.getByRole("button", { name: "Create a tenant" }).click();
      const form = page.getByRole("dialog");
      await form.getByLabel("Id").fill("Not Good");
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByRole("alert").waitFor();
      assertEquals(await form.getByLabel("Id").inputValue(), "Not Good");
    },
  },
  {
    name: "a lost connection is shown beside data that is loaded once, and ends by itself",
    expectedErrors: LOST_CONNECTION,
    async run(page) {
      await page.goto("/ui/admin");
      await page.getByText("Uptime").waitFor();
      await tryLostConnection(page);
    },
  },
  {
    name: "on a small screen nothing is wider than the window",
    size: "small",
    scheme: "dark",
    async run(page) {
      await page.goto("/ui/admin");
      await page.getByText("Uptime").waitFor();
      await checkWidth(page);
      await page.goto("/ui/admin/maintenance");
      await page.getByText("Back up").waitFor();
      await checkWidth(page);
    },
  },
]);
