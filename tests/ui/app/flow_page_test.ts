/** The page of a flow in a browser, with all its tabs and actions. */
import { assert, assertEquals } from "@std/assert";
import {
  checkAccessibility,
  type Page,
  type PageStory,
  SIZE_NAMES,
  stories,
} from "../../support/browser/browser.ts";
import { fileForm } from "../../support/flows/request_bodies.ts";
import { helloIn, nextQuestion, openEditor, storedHello, updateHello, writeSource } from "./editing.ts";
import { runFlow, saveFlow } from "./flows.ts";
import { checkWidth } from "./list_page.ts";
import { tryAgain } from "./try_again.ts";

/** Opens the menu of rare actions, and chooses one. */
async function chooseMore(page: Page, action: string): Promise<void> {
  await page.getByText("More", { exact: true }).click();
  await page.locator(".menu-items").getByText(action, { exact: true }).click();
}

async function openTab(page: Page, tab: string): Promise<void> {
  await page.getByRole("navigation", { name: "hello" }).getByRole("link", { name: tab, exact: true }).click();
}

const FAILURES = SIZE_NAMES.flatMap((size): PageStory[] => [{
  name: `a flow that cannot be read is named, and read by another try (${size})`,
  size,
  expectedErrors: /status of 500/,
  run: async (page, server) => {
    await saveFlow(server, helloIn(`broken.${size}`));
    const path = `**/api/v1/main/flows/broken.${size}/hello?*`;
    await page.route(path, (route) => route.fulfill({ status: 500, json: { message: "Internal error" } }));
    await page.goto(`/ui/flows/edit/broken.${size}/hello`);
    await page.getByRole("alert").getByText("Internal error").waitFor();
    await page.getByRole("heading", { name: "hello", level: 1 }).waitFor();
    await page.getByRole("link", { name: `broken.${size}` }).waitFor();
    await checkWidth(page);
    await checkAccessibility(page);
    await page.unroute(path);
    await tryAgain(page.locator("main"), page.getByRole("heading", { name: "hello Revision 1" }));
    assertEquals(await page.getByRole("heading", { level: 1 }).count(), 1);
  },
}, {
  name: `a flow that is deleted meanwhile leaves what was written in its editor (${size})`,
  size,
  expectedErrors: /status of 404/,
  run: async (page, server) => {
    await saveFlow(server, helloIn(`deleted.${size}`));
    await openEditor(page, `deleted.${size}`);
    await writeSource(page, "id: mine");
    await page.request.delete(`/api/v1/main/flows/deleted.${size}/hello`);
    // A page that becomes visible again looks at once.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByRole("alert").getByText("This could not be loaded").waitFor();
    await page.locator(".cm-line", { hasText: "id: mine" }).waitFor();
    await Promise.all([nextQuestion(page, true), page.goto("/ui/flows")]);
  },
}]);

const REVISION_OF_EXECUTION = SIZE_NAMES.map((size): PageStory => ({
  name: `an execution leads to the source that it ran, beside the newest one (${size})`,
  size,
  run: async (page, server) => {
    const namespace = `ran.${size}`;
    await saveFlow(server, helloIn(namespace));
    const id = await runFlow(server, `${namespace}/hello`);
    const follow = async () => {
      await page.goto(`/ui/executions/${namespace}/hello/${id}`);
      await page.locator(".facts").getByRole("link", { name: "1", exact: true }).click();
    };
    await follow();
    await page.getByText("This flow has one revision").waitFor();
    await page.locator(".empty").getByRole("link", { name: "Editor" }).click();
    await page.getByText("✓ Valid").waitFor();
    for (const text of ["Greets.", "Waves."]) {
      await updateHello(server, namespace, helloIn(namespace).replace("Says **hello**.", text));
    }
    await follow();
    await page.getByText("Waves.").waitFor();
    assertEquals(await page.getByLabel("Left revision").inputValue(), "1");
    await page.getByText("Says **hello**.").waitFor();
    await page.goto(`/ui/flows/edit/${namespace}/hello/revisions?revision=3`);
    await page.getByText("Greets.").waitFor();
    assertEquals(await page.getByLabel("Left revision").inputValue(), "2");
    await checkWidth(page);
    await checkAccessibility(page);
  },
}));

