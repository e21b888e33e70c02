/** The tree of namespaces, and what is done with a namespace as a whole. */
import { assertEquals } from "../../../../support/assert.ts";
import {
  checkAccessibility,
  type PageStory,
  SIZE_NAMES,
  stories,
} from "../../../../support/browser/browser.ts";
import { yaml } from "../../../../support/flows/request_bodies.ts";
import { saveFlow } from "../../flows.ts";
import { holdSaves } from "../../held_requests.ts";
import { checkWidth } from "../../list_page.ts";
import {
  createNamespace,
  fill,
  openTab,
  press,
  putFile,
  putPair,
  putSecret,
  send,
  waitForText,
} from "./contents.ts";

function flowOf(namespace: string): string {
  return `id: hello
namespace: ${namespace}
tasks: [{id: hi, type: io.svc.plugin.core.log.Log, message: Hello}]`;
}

const UNKNOWN = SIZE_NAMES.map((size): PageStory => ({
  name: `a namespace that does not exist says so above what is stored in it, and is created (${size})`,
  size,
  async run(page, server) {
    const id = `new.${size}`;
    await putPair(server, id, "kept", 1);
    await openTab(page, id, "kv");
    await page.getByText(`Namespace ${id} does not exist`).waitFor();
    await page.locator("code", { hasText: "kept" }).waitFor();
    assertEquals(await page.getByRole("button", { name: "Delete namespace" }).count(), 0);
    await checkWidth(page);
    await checkAccessibility(page);
    await page.getByRole("button", { name: "Create it" }).click();
    await page.getByText(`Namespace ${id} created`).waitFor();
    await page.getByRole("button", { name: "Delete namespace" }).waitFor();
    assertEquals(await page.getByText("does not exist").count(), 0);
    await page.locator("code", { hasText: "kept" }).waitFor();
  },
}));

const EMPTY = SIZE_NAMES.map((size): PageStory => ({
  name: `an empty namespace leads to its first flow (${size})`,
  size,
  async run(page, server) {
    const id = `empty.${size}`;
    await createNamespace(server, id);
    await openTab(page, id, "executions");
    await page.getByText("No executions in this namespace").waitFor();
    await page.locator(".empty").getByRole("link", { name: "Flows" }).click();
    await page.getByText("No flows in this namespace").waitFor();
    await checkWidth(page);
    await checkAccessibility(page);
    await page.getByRole("link", { name: "New flow" }).click();
    await page.locator(".cm-line", { hasText: `namespace: ${id}` }).waitFor();
  },
}));

