/** Flows, their editor, templates and types in a browser. */
import { assert, assertEquals } from "@std/assert";
import { story, withPage } from "../../support/browser.ts";
import type { ServerProcess } from "../../support/server_process.ts";

const YAML = { "content-type": "application/x-yaml" };
const HELLO = `id: hello
namespace: demo
description: Says **hello**.
labels:
  team: core
inputs:
  - id: name
    type: STRING
    defaults: World
  - id: count
    type: INT
    max: 5
    defaults: 1
tasks:
  - id: say
    type: io.kestra.plugin.core.log.Log
    message: "Hello {{ inputs.name }}"
triggers:
  - id: daily
    type: io.kestra.plugin.core.trigger.Schedule
    cron: "0 3 * * *"
`;

async function save(server: ServerProcess, source: string): Promise<void> {
  await server.json("POST", "/flows", { headers: YAML, body: source });
}

async function update(server: ServerProcess, source: string): Promise<void> {
  await server.json("PUT", "/flows/demo/hello", { headers: YAML, body: source });
}

function sourceOf(server: ServerProcess): Promise<{ source: string; revision: number }> {
  return server.json("GET", "/flows/demo/hello?source=true");
}

story("/flows: an empty server offers templates; one becomes a flow and runs", async (server) => {
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/flows");
    const template = page.getByRole("listitem").filter({ hasText: "Hello world" });
    await template.getByRole("link", { name: "Use" }).click();
    await page.getByText("✓ Valid").waitFor();
    await page.getByRole("button", { name: /^Run/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: /Who is greeted/ }).fill("Ada");
    await dialog.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/\/ui\/executions\/company\.team\/hello-world\/\w+$/);
  });
  const { total } = await server.json<{ total: number }>("GET", "/executions/search?flowId=hello-world");
  assertEquals(total, 1);
});

story("/flows: lists, filters, searches in sources, disables and deletes", async (server) => {
  await save(server, HELLO);
  await save(server, HELLO.replace("id: hello", "id: other").replace("team: core", "team: data"));
  await withPage(server, { size: "small" }, async (page) => {
    await page.goto("/ui/flows?labels=team:data");
    await page.getByRole("link", { name: "other" }).waitFor();
    assertEquals(await page.getByRole("link", { name: "hello" }).count(), 0);
    await page.goto("/ui/flows?source=Hello%20%7B%7B");
    await page.locator("mark").first().waitFor();
    assertEquals(await page.locator("mark").count(), 2);
    await page.goto("/ui/flows");
    await page.getByRole("checkbox", { name: "demo/other" }).check();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("row").filter({ hasText: "other" }).getByText("Disabled").waitFor();
    await page.getByRole("checkbox", { name: "demo/other" }).check();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("link", { name: "other" }).waitFor({ state: "detached" });
  });
  const { results } = await server.json<{ results: { id: string }[] }>("GET", "/flows/search");
  assertEquals(results.map(({ id }) => id), ["hello"]);
});

story("/flows/edit: shows what a flow is, and each of its tabs", async (server) => {
  await save(server, HELLO);
  await server.json("POST", "/executions/demo/hello?wait=true");
  await withPage(server, { scheme: "dark" }, async (page) => {
    await page.goto("/ui/flows/edit/demo/hello");
    await page.locator("strong", { hasText: /^hello$/ }).waitFor();
    await page.getByRole("button", { name: "say Log" }).waitFor();
    await page.getByText("SUCCESS").waitFor();
    await page.getByText("daily").first().waitFor();
    await page.getByText("More", { exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download YAML" }).click(),
    ]);
    assertEquals(download.suggestedFilename(), "hello.yaml");
    await page.getByText("More", { exact: true }).click();
    const open = (tab: string) =>
      page.getByRole("navigation", { name: "hello" }).getByRole("link", { name: tab }).click();
    await open("Executions");
    await page.getByRole("cell", { name: "SUCCESS" }).waitFor();
    await open("Revisions");
    await page.getByText("one revision").waitFor();
    await open("Triggers");
    await page.getByRole("link", { name: "Schedule" }).waitFor();
    await open("Logs");
    await page.getByText("Hello World").waitFor();
    await open("Dependencies");
    await page.getByText("no dependencies").waitFor();
  });
});

story("/flows/edit: an unknown flow has a way to search for it", async (server) => {
  await withPage(server, { expectedErrors: /404/ }, async (page) => {
    await page.goto("/ui/flows/edit/demo/nothing");
    await page.getByText("There is no flow demo.nothing").waitFor();
    await page.getByRole("link", { name: "Search for it" }).click();
    await page.getByText("No flow matches the filters").waitFor();
  });
});

story("/flows/edit/…/revisions: compares two revisions and restores one", async (server) => {
  await save(server, HELLO);
  await update(server, HELLO.replace("Says **hello**.", "Greets."));
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/flows/edit/demo/hello/revisions");
    await page.getByText("Greets.").waitFor();
    await page.getByRole("button", { name: "Restore revision 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore revision 1" }).click();
    await page.getByText("Restored: revision 1").waitFor();
  });
  const { source, revision } = await sourceOf(server);
  assertEquals([source, revision], [HELLO, 3]);
});

story("a run with a wrong input says so at the input", async (server) => {
  await save(server, HELLO);
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/flows/edit/demo/hello");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("spinbutton", { name: /count/ }).fill("9");
    await page.getByRole("alert").getByText(/less than/).waitFor();
  });
});

story("/blueprints: filters by tag and previews a source", async (server) => {
  await withPage(server, { scheme: "dark" }, async (page) => {
    await page.goto("/ui/blueprints");
    await page.getByRole("button", { name: "Approvals" }).click();
    await page.getByText("Hello world").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Preview" }).first().click();
    await page.getByRole("dialog").getByText("tasks", { exact: true }).first().waitFor();
    assert(page.url().includes("preview="));
  });
});

story("/plugins: finds a type and opens its example in the editor", async (server) => {
  await withPage(server, { size: "small" }, async (page) => {
    await page.goto("/ui/plugins");
    await page.getByRole("searchbox", { name: "Search" }).fill("writes a message");
    await page.getByRole("link", { name: "Log", exact: true }).click();
    await page.getByRole("cell", { name: "message", exact: true }).waitFor();
    await page.getByRole("button", { name: "Open in the editor" }).first().click();
    await page.getByText("✓ Valid").waitFor();
    await page.getByText("io.svc.plugin.core.log.Log").first().waitFor();
  });
});
