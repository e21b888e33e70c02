/** Namespaces in a browser: tree, files, KV pairs, secrets, variables. */
import { Buffer } from "node:buffer";
import { assertEquals } from "../../support/assert.ts";
import { checkAccessibility, type Page, story, withPage } from "../../support/browser.ts";
import { json } from "../../support/request_bodies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { saveFlow } from "./flows.ts";

const FLOW = `id: hello
namespace: shop.orders
tasks: [{id: hi, type: io.svc.plugin.core.log.Log, message: Hello}]`;
const BASE = "/namespaces/shop.orders";

/** Fills a field of the open form. */
async function fill(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole("dialog").getByLabel(label, { exact: true }).fill(text);
}

async function textOf(server: ServerProcess, path: string): Promise<string> {
  return await (await fetch(`${server.url}/api/v1/main${path}`)).text();
}

story(
  "/namespaces: the tree has those of flows; one is created, described and deleted by its name",
  async (server) => {
    await saveFlow(server, FLOW);
    await withPage(server, { scheme: "dark", expectedErrors: /status of 422/ }, async (page) => {
      await page.goto("/ui/namespaces");
      await page.getByRole("link", { name: "orders" }).waitFor();
      await checkAccessibility(page);
      await page.getByRole("button", { name: "Create a namespace" }).click();
      await fill(page, "Name", "no good");
      await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
      await page.getByRole("dialog").getByRole("alert").waitFor();
      await fill(page, "Name", "lab.one");
      await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: "lab.one" }).waitFor();
      await page.waitForFunction(() => document.title === "lab.one · Namespaces · Sluice");
      await page.getByRole("button", { name: "Edit description" }).click();
      await fill(page, "Description", "For experiments");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("For experiments").waitFor();
      await page.getByRole("button", { name: "Delete namespace" }).click();
      const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete namespace" });
      assertEquals(await confirm.isDisabled(), true);
      await page.getByRole("dialog").getByRole("textbox").fill("lab.one");
      await confirm.click();
      await page.getByText("Namespace lab.one deleted").waitFor();
      assertEquals(await page.getByRole("link", { name: "lab" }).count(), 0);
    });
  },
);

story(
  "/namespaces/:id: one with flows is not deleted, and shows them; an unknown tab says so",
  async (server) => {
    await saveFlow(server, FLOW);
    await withPage(server, { size: "small" }, async (page) => {
      await page.goto("/ui/namespaces/shop.orders");
      await page.getByRole("button", { name: "Delete namespace" }).click();
      await page.getByText("The namespace has 1 flows").waitFor();
      await page.getByRole("link", { name: "hello" }).waitFor();
      await page.goto("/ui/namespaces/shop.orders/nothing");
      await page.getByText("There is nothing here").waitFor();
    });
  },
);

story(
  "/namespaces/:id/files: a file is uploaded, edited by the keyboard, moved and deleted",
  async (server) => {
    await saveFlow(server, FLOW);
    await withPage(server, {}, async (page) => {
      await page.goto("/ui/namespaces/shop.orders/files");
      await page.getByRole("button", { name: "New folder" }).click();
      await fill(page, "Path", "scripts");
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      const content = { mimeType: "text/plain", buffer: Buffer.from("one") };
      await page.getByLabel("Upload to /scripts/").setInputFiles({ name: "main.py", ...content });
      await page.getByText("Uploaded: main.py").waitFor();
      await page.getByRole("link", { name: "main.py" }).click();
      const editor = page.getByRole("textbox", { name: "main.py" });
      await editor.fill("print(1)");
      await editor.press("Control+s");
      await page.getByText("Saved: main.py").waitFor();
      assertEquals(await textOf(server, `${BASE}/files?path=/scripts/main.py`), "print(1)");
      await checkAccessibility(page);
      await page.getByRole("button", { name: "Rename or move" }).click();
      await fill(page, "Path", "/lib/first.py");
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: "/lib/first.py" }).waitFor();
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("Deleted: /lib/first.py").waitFor();
      assertEquals(await textOf(server, `${BASE}/files/search?q=py`), "[]");
    });
  },
);

story("/namespaces/:id/kv: pairs are created with their type, shown, and deleted", async (server) => {
  await saveFlow(server, FLOW);
  await withPage(server, {}, async (page) => {
    await page.goto("/ui/namespaces/shop.orders/kv");
    await page.getByText("There are no KV pairs yet").waitFor();
    await page.getByRole("button", { name: "New KV pair" }).click();
    await fill(page, "Key", "limit");
    await page.getByLabel("Type").selectOption("NUMBER");
    await fill(page, "Value", "many");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The value is no NUMBER, such as 42").waitFor();
    await fill(page, "Value", "42");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("KV pair limit saved").waitFor();
    const { type, value } = await server.json<{ type: string; value: unknown }>("GET", `${BASE}/kv/limit`);
    assertEquals([type, value], ["NUMBER", 42]);
    await page.getByRole("button", { name: "Show limit" }).click();
    await page.getByText("42", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("There are no KV pairs yet").waitFor();
  });
});

story("/namespaces/:id/secrets: a secret is set and replaced, and its value is nowhere", async (server) => {
  await saveFlow(server, FLOW);
  await server.json("PUT", `${BASE}/secrets`, {
    method: "PUT",
    ...json({ key: "TOKEN", value: "first-value" }),
  });
  await withPage(server, { size: "small", scheme: "dark" }, async (page) => {
    await page.goto("/ui/namespaces/shop.orders/secrets");
    await page.getByRole("button", { name: "Replace" }).click();
    await fill(page, "Value", "second-value");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Secret TOKEN saved").waitFor();
    assertEquals(/(?:first|second)-value/.test(await page.content()), false);
  });
});

story(
  "/namespaces/:id/variables: YAML is saved; what the server refuses is shown beside it",
  async (server) => {
    await saveFlow(server, FLOW);
    const options = { expectedErrors: /status of 422/ };
    await withPage(server, options, async (page) => {
      await page.goto("/ui/namespaces/shop.orders/variables");
      const editor = page.getByRole("textbox", { name: "Variables" });
      await editor.fill("region: [");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("at line 1").waitFor();
      await editor.fill("region: eu");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved: Variables").waitFor();
      assertEquals(await textOf(server, `${BASE}/variables`), "region: eu\n");
      await page.goto("/ui/namespaces/shop.orders/plugin-defaults");
      await page.getByRole("textbox", { name: "Plugin defaults" }).waitFor();
    });
  },
);
