/** Backups in a browser. */
import { assertEquals, assertMatch } from "../../../../support/assert.ts";
import { checkAccessibility, stories } from "../../../../support/browser/browser.ts";
import { checkWidth, confirm } from "../../list_page.ts";

stories("/admin/maintenance: backups", [
  {
    name: "a backup is made, downloaded and deleted",
    async run(page, server) {
      await page.goto("/ui/admin/maintenance");
      await page.getByRole("button", { name: "Back up now" }).click();
      const row = page.getByRole("table", { name: "Backups" }).locator("tbody tr");
      await row.getByText("SUCCESS", { exact: true }).waitFor();
      await checkAccessibility(page);
      const download = page.waitForEvent("download");
      await row.getByRole("link", { name: "Download" }).click();
      assertMatch((await download).suggestedFilename(), /^sluice-backup-.*Z\.tar$/);
      await row.getByRole("button", { name: "Delete" }).click();
      await confirm(page, "Delete");
      await row.waitFor({ state: "detached" });
      const { total } = await (await fetch(`${server.url}/api/v1/backups`)).json();
      assertEquals(total, 0);
    },
  },
  {
    name: "the progress of a backup and the reason of one that failed are shown, also on a small screen",
    size: "small",
    scheme: "dark",
    async run(page) {
      const backup = {
        id: "b",
        createdAt: new Date().toISOString(),
        bytes: 40,
        version: "1",
        origin: "MANUAL",
      };
      let results: object[] = [{ ...backup, state: "RUNNING", totalBytes: 100 }];
      await page.route("**/api/v1/backups", (route) => route.fulfill({ json: { results, total: 1 } }));
      await page.goto("/ui/admin/maintenance");
      const progress = page.getByRole("progressbar", { name: "RUNNING" });
      await progress.waitFor();
      assertEquals([await progress.getAttribute("value"), await progress.getAttribute("max")], ["40", "100"]);
      assertEquals(await page.getByRole("button", { name: "Back up now" }).isDisabled(), true);
      results = [{ ...backup, state: "FAILED", error: "Cannot back up: its disk is full" }];
      await page.getByText("Cannot back up: its disk is full").waitFor();
      assertEquals(await page.getByRole("button", { name: "Back up now" }).isDisabled(), false);
      await checkWidth(page);
    },
  },
]);
