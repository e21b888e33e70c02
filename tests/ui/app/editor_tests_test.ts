/** Tests of a flow with fixtures, in its editor. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Page, stories } from "../../support/browser/browser.ts";
import type { ServerProcess } from "../../support/processes/server_process.ts";
import { helloIn, openEditor, storedHello } from "./editing.ts";
import { runFlow, saveFlow } from "./flows.ts";

const TASKS = `tasks:
  - id: fetch
    type: io.svc.plugin.core.debug.Return
    format: fetched text
  - id: both
    type: io.svc.plugin.core.flow.Sequential
    tasks:
      - id: shout
        type: io.svc.plugin.core.debug.Return
        format: "{{ outputs.fetch.value | upper }}"
`;

function shoutIn(namespace: string): string {
  return helloIn(namespace).replace(/tasks:[^]*/, TASKS);
}

function caseOf(page: Page) {
  return page.getByRole("textbox", { name: "Test case" });
}

/** Replaces the text of an editor. */
async function write(page: Page, editor: string, source: string): Promise<void> {
  await page.getByRole("textbox", { name: editor }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(source);
}

function caseWith(expected: string): string {
  return `fixtures:
  tasks:
    - id: fetch
      outputs: {value: "given to {{ inputs.name }}"}
assertions:
  - value: "{{ outputs.shout.value }}"
    equalTo: ${expected}
    description: in capitals
`;
}

async function kindsOf(server: ServerProcess, namespace: string): Promise<(string | undefined)[]> {
  type Found = { readonly results: readonly { readonly kind?: string }[] };
  const path = `/executions/search?namespace=${namespace}&kind=TEST&kind=NORMAL`;
  const { results } = await server.json<Found>("GET", path);
  return results.map(({ kind }) => kind);
}

stories("tests in the editor", [
  {
    name:
      "a test case begins with the outputs of the last run; its results are listed, and link to the execution",
    run: async (page, server) => {
      await saveFlow(server, shoutIn("cases"));
      await runFlow(server, "cases/hello");
      await openEditor(page, "cases");
      await page.getByRole("button", { name: "Test…" }).click();
      await caseOf(page).getByText(/"FETCHED TEXT"/).waitFor();
      const text = await caseOf(page).innerText();
      assertStringIncludes(text, 'name: "World"');
      assertEquals(text.match(/- id: \w+/g), ["- id: fetch", "- id: shout"]);
      await page.getByRole("button", { name: "Run test" }).click();
      const results = page.getByRole("list", { name: "Assertions" });
      await results.getByText("Passed").waitFor();
      await write(page, "Test case", caseWith("OTHER NAME"));
      await page.getByRole("button", { name: "Run test" }).click();
      await results.getByText("Failed").waitFor();
      await results.getByText('in capitals equalTo "OTHER NAME" Actual value: "GIVEN TO WORLD"').waitFor();
      await page.getByRole("link", { name: "Open execution" }).click();
      await page.waitForURL("**/ui/executions/cases/hello/*");
      await page.goBack();
      await caseOf(page).getByText("equalTo: OTHER NAME").waitFor();
    },
  },
  {
    name: "a test stores the changes of the flow, by the keyboard on a small page",
    size: "small",
    scheme: "dark",
    run: async (page, server) => {
      await saveFlow(server, shoutIn("keys"));
      await openEditor(page, "keys");
      await page.getByRole("button", { name: "Test…" }).press("Enter");
      await page.waitForFunction(() => document.activeElement?.closest(".editor-test") !== null);
      assert(await caseOf(page).evaluate((editor) => editor.getBoundingClientRect().top < innerHeight));
      await write(page, "Test case", caseWith("GIVEN TO WORLD!"));
      await write(page, "Source of the flow", shoutIn("keys").replace("upper }}", "upper }}!"));
      await caseOf(page).focus();
      await page.keyboard.press("ControlOrMeta+Enter");
      await page.getByRole("list", { name: "Assertions" }).getByText("Passed").waitFor();
      assertEquals((await storedHello(server, "keys")).revision, 2);
      assertEquals(await kindsOf(server, "keys"), ["TEST"]);
    },
  },
  {
    name: "a test case that is wrong says what is",
    expectedErrors: /422/,
    run: async (page, server) => {
      await saveFlow(server, shoutIn("wrong"));
      await openEditor(page, "wrong", "?side=test");
      await write(page, "Test case", "fixtures: {tasks: [{id: missing}]}");
      await page.getByRole("button", { name: "Run test" }).click();
      await page.getByRole("alert").getByText('the flow has no task "missing"').waitFor();
    },
  },
]);
