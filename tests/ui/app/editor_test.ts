/** The editor of a flow in a browser: writing, problems, graph, documentation, saving, and people who edit at the same time. */
import { assert, assertEquals } from "@std/assert";
import { stories } from "../../support/browser/browser.ts";
import {
  goBehind,
  helloIn,
  nextQuestion,
  openEditor,
  storedHello,
  updateHello,
  writeSource,
} from "./editing.ts";
import { saveFlow } from "./flows.ts";
import { checkWidth } from "./list_page.ts";

stories("the editor", [
  {
    name: "a problem has its line, leads there, and is fixed by what was meant",
    run: async (page, server) => {
      await saveFlow(server, helloIn("fix"));
      await openEditor(page, "fix");
      await writeSource(page, helloIn("fix").replace("message:", "mesage:").replace("log.Log", "log.Logg"));
      const problems = page.getByRole("list", { name: "Problems" });
      await problems.getByText(/^16:/).waitFor();
      await page.getByText("✕ Problems:").waitFor();
      await problems.getByRole("button", { name: /Replace by io\..*\.core\.log\.Log$/ }).click();
      await problems.getByText(/^17:/).click();
      await page.locator(".cm-activeLine").filter({ hasText: "mesage" }).waitFor();
      await problems.getByRole("button", { name: "Replace by message" }).click();
      await page.getByText("✓ Valid").waitFor();
      await page.getByText("Not saved").waitFor({ state: "detached" });
    },
  },
  {
    name: "on a small screen the text of a problem is as wide as the screen, above the button that fixes it",
    size: "small",
    run: async (page, server) => {
      await saveFlow(server, helloIn("narrow.problem"));
      await openEditor(page, "narrow.problem");
      await writeSource(page, helloIn("narrow.problem").replace("log.Log", "log.Logg"));
      const problem = page.getByRole("list", { name: "Problems" }).getByRole("listitem");
      const [text, fix] = [
        problem.getByText(/did you mean/),
        problem.getByRole("button", { name: /^Replace by/ }),
      ];
      const [above, below] = [await text.boundingBox(), await fix.boundingBox()];
      assert(above && below);
      assert(above.width > 300, `the text is ${above.width} px wide`);
      assert(below.y >= above.y + above.height, "the button is beside the text");
      await checkWidth(page);
      await fix.click();
      await page.getByText("✓ Valid").waitFor();
    },
  },
  {
    name: "letters that are keys of the page are written into the source",
    run: async (page, server) => {
      await saveFlow(server, helloIn("letters"));
      await openEditor(page, "letters");
      await writeSource(page, "");
      const text = "# message: get glad, go. / ? j k x r";
      await page.keyboard.type(text);
      await page.locator(".cm-line").filter({ hasText: text }).waitFor();
      assertEquals(new URL(page.url()).pathname, "/ui/flows/edit/letters/hello/editor");
    },
  },
  {
    name: "Enter indents what belongs to a key, also at the end of the source",
    run: async (page, server) => {
      await saveFlow(server, helloIn("indent"));
      await openEditor(page, "indent");
      await writeSource(page, "id: hello\nnamespace: indent\n");
      for (const line of ["tasks:", "- id: a", "type: io.kestra.plugin.core.flow.Sequential", "tasks:"]) {
        // Both are sent at once: Enter would accept a completion of a line that is some time old.
        await Promise.all([page.keyboard.insertText(line), page.keyboard.press("Enter")]);
      }
      await page.keyboard.insertText("- id: b");
      const indents = (await page.locator(".cm-line").allTextContents()).slice(2).map((line) =>
        line.search(/\S/)
      );
      assertEquals(indents, [0, 2, 4, 4, 6]);
    },
  },
  {
    name: "the graph follows the text, and leads to the task in it",
    size: "small",
    run: async (page, server) => {
      await saveFlow(server, helloIn("graph"));
      await openEditor(page, "graph");
      await writeSource(page, helloIn("graph").replace("- id: say", "- id: greet"));
      await page.getByRole("button", { name: "greet Log" }).click();
      await page.locator(".cm-activeLine").filter({ hasText: "id: greet" }).waitFor();
      await page.getByRole("button", { name: "daily Schedule" }).click();
      await page.locator(".cm-activeLine").filter({ hasText: "id: daily" }).waitFor();
      await writeSource(page, helloIn("graph"));
      await page.getByRole("button", { name: "say Log" }).waitFor();
    },
  },
  {
    name: "the documentation is that of the type under the cursor",
    scheme: "dark",
    run: async (page, server) => {
      await saveFlow(server, helloIn("docs"));
      await openEditor(page, "docs");
      await page.getByRole("button", { name: "Documentation" }).click();
      await page.getByText("Put the cursor into a task or a trigger").waitFor();
      await goBehind(page, "Hello {{ inputs.name }}");
      await page.getByText("Writes a message to the log.").waitFor();
      await goBehind(page, "cron:");
      await page.getByRole("cell", { name: "cron", exact: true }).waitFor();
      assertEquals(new URL(page.url()).search, "?side=docs");
      await page.getByRole("link", { name: "Open as a page" }).click();
      await page.waitForURL(/\/ui\/plugins\/io\..*\.core\.trigger\.Schedule$/);
    },
  },
  {
    name: "the keyboard alone writes, undoes, saves and runs",
    run: async (page, server) => {
      await saveFlow(server, helloIn("keys"));
      await openEditor(page, "keys");
      await page.getByRole("textbox", { name: "Source of the flow" }).focus();
      await page.keyboard.press("ControlOrMeta+End");
      await page.keyboard.type("x");
      await page.getByText("✕ Problems:").waitFor();
      await page.keyboard.press("ControlOrMeta+z");
      await page.getByText("✓ Valid").waitFor();
      await page.keyboard.press("ControlOrMeta+f");
      await page.keyboard.type("team: core");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
      await page.keyboard.type("team: keys");
      await page.keyboard.press("ControlOrMeta+s");
      await page.getByText("Saved as revision 2").waitFor();
      await page.keyboard.press("ControlOrMeta+Enter");
      const dialog = page.getByRole("dialog", { name: "Run keys.hello" });
      await dialog.getByRole("textbox", { name: /name/ }).waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      assert((await storedHello(server, "keys")).source.includes("team: keys"));
    },
  },
  {
    name: "a run saves the changes first",
    run: async (page, server) => {
      await saveFlow(server, helloIn("run"));
      await openEditor(page, "run");
      await writeSource(page, helloIn("run").replace("Hello {{", "Hi {{"));
      await page.getByRole("button", { name: /^Run Ctrl/ }).click();
      await page.getByText("Saved as revision 2").waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
      await page.waitForURL(/\/ui\/executions\/run\/hello\/\w+$/);
      const search = "/executions/search?namespace=run";
      const { results } = await server.json<{ results: { flowRevision: number }[] }>("GET", search);
      assertEquals(results.map(({ flowRevision }) => flowRevision), [2]);
    },
  },
  {
    name: "a source with an error is not saved",
    expectedErrors: /422/,
    run: async (page, server) => {
      await saveFlow(server, helloIn("wrong"));
      await openEditor(page, "wrong");
      await writeSource(page, helloIn("wrong").replace("id: say", "id: say say"));
      await page.getByText("✕ Problems:").waitFor();
      await page.getByRole("button", { name: /^Save/ }).click();
      await page.locator(".toast.bad").waitFor();
      assertEquals((await storedHello(server, "wrong")).revision, 1);
      await page.getByText("Not saved").waitFor();
    },
  },
  {
    name: "a change of another person is shown before one saves, and can be taken over",
    run: async (page, server) => {
      await saveFlow(server, helloIn("behind"));
      await openEditor(page, "behind");
      await updateHello(server, "behind", helloIn("behind").replace("team: core", "team: theirs"));
      // A page that becomes visible again looks at once.
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
      await page.getByText("Revision 2 of this flow was saved meanwhile.").waitFor();
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Discard mine" }).click();
      await page.locator(".cm-line").filter({ hasText: "team: theirs" }).waitFor();
      await page.getByText("saved meanwhile").waitFor({ state: "detached" });
    },
  },
  {
    name: "what another person has saved is not overwritten without a decision",
    expectedErrors: /412/,
    run: async (page, server) => {
      await saveFlow(server, helloIn("conflict"));
      await openEditor(page, "conflict");
      await writeSource(page, helloIn("conflict").replace("team: core", "team: mine"));
      await updateHello(server, "conflict", helloIn("conflict").replace("team: core", "team: theirs"));
      await page.keyboard.press("ControlOrMeta+s");
      const dialog = page.getByRole("dialog");
      await dialog.getByText("theirs").waitFor();
      await dialog.getByText("mine", { exact: true }).first().waitFor();
      await dialog.getByRole("button", { name: "Continue editing" }).click();
      assertEquals((await storedHello(server, "conflict")).revision, 2);
      await page.getByText("Not saved").waitFor();
      await page.keyboard.press("ControlOrMeta+s");
      await dialog.getByRole("button", { name: "Save mine" }).click();
      await page.getByText("Saved as revision 3").waitFor();
      assert((await storedHello(server, "conflict")).source.includes("team: mine"));
    },
  },
  {
    name: "on a small screen a conflict is shown as one text",
    size: "small",
    scheme: "dark",
    expectedErrors: /412/,
    run: async (page, server) => {
      await saveFlow(server, helloIn("narrow"));
      await openEditor(page, "narrow");
      await writeSource(page, helloIn("narrow").replace("team: core", "team: mine"));
      await updateHello(server, "narrow", helloIn("narrow").replace("team: core", "team: theirs"));
      await page.getByRole("button", { name: /^Save/ }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("theirs").waitFor();
      await dialog.getByText("mine", { exact: true }).first().waitFor();
    },
  },
  {
    name: "links and the Back button ask before unsaved changes are lost",
    run: async (page, server) => {
      await saveFlow(server, helloIn("unsaved"));
      await page.goto("/ui/flows?namespace=unsaved");
      await page.getByRole("link", { name: "hello" }).click();
      await page.getByRole("link", { name: "Editor" }).click();
      await page.getByText("✓ Valid").waitFor();
      await writeSource(page, helloIn("unsaved").replace("team: core", "team: mine"));
      const leave = [
        () => page.getByRole("link", { name: "Overview" }).click(),
        () => page.getByRole("link", { name: "Dashboard" }).click(),
        () => page.evaluate(() => history.back()),
      ];
      for (const action of leave) {
        const [message] = await Promise.all([nextQuestion(page), action()]);
        assert(message.includes("not saved"));
        await page.getByText("Not saved").waitFor();
        assert(page.url().endsWith("/ui/flows/edit/unsaved/hello/editor"), page.url());
      }
      await Promise.all([nextQuestion(page, true), page.evaluate(() => history.back())]);
      await page.getByRole("heading", { name: "Last executions" }).waitFor();
      assertEquals((await storedHello(server, "unsaved")).revision, 1);
    },
  },
  {
    name: "after saving, the page is left without a question",
    run: async (page, server) => {
      await saveFlow(server, helloIn("saved"));
      await openEditor(page, "saved");
      await writeSource(page, helloIn("saved").replace("team: core", "team: mine"));
      await page.getByRole("button", { name: /^Save/ }).click();
      await page.getByText("Saved as revision 2").waitFor();
      await page.getByRole("link", { name: "Overview" }).click();
      await page.getByText("team: mine").waitFor();
    },
  },
]);
