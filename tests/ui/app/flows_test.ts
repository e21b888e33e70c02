/** The list of flows in a browser: filters, search in sources, actions on several flows, import and export. */
import { Buffer } from "node:buffer";
import { assertEquals } from "@std/assert";
import { type Page, stories } from "../../support/browser/browser.ts";
import type { ServerProcess } from "../../support/processes/server_process.ts";
import { buildZip } from "../../support/zip_builder.ts";
import { helloIn } from "./editing.ts";
import { runFlow, saveFlow } from "./flows.ts";
import { holdSaves } from "./held_requests.ts";

/** Saves the flows `hello` of team core and `other` of team data. */
async function saveTwo(server: ServerProcess, namespace: string): Promise<void> {
  await saveFlow(server, helloIn(namespace));
  const other = helloIn(namespace).replace("id: hello", "id: other").replace("team: core", "team: data");
  await saveFlow(server, other);
}

function rowOf(page: Page, flow: string) {
  return page.getByRole("row").filter({ has: page.getByRole("link", { name: flow, exact: true }) });
}

/** Chooses a file of the button that imports. */
async function importFile(page: Page, name: string, content: Uint8Array | string): Promise<void> {
  const file = { name, mimeType: "application/octet-stream", buffer: Buffer.from(content) };
  await page.getByLabel("Import", { exact: true }).setInputFiles(file);
}

async function idsOf(server: ServerProcess, namespace: string): Promise<string[]> {
  type Found = { readonly results: readonly { readonly id: string }[] };
  const { results } = await server.json<Found>("GET", `/flows/search?namespace=${namespace}&sort=id:asc`);
  return results.map(({ id }) => id);
}