stories("/flows/edit", [
  ...FAILURES,
  ...REVISION_OF_EXECUTION,
  {
    name: "the overview says what the flow is, how it ran and when it runs next",
    scheme: "dark",
    run: async (page, server) => {
      await saveFlow(server, helloIn("overview"));
      const id = await runFlow(server, "overview/hello");
      await page.goto("/ui/flows/edit/overview/hello");
      await page.locator("strong", { hasText: /^hello$/ }).waitFor();
      await page.getByText("team: core").waitFor();
      await page.getByText("SUCCESS").waitFor();
      await page.getByText("daily").first().waitFor();
      await page.getByRole("link", { name: id }).waitFor();
      await page.getByRole("button", { name: "say Log" }).click();
      await page.waitForURL("**/ui/flows/edit/overview/hello/editor");
      await page.getByText("✓ Valid").waitFor();
    },
  },
  {
    name: "each tab has an address",
    size: "small",
    run: async (page, server) => {
      await saveFlow(server, helloIn("tabs"));
      await runFlow(server, "tabs/hello");
      await page.goto("/ui/flows/edit/tabs/hello");
      await openTab(page, "Executions");
      await page.getByRole("cell", { name: "SUCCESS" }).waitFor();
      await openTab(page, "Revisions");
      await page.getByText("one revision").waitFor();
      await openTab(page, "Logs");
      await page.getByText("Hello World").waitFor();
      assertEquals(new URL(page.url()).pathname, "/ui/flows/edit/tabs/hello/logs");
      await openTab(page, "Dependencies");
      await page.getByText("no dependencies").waitFor();
      await page.goBack();
      await page.getByText("Hello World").waitFor();
    },
  },
  {
    name: "an unknown flow has a way to search for it",
    expectedErrors: /404/,
    run: async (page) => {
      await page.goto("/ui/flows/edit/demo/nothing");
      await page.getByText("There is no flow demo.nothing").waitFor();
      await page.getByRole("link", { name: "Search for it" }).click();
      await page.getByText("No flow matches the filters").waitFor();
    },
  },
  {
    name: "a disabled flow says so, and cannot be run until it is enabled",
    run: async (page, server) => {
      await saveFlow(server, helloIn("toggle"));
      await page.goto("/ui/flows/edit/toggle/hello");
      await chooseMore(page, "Disable");
      await page.getByRole("heading", { name: /Disabled/ }).waitFor();
      const run = page.getByRole("button", { name: "Run", exact: true });
      assertEquals(await run.isDisabled(), true);
      await page.locator(".menu-items").getByText("Enable", { exact: true }).click();
      await page.getByRole("heading", { name: /Disabled/ }).waitFor({ state: "detached" });
      assertEquals(await run.isDisabled(), false);
    },
  },
  {
    name: "a flow is downloaded and duplicated",
    run: async (page, server) => {
      await saveFlow(server, helloIn("copies"));
      await page.goto("/ui/flows/edit/copies/hello");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        chooseMore(page, "Download YAML"),
      ]);
      assertEquals(download.suggestedFilename(), "hello.yaml");
      assertEquals(await Deno.readTextFile(await download.path()), helloIn("copies"));
      await page.locator(".menu-items").getByText("Duplicate").click();
      await page.locator(".cm-line").filter({ hasText: "id: hello_copy" }).waitFor();
      await page.getByText("✓ Valid").waitFor();
      await page.keyboard.press("ControlOrMeta+s");
      await page.waitForURL("**/ui/flows/edit/copies/hello_copy/editor");
    },
  },
  {
    name: "a flow is deleted once its name is typed",
    expectedErrors: /404/,
    run: async (page, server) => {
      await saveFlow(server, helloIn("deleted"));
      await page.goto("/ui/flows/edit/deleted/hello");
      await chooseMore(page, "Delete");
      const remove = page.getByRole("dialog").getByRole("button", { name: "Delete" });
      assertEquals(await remove.isDisabled(), true);
      await page.getByRole("dialog").getByRole("textbox").fill("hello");
      await remove.click();
      await page.getByText("Deleted: hello").waitFor();
      await page.waitForURL("**/ui/flows");
      const response = await fetch(`${server.url}/api/v1/main/flows/deleted/hello`);
      await response.body?.cancel();
      assertEquals(response.status, 404);
    },
  },
  {
    name: "two revisions are compared, and an older one is restored",
    run: async (page, server) => {
      await saveFlow(server, helloIn("revisions"));
      await updateHello(server, "revisions", helloIn("revisions").replace("Says **hello**.", "Greets."));
      await updateHello(server, "revisions", helloIn("revisions").replace("Says **hello**.", "Waves."));
      await page.goto("/ui/flows/edit/revisions/hello/revisions");
      await page.getByText("Waves.").waitFor();
      await page.getByLabel("Left revision").selectOption("1");
      await page.getByText("Says **hello**.").waitFor();
      assertEquals(new URL(page.url()).searchParams.get("left"), "1");
      await page.getByRole("button", { name: "Restore revision 1" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Restore revision 1" }).click();
      await page.getByText("Restored: revision 1").waitFor();
      const { source, revision } = await storedHello(server, "revisions");
      assertEquals([source, revision], [helloIn("revisions"), 4]);
    },
  },
  {
    name: "a revision is not restored over one that is newer than the page; both are then shown",
    expectedErrors: /412/,
    run: async (page, server) => {
      await saveFlow(server, helloIn("raced"));
      await updateHello(server, "raced", helloIn("raced").replace("Says **hello**.", "Greets."));
      await page.goto("/ui/flows/edit/raced/hello/revisions");
      await page.getByText("Greets.").waitFor();
      await updateHello(server, "raced", helloIn("raced").replace("Says **hello**.", "Waves."));
      // The page finds the newer revision, and still compares those that were there.
      await page.getByRole("option", { name: "Revision 3" }).first().waitFor({ state: "attached" });
      await page.getByText("Greets.").waitFor();
      const restore = page.getByRole("button", { name: "Restore revision 1" });
      await restore.click();
      await page.getByRole("dialog").getByRole("button", { name: "Restore revision 1" }).click();
      await page.getByText("The flow has changed meanwhile").waitFor();
      await page.getByText("Waves.").waitFor();
      await page.getByText("Says **hello**.").waitFor();
      assertEquals((await storedHello(server, "raced")).revision, 3);
      await restore.click();
      await page.getByRole("dialog").getByRole("button", { name: "Restore revision 1" }).click();
      await page.getByText("Restored: revision 1").waitFor();
    },
  },
  {
    name: "on a small screen two revisions are one text",
    size: "small",
    scheme: "dark",
    run: async (page, server) => {
      await saveFlow(server, helloIn("unified"));
      await updateHello(server, "unified", helloIn("unified").replace("Says **hello**.", "Greets."));
      await page.goto("/ui/flows/edit/unified/hello/revisions");
      await page.getByText("Greets.").first().waitFor();
      await page.getByRole("deletion").first().waitFor();
    },
  },
  {
    name: "a trigger is disabled and enabled; a flow without one shows how to declare it",
    run: async (page, server) => {
      await saveFlow(server, helloIn("triggers"));
      await page.goto("/ui/flows/edit/triggers/hello/triggers");
      await page.getByRole("link", { name: "Schedule" }).waitFor();
      await page.getByRole("button", { name: "Disable" }).click();
      await page.getByText("Disable: daily").waitFor();
      await page.getByRole("button", { name: "Enable" }).click();
      await page.getByText("Enable: daily").waitFor();
      await updateHello(server, "triggers", helloIn("triggers").replace(/triggers:\n[^]*/, ""));
      await page.reload();
      await page.getByText("This flow has no triggers").waitFor();
      await page.getByText('cron: "0 9 * * *"').waitFor();
    },
  },
  {
    name: "files of the namespace are opened, written and saved",
    scheme: "dark",
    run: async (page, server) => {
      await saveFlow(server, helloIn("files"));
      const response = await fetch(`${server.url}/api/v1/main/namespaces/files/files?path=/main.py`, {
        method: "POST",
        ...fileForm("print(1)"),
      });
      assert(response.ok, await response.text());
      await page.goto("/ui/flows/edit/files/hello");
      await openTab(page, "Files");
      await page.getByRole("link", { name: "main.py" }).click();
      await page.waitForURL("**/ui/flows/edit/files/hello/files?file=%2Fmain.py");
      const text = page.getByRole("textbox", { name: "main.py" });
      await text.fill("print(2)");
      await text.press("ControlOrMeta+s");
      await page.getByText("Saved: main.py").waitFor();
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.waitForURL("**/ui/flows/edit/files/hello/files");
      await page.getByText("Choose a file, or upload one").waitFor();
    },
  },
  {
    name: "dependencies lead to the other flow",
    run: async (page, server) => {
      await saveFlow(server, helloIn("depends"));
      await saveFlow(
        server,
        `id: parent
namespace: depends
tasks:
  - {id: child, type: io.svc.plugin.core.flow.Subflow, namespace: depends, flowId: hello}
`,
      );
      await page.goto("/ui/flows/edit/depends/hello/dependencies");
      await page.getByText("starts by a task").waitFor();
      await page.getByRole("link", { name: "depends.parent" }).click();
      await page.waitForURL("**/ui/flows/edit/depends/parent");
    },
  },
  {
    name: "many dependencies are shown in pages",
    run: async (page, server) => {
      await saveFlow(server, helloIn("many"));
      const task = "{id: child, type: io.svc.plugin.core.flow.Subflow, namespace: many, flowId: hello}";
      for (let count = 1; count <= 101; count++) {
        await saveFlow(server, `id: parent${count}\nnamespace: many\ntasks: [${task}]\n`);
      }
      await page.goto("/ui/flows/edit/many/hello/dependencies");
      await page.getByText("Page 1 of 2").waitFor();
      await page.getByRole("button", { name: "Next page" }).click();
      await page.getByRole("link", { name: "many.parent99" }).waitFor();
    },
  },
  {
    name: "the triggers of the flow show what their latest evaluation came to",
    run: async (page, server) => {
      const trigger = "{id: hook, type: io.svc.plugin.core.trigger.Webhook, key: a-long-enough-key}";
      await saveFlow(server, `${helloIn("hooked").replace(/^triggers:[^]*/m, "")}triggers: [${trigger}]\n`);
      const path = "/executions/webhook/hooked/hello/a-long-enough-key";
      await server.json("GET", path);
      const { id } = await server.json<{ readonly id: string }>("GET", path);
      await page.goto("/ui/flows/edit/hooked/hello/triggers");
      await page.getByRole("row", { name: /hook .*STARTED/ }).getByRole("link", { name: id }).waitFor();
      await page.getByRole("link", { name: "hook", exact: true }).click();
      await page.getByRole("dialog", { name: "hook" }).waitFor();
    },
  },
  {
    name: "executions and log lines of the flow are filtered",
    run: async (page, server) => {
      await saveFlow(server, helloIn("lists"));
      await runFlow(server, "lists/hello");
      await page.goto("/ui/flows/edit/lists/hello/executions");
      await page.getByRole("cell", { name: "SUCCESS" }).waitFor();
      await page.getByLabel("State", { exact: true }).selectOption("FAILED");
      await page.getByText("No execution matches the filters").waitFor();
      await page.goto("/ui/flows/edit/lists/hello/logs");
      await page.getByText("Hello World").waitFor();
      await page.getByLabel("Level").selectOption("ERROR");
      await page.getByText("There are no log lines").waitFor();
    },
  },
]);