stories("/namespaces", [
  ...UNKNOWN,
  ...EMPTY,
  {
    name: "the tree has the namespaces of flows below their parents",
    scheme: "dark",
    async run(page, server) {
      await saveFlow(server, flowOf("shop.orders"));
      await page.goto("/ui/namespaces");
      await page.getByRole("link", { name: "orders" }).click();
      await page.getByRole("heading", { name: "shop.orders" }).waitFor();
      await page.getByRole("link", { name: "shop", exact: true }).click();
      await page.getByRole("link", { name: "shop.orders" }).waitFor();
    },
  },
  {
    name: "a search without a match says so",
    size: "small",
    async run(page, server) {
      await saveFlow(server, flowOf("found"));
      await page.goto("/ui/namespaces?q=nothing");
      await page.getByText("Nothing matches the search").waitFor();
    },
  },
  {
    name: "a namespace is created; a name that the server refuses is explained in the dialog",
    expectedErrors: /status of 422/,
    async run(page) {
      await page.goto("/ui/namespaces");
      await page.getByRole("button", { name: "Create a namespace" }).click();
      await fill(page, "Name", "no good");
      await press(page, "Create");
      await page.getByRole("dialog").getByRole("alert").waitFor();
      await fill(page, "Name", "lab.one");
      await press(page, "Create");
      await page.getByRole("heading", { name: "lab.one" }).waitFor();
      await page.waitForFunction(() => document.title === "lab.one · Namespaces · Sluice");
    },
  },
  {
    name: "a description is written, and other members stay",
    async run(page, server) {
      await createNamespace(server, "lab.described");
      await send(server, "PUT", "lab.described/variables", yaml("region: eu"));
      await openTab(page, "lab.described", "overview");
      await page.getByRole("button", { name: "Edit description" }).click();
      await fill(page, "Description", "For experiments");
      await press(page, "Save");
      await page.getByText("For experiments").waitFor();
      const stored = await server.json("GET", "/namespaces/lab.described");
      assertEquals(stored, {
        id: "lab.described",
        description: "For experiments",
        variables: { region: "eu" },
        deleted: false,
      });
    },
  },
  {
    name: "the overview counts what is in a namespace",
    async run(page, server) {
      await saveFlow(server, flowOf("lab.counted"));
      await putFile(server, "lab.counted", "a.txt", "a");
      await putPair(server, "lab.counted", "k", 1);
      await putSecret(server, "lab.counted", "S");
      await openTab(page, "lab.counted", "overview");
      for (const name of ["Flows", "Files", "KV pairs", "Secrets"]) {
        await page.locator("a.count", { hasText: name }).getByText("1", { exact: true }).waitFor();
      }
      await checkAccessibility(page);
      await page.locator("a.count", { hasText: "Files" }).click();
      await page.getByRole("link", { name: "a.txt" }).waitFor();
    },
  },
  {
    name: "a namespace with flows is not deleted, and shows them",
    size: "small",
    async run(page, server) {
      await saveFlow(server, flowOf("lab.used"));
      await openTab(page, "lab.used", "overview");
      await page.getByRole("button", { name: "Delete namespace" }).click();
      await page.getByText("The namespace has 1 flows").waitFor();
      await page.getByRole("link", { name: "hello" }).waitFor();
    },
  },
  {
    name: "a namespace is deleted after its name was typed; what it holds is counted before",
    async run(page, server) {
      await createNamespace(server, "lab.gone");
      await putFile(server, "lab.gone", "a.txt", "a");
      await openTab(page, "lab.gone", "overview");
      await page.getByRole("button", { name: "Delete namespace" }).dblclick();
      await page.getByText("1 files, 0 KV pairs and 0 secrets").waitFor();
      const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete namespace" });
      assertEquals(await confirm.isDisabled(), true);
      await page.getByRole("dialog").getByRole("textbox").fill("lab.gone");
      await confirm.click();
      await page.getByText("Namespace lab.gone deleted").waitFor();
      // A double click asks once.
      assertEquals(await page.getByRole("dialog").count(), 0);
    },
  },
  {
    name: "an unknown tab says so",
    async run(page, server) {
      await saveFlow(server, flowOf("lab.tab"));
      await openTab(page, "lab.tab", "nothing");
      await page.getByText("There is nothing here").waitFor();
    },
  },
  {
    name: "a namespace that was deleted leads back to the list",
    expectedErrors: /status of 404/,
    async run(page, server) {
      await createNamespace(server, "lab.lost");
      await send(server, "DELETE", "lab.lost");
      await openTab(page, "lab.lost", "overview");
      await page.getByText("Namespace lab.lost does not exist").waitFor();
      await page.getByRole("button", { name: "Create it" }).waitFor();
      await page.getByRole("link", { name: "All namespaces" }).click();
      await page.getByRole("heading", { name: "Namespaces" }).waitFor();
    },
  },
  {
    name: "variables that the server refuses are explained beside them, and nothing is lost",
    expectedErrors: /status of 422/,
    async run(page, server) {
      await createNamespace(server, "lab.vars");
      await openTab(page, "lab.vars", "variables");
      const editor = page.getByRole("textbox", { name: "Variables" });
      await editor.fill("region: [");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("at line 1").waitFor();
      await editor.fill("region: eu");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved: Variables").waitFor();
      const stored = await fetch(`${server.url}/api/v1/main/namespaces/lab.vars/variables`);
      assertEquals(await stored.text(), "region: eu\n");
    },
  },
  {
    name: "what is typed while variables are saved stays, is not left without a question, and is saved next",
    async run(page, server) {
      await createNamespace(server, "lab.typing");
      await openTab(page, "lab.typing", "variables");
      const editor = page.getByRole("textbox", { name: "Variables" });
      const save = page.getByRole("button", { name: "Save" });
      await editor.fill("region: eu");
      const path = "**/api/v1/main/namespaces/lab.typing/variables";
      const held = await holdSaves(page, path);
      await save.click();
      await held.begun;
      await editor.fill("region: us");
      const reloaded = page.waitForResponse((response) =>
        response.request().method() === "GET" && response.url().endsWith("lab.typing/variables")
      );
      held.release();
      await (await reloaded).finished();
      await page.getByText("Saved: Variables").waitFor();
      const questions: string[] = [];
      page.once("dialog", (dialog) => (questions.push(dialog.message()), void dialog.dismiss()));
      await page.getByRole("link", { name: "Plugin defaults" }).click();
      assertEquals(questions, ["Changes are not saved. Leave anyway?"]);
      assertEquals(await editor.inputValue(), "region: us");
      await save.click();
      // The text as the server writes it.
      await waitForText(page, "region: us\n");
      await page.getByRole("button", { name: "Save", disabled: true }).waitFor();
      assertEquals(held.count(), 2);
    },
  },
]);