stories("/flows", [
  {
    name: "an empty server offers templates; one becomes a flow and runs",
    run: async (page, server) => {
      await page.goto("/ui/flows");
      const template = page.getByRole("listitem").filter({ hasText: "Hello world" });
      await template.getByRole("link", { name: "Use" }).click();
      await page.getByText("✓ Valid").waitFor();
      await page.getByRole("button", { name: /^Run Ctrl/ }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: /Who is greeted/ }).fill("Ada");
      await dialog.getByRole("button", { name: "Run", exact: true }).click();
      await page.waitForURL(/\/ui\/executions\/company\.team\/hello-world\/\w+$/);
      const found = await server.json<{ total: number }>("GET", "/executions/search?flowId=hello-world");
      assertEquals(found.total, 1);
    },
  },
  {
    name: "filters are in the address, and labels of rows set them",
    size: "small",
    run: async (page, server) => {
      await saveTwo(server, "filters");
      await page.goto("/ui/flows?namespace=filters");
      await rowOf(page, "hello").waitFor();
      await rowOf(page, "other").getByRole("link", { name: "team: data" }).click();
      await rowOf(page, "hello").waitFor({ state: "detached" });
      assertEquals(new URL(page.url()).searchParams.get("labels"), "team:data");
      await page.getByRole("searchbox", { name: "Search", exact: true }).fill("nothing");
      await page.getByText("No flow matches the filters").waitFor();
      await page.getByRole("link", { name: "Clear filters" }).click();
      await rowOf(page, "hello").first().waitFor();
      assertEquals(new URL(page.url()).search, "");
    },
  },
  {
    name: "the last execution, its state and the triggers of a flow are shown; columns sort",
    scheme: "dark",
    run: async (page, server) => {
      await saveTwo(server, "columns");
      const id = await runFlow(server, "columns/hello");
      await page.goto("/ui/flows?namespace=columns");
      await rowOf(page, "other").getByText("never run").waitFor();
      await rowOf(page, "hello").getByText("daily").waitFor();
      await rowOf(page, "hello").getByRole("img", { name: "1 executions in 24 hours, 0 failed" }).waitFor();
      await page.getByRole("button", { name: "Flow" }).click();
      await page.getByRole("columnheader", { name: /Flow/ }).and(
        page.locator("[aria-sort=ascending], [aria-sort=descending]"),
      )
        .waitFor();
      await rowOf(page, "hello").getByText("SUCCESS").click();
      await page.waitForURL(`**/ui/executions/columns/hello/${id}`);
    },
  },
  {
    name: "a text is found in sources, and leads to the editor",
    size: "small",
    scheme: "dark",
    run: async (page, server) => {
      await saveTwo(server, "sources");
      await page.goto("/ui/flows?namespace=sources");
      await page.getByRole("searchbox", { name: "Search in source" }).fill("Hello {{");
      await page.locator("mark").first().waitFor();
      assertEquals(await page.locator("mark").count(), 2);
      await page.getByRole("searchbox", { name: "Search in source" }).fill("no such text");
      await page.getByText("No source contains “no such text”").waitFor();
      await page.getByRole("searchbox", { name: "Search in source" }).fill("team: data");
      await page.getByRole("link", { name: "sources.other" }).click();
      await page.waitForURL("**/ui/flows/edit/sources/other/editor");
      await page.getByText("✓ Valid").waitFor();
    },
  },
  {
    name: "flows are selected until an action on them is done, those selected meanwhile stay selected",
    expectedErrors: /status of 500/,
    run: async (page, server) => {
      await saveTwo(server, "meanwhile");
      await page.goto("/ui/flows?namespace=meanwhile");
      await page.getByRole("checkbox", { name: "meanwhile/other" }).check();
      await page.route("**/flows/disable/by-ids", (route) => route.fulfill({ status: 500 }), { times: 1 });
      await page.getByRole("button", { name: "Disable" }).click();
      await page.locator(".toasts .bad").waitFor();
      await page.getByText("1 selected").waitFor();
      const held = await holdSaves(page, "**/flows/disable/by-ids");
      await page.getByRole("button", { name: "Disable" }).click();
      await held.begun;
      await page.getByRole("checkbox", { name: "meanwhile/hello" }).check();
      held.release();
      await rowOf(page, "other").getByText("Disabled").waitFor();
      await page.getByText("1 selected").waitFor();
      assertEquals(await page.getByRole("checkbox", { name: "meanwhile/hello" }).isChecked(), true);
    },
  },
  {
    name: "selected flows are disabled, enabled, exported and deleted",
    run: async (page, server) => {
      await saveTwo(server, "bulk");
      await page.goto("/ui/flows?namespace=bulk");
      const select = () => page.getByRole("checkbox", { name: "bulk/other" }).check();
      await select();
      await page.getByRole("button", { name: "Disable" }).click();
      await rowOf(page, "other").getByText("Disabled").waitFor();
      await select();
      await page.getByRole("button", { name: "Enable" }).click();
      await rowOf(page, "other").getByText("Disabled").waitFor({ state: "detached" });
      await select();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export" }).click(),
      ]);
      assertEquals(download.suggestedFilename(), "flows.zip");
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      assertEquals(await idsOf(server, "bulk"), ["hello", "other"]);
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await rowOf(page, "other").waitFor({ state: "detached" });
      assertEquals(await idsOf(server, "bulk"), ["hello"]);
    },
  },
  {
    name: "a zip and a YAML file are imported; a wrong file is refused with the reason",
    expectedErrors: /status of 4\d\d/,
    run: async (page, server) => {
      await page.goto("/ui/flows?namespace=imports");
      await page.getByText("No flow matches the filters").waitFor();
      const zip = buildZip([{ name: "imports.hello.yml", data: helloIn("imports") }]);
      await importFile(page, "flows.zip", zip);
      await page.getByText("Imported: flows.zip").waitFor();
      await rowOf(page, "hello").waitFor();
      await importFile(page, "more.yaml", helloIn("imports").replace("id: hello", "id: more"));
      await rowOf(page, "more").waitFor();
      await importFile(page, "wrong.yaml", "id: wrong\nnamespace: imports\ntasks: 1");
      await page.locator(".toast.bad").waitFor();
      assertEquals(await idsOf(server, "imports"), ["hello", "more"]);
    },
  },
  {
    name: "all flows that match are exported as a zip",
    run: async (page, server) => {
      await saveTwo(server, "exports");
      await page.goto("/ui/flows?namespace=exports");
      await rowOf(page, "hello").waitFor();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Export", exact: true }).click(),
      ]);
      const path = await download.path();
      assertEquals([...(await Deno.readFile(path)).subarray(0, 2)], [0x50, 0x4b]);
    },
  },
  {
    name: "the keyboard alone filters, selects and opens",
    scheme: "dark",
    run: async (page, server) => {
      await saveTwo(server, "keyboard");
      await page.goto("/ui/flows?namespace=keyboard&sort=id:asc");
      await rowOf(page, "hello").waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("other");
      await rowOf(page, "hello").waitFor({ state: "detached" });
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.press("Delete");
      await rowOf(page, "hello").waitFor();
      await rowOf(page, "hello").getByRole("checkbox").focus();
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await page.keyboard.press("x");
      await page.getByText("1 selected").waitFor();
      assertEquals(await page.getByRole("checkbox", { name: "keyboard/other" }).isChecked(), true);
      await page.keyboard.press("k");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/ui/flows/edit/keyboard/hello");
    },
  },
]);
