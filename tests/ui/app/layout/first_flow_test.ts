/** What a new user does first: a flow of one's own that a schedule starts, and whose failure is seen. */
import { checkAccessibility, type PageStory, SIZE_NAMES, stories } from "../../../support/browser/browser.ts";
import { writeSource } from "../editing.ts";
import { checkWidth } from "../list_page.ts";

const SOURCE = `id: backup
namespace: mine
tasks:
  - id: copy
    type: io.svc.plugin.core.execution.Fail
    errorMessage: "the disk is full"
triggers:
  - id: often
    type: io.svc.plugin.core.trigger.Schedule
    withSeconds: true
    cron: "* * * * * *"
`;

for (const size of SIZE_NAMES) {
  const story: PageStory = {
    name: "from the welcome to the cause of the failure",
    size,
    async run(page) {
      await page.goto("/ui/");
      await page.getByText("Welcome to Sluice").waitFor();
      await checkWidth(page);
      await page.getByRole("link", { name: "Write a flow" }).click();
      await page.getByText("✓ Valid").waitFor();
      await writeSource(page, SOURCE);
      await page.getByRole("button", { name: "copy Fail" }).waitFor();
      await page.getByRole("button", { name: /^Save/ }).click();
      await page.waitForURL("**/ui/flows/edit/mine/backup/editor");
      await page.getByRole("link", { name: "Executions", exact: true }).last().click();
      await page.getByRole("cell", { name: "FAILED" }).first().waitFor();
      await page.goto("/ui/");
      // By the keyboard: what loads above it moves it, and a click might miss it.
      await page.getByRole("region", { name: "Flows that fail most" }).getByRole("link").press("Enter");
      await page.waitForURL(/\/ui\/executions\?/);
      await page.getByRole("table", { name: "Executions" }).locator("tbody a").first().click();
      await page.getByText("the disk is full").first().waitFor();
      await checkAccessibility(page);
      await checkWidth(page);
    },
  };
  // A server of its own: the first page of one that has executions is another.
  stories(`a new user, ${size}`, [story]);
}
