/** Templates of flows and types of tasks in a browser. */
import { assert, assertEquals } from "@std/assert";
import { stories } from "../../support/browser/browser.ts";

stories("templates and types", [
  {
    name: "/blueprints: filters by tag and text, and previews a source",
    scheme: "dark",
    run: async (page) => {
      await page.goto("/ui/blueprints");
      await page.getByRole("button", { name: "Approvals" }).click();
      await page.getByText("Hello world").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Preview" }).first().click();
      await page.getByRole("dialog").getByText("tasks", { exact: true }).first().waitFor();
      assert(page.url().includes("preview="));
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Approvals" }).click();
      await page.getByRole("searchbox", { name: "Search" }).fill("no such template");
      await page.getByText("No template matches").waitFor();
    },
  },
  {
    name: "/blueprints: a template is opened in the editor and saved",
    size: "small",
    run: async (page) => {
      await page.goto("/ui/blueprints");
      const template = page.getByRole("listitem").filter({ hasText: "Hello world" });
      await template.getByRole("link", { name: "Use" }).click();
      await page.getByText("✓ Valid").waitFor();
      await page.getByRole("button", { name: /^Save/ }).click();
      await page.waitForURL("**/ui/flows/edit/company.team/hello-world/editor");
    },
  },
  {
    name: "/plugins: finds a type and opens its example in the editor",
    size: "small",
    run: async (page) => {
      await page.goto("/ui/plugins");
      await page.getByRole("searchbox", { name: "Search" }).fill("writes a message");
      await page.getByRole("link", { name: "Log", exact: true }).click();
      await page.getByRole("cell", { name: "message", exact: true }).waitFor();
      await page.getByRole("button", { name: "Open in the editor" }).first().click();
      await page.getByText("✓ Valid").waitFor();
      await page.getByText("io.svc.plugin.core.log.Log").first().waitFor();
    },
  },
  {
    name: "/plugins: a type leads to the others of its group; a search without a match says so",
    scheme: "dark",
    run: async (page) => {
      await page.goto("/ui/plugins/io.svc.plugin.core.flow.Parallel");
      await page.getByRole("link", { name: "ForEach", exact: true }).click();
      await page.waitForURL("**/ui/plugins/io.svc.plugin.core.flow.ForEach");
      await page.getByRole("heading", { name: "ForEach", level: 1 }).waitFor();
      assertEquals(
        await page.getByRole("link", { name: "ForEach", exact: true }).getAttribute("aria-current"),
        "page",
      );
      await page.goto("/ui/plugins?q=nothingofthatname");
      await page.getByText("No type matches").waitFor();
    },
  },
  {
    name: "/plugins: an unknown type is an error with a way back",
    expectedErrors: /404/,
    run: async (page) => {
      await page.goto("/ui/plugins/io.svc.plugin.core.Nothing");
      await page.getByRole("alert").waitFor();
      await page.getByRole("main").getByRole("link", { name: "Plugins" }).click();
      await page.getByRole("link", { name: "Log", exact: true }).waitFor();
    },
  },
]);
