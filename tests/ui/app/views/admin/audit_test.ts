/** The audit log in a browser. */
import { assertEquals, assertStringIncludes } from "../../../../support/assert.ts";
import { checkAccessibility, stories } from "../../../../support/browser/browser.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { checkWidth } from "../../list_page.ts";

async function putPairs(server: ServerProcess, namespace: string, count: number): Promise<void> {
  const headers = { "content-type": "application/json" };
  for (let n = 0; n < count; n++) {
    const url = `${server.url}/api/v1/main/namespaces/${namespace}/kv/k${n}`;
    await (await fetch(url, { method: "PUT", headers, body: "1" })).body?.cancel();
  }
}

stories("/admin/audit", [
  {
    name: "changes are listed newest first; filters are in the address, and older records are loaded",
    async run(page, server) {
      await putPairs(server, "audit.list", 53);
      await page.goto("/ui/admin/audit");
      const rows = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
      await rows.nth(49).waitFor();
      await checkAccessibility(page);
      assertStringIncludes(await rows.first().innerText(), "main / audit.list / k52");
      await page.getByRole("button", { name: "Show older" }).click();
      await rows.nth(52).waitFor();
      await page.getByRole("searchbox", { name: "Resource" }).fill("audit.list");
      await page.waitForURL("**/ui/admin/audit?q=audit.list");
      await page.getByRole("combobox", { name: "Type" }).selectOption("UPDATE");
      await page.waitForURL("**/ui/admin/audit?q=audit.list&type=UPDATE");
      await rows.nth(49).waitFor();
      const download = await page.getByRole("link", { name: "Export" }).getAttribute("href");
      assertEquals(download, "/api/v1/main/auditlogs/export/by-query/csv?q=audit.list&type=UPDATE");
      await page.reload();
      await rows.nth(49).waitFor();
      assertEquals(await page.getByRole("searchbox", { name: "Resource" }).inputValue(), "audit.list");
    },
  },
  {
    name: "filters without a match say so, and a day is a filter",
    scheme: "dark",
    async run(page, server) {
      await putPairs(server, "audit.day", 1);
      await page.goto("/ui/admin/audit?userId=nobody");
      await page.getByText("No record matches").waitFor();
      await page.getByRole("button", { name: "Clear" }).click();
      const rows = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
      await rows.first().waitFor();
      await page.getByLabel("Before").fill("2020-01-31");
      await page.getByText("No record matches").waitFor();
      assertStringIncludes(page.url(), "endDate=2020-01-31");
    },
  },
  {
    name: "a refusal has its status, and nothing is wider than a small screen",
    size: "small",
    async run(page) {
      const auditLog = {
        id: "A",
        tenantId: "main",
        type: "DELETE",
        date: new Date().toISOString(),
        userId: "withoutaplacetobreak".repeat(4),
        ipAddress: "2001:db8:1234:5678:9abc:def0:1234:5678",
        detail: {
          operation: "deleteTenant",
          method: "DELETE",
          status: 403,
          tokenId: "T",
          id: "acme".repeat(20),
        },
      };
      const json = { results: [{ auditLog }], total: 1 };
      await page.route("**/api/v1/main/auditlogs/search*", (route) => route.fulfill({ json }));
      await page.goto("/ui/admin/audit");
      await page.getByText("403", { exact: true }).waitFor();
      await checkWidth(page);
    },
  },
]);
