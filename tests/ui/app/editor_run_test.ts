/** Runs from the editor of a flow, and the values of the last run beside its source. */
import { assertEquals } from "@std/assert";
import { type Page, stories } from "../../support/browser/browser.ts";
import type { ServerProcess } from "../../support/processes/server_process.ts";
import { goBehind, helloIn, openEditor, writeSource } from "./editing.ts";
import { runFlow, saveFlow } from "./flows.ts";

const PART = `tasks:
  - id: fetch
    type: io.svc.plugin.core.debug.Return
    format: '{{ inputs.name }} is here'
  - id: each
    type: io.svc.plugin.core.flow.ForEach
    values: [red, green]
    tasks:
      - id: paint
        type: io.svc.plugin.core.debug.Return
        format: "{{ taskrun.value }} paint"
  - id: broken
    type: io.svc.plugin.core.execution.Fail
`;

function stepsIn(namespace: string): string {
  return helloIn(namespace).replace(/tasks:[^]*/, PART);
}

/** The mark behind the id of a task. */
function markOf(page: Page, taskId: string) {
  return page.locator(".cm-line").filter({ hasText: `- id: ${taskId}` }).locator(".cm-run");
}

/** Starts what the open dialog offers. */
async function start(page: Page): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
}

async function statesOf(server: ServerProcess, namespace: string): Promise<string[]> {
  type Found = { readonly results: readonly { readonly state: { readonly current: string } }[] };
  const { results } = await server.json<Found>("GET", `/executions/search?namespace=${namespace}`);
  return results.map(({ state }) => state.current);
}

stories("runs in the editor", [
  {
    name: "marks say how each task ended, and move with the text",
    run: async (page, server) => {
      await saveFlow(server, stepsIn("marks"));
      await runFlow(server, "marks/hello");
      await openEditor(page, "marks");
      await markOf(page, "fetch").getByText("✓").waitFor();
      await markOf(page, "paint").getByText("✓ 2 ×").waitFor();
      await markOf(page, "broken").getByText("✕").waitFor();
      await goBehind(page, "team: core");
      await page.keyboard.press("Enter");
      await page.keyboard.type("more: yes");
      await markOf(page, "broken").getByText("✕").waitFor();
      await page.getByText("✓ Valid").waitFor();
      await page.keyboard.press("ControlOrMeta+s");
      await page.getByText("Saved as revision 2").waitFor();
      await page.getByRole("button", { name: "Last run" }).click();
      const side = page.getByRole("region", { name: /last run/ });
      await side.getByText("Revision 1", { exact: true }).waitFor();
    },
  },
  {
    name: "the outputs of the task under the cursor are shown, for each value of a loop",
    scheme: "dark",
    run: async (page, server) => {
      await saveFlow(server, stepsIn("values"));
      const id = await runFlow(server, "values/hello");
      await openEditor(page, "values", "?side=run");
      await page.getByRole("list", { name: "Tasks of the last run" }).getByRole("button", { name: "fetch" })
        .click();
      await page.getByRole("region", { name: "Values of fetch" }).getByText("World is here").waitFor();
      await goBehind(page, "{{ taskrun.value }} paint");
      const paint = page.getByRole("region", { name: "Values of paint" });
      await paint.getByText("red paint").waitFor();
      await paint.getByLabel("Runs of paint").selectOption("1");
      await paint.getByText("green paint").waitFor();
      await goBehind(page, "- id: broken");
      const broken = page.getByRole("region", { name: "Values of broken" });
      await broken.getByText("FAILED").waitFor();
      await broken.getByText("Task failure").waitFor();
      await page.getByRole("link", { name: "Open execution" }).click();
      await page.waitForURL(`**/ui/executions/values/hello/${id}`);
    },
  },
  {
    name: "a flow that has not run, and a task that did not, say so",
    size: "small",
    run: async (page, server) => {
      await saveFlow(server, stepsIn("never"));
      await openEditor(page, "never", "?side=run");
      await page.getByText("This flow has not run yet.").waitFor();
      await runFlow(server, "never/hello");
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
      await page.getByText("Put the cursor into a task").waitFor();
      const panel = page.getByRole("region", { name: "Graph, documentation, last run and test" });
      await panel.getByText("World", { exact: true }).waitFor();
      await writeSource(page, stepsIn("never").replace("id: broken", "id: other"));
      await goBehind(page, "- id: other");
      await page.getByText("Task other did not run in this execution.").waitFor();
      page.once("dialog", (dialog) => void dialog.accept());
    },
  },
  {
    name: "a run up to a task stops behind it, and shows its values beside the source",
    run: async (page, server) => {
      await saveFlow(server, stepsIn("part"));
      await openEditor(page, "part");
      await goBehind(page, "is here");
      await page.getByRole("button", { name: "Run up to fetch" }).click();
      const dialog = page.getByRole("dialog", { name: "Run part.hello up to task fetch" });
      await dialog.getByRole("textbox", { name: /name/ }).fill("Ada");
      await start(page);
      await page.getByRole("region", { name: "Values of fetch" }).getByText("Ada is here").waitFor();
      await markOf(page, "fetch").getByText("✓").waitFor();
      assertEquals(await markOf(page, "each").count(), 0);
      assertEquals(await statesOf(server, "part"), ["BREAKPOINT"]);
    },
  },
  {
    name: "a run up to a task of a loop, by the keyboard",
    scheme: "dark",
    run: async (page, server) => {
      await saveFlow(server, stepsIn("loop"));
      await openEditor(page, "loop");
      await goBehind(page, "{{ taskrun.value }} paint");
      await page.keyboard.press("ControlOrMeta+Shift+Enter");
      await page.getByRole("dialog", { name: "Run loop.hello up to task paint" }).waitFor();
      await page.getByRole("dialog").getByRole("textbox", { name: /name/ }).press("Enter");
      await markOf(page, "paint").getByText("✓ 2 ×").waitFor();
      assertEquals(await markOf(page, "broken").count(), 0);
      assertEquals(await statesOf(server, "loop"), ["BREAKPOINT"]);
    },
  },
  {
    name: "a run up to the last task runs all; a trigger offers none",
    run: async (page, server) => {
      await saveFlow(server, helloIn("last"));
      await openEditor(page, "last");
      await goBehind(page, "cron:");
      await page.getByRole("button", { name: "daily Schedule" }).waitFor();
      assertEquals(await page.getByRole("button", { name: /^Run up to/ }).count(), 0);
      await goBehind(page, "Hello {{ inputs.name }}");
      await page.getByRole("button", { name: "Run up to say" }).click();
      await start(page);
      await markOf(page, "say").getByText("✓").waitFor();
      await page.getByRole("region", { name: "Values of say" }).getByText("no outputs").waitFor();
      assertEquals(await statesOf(server, "last"), ["SUCCESS"]);
    },
  },
  {
    name: "a new flow is saved and run up to a task",
    run: async (page) => {
      await page.goto("/ui/flows/new?namespace=fresh");
      await page.getByText("✓ Valid").waitFor();
      await goBehind(page, "Hello World!");
      await page.getByRole("button", { name: "Run up to hello" }).click();
      await page.getByRole("dialog", { name: "Run fresh.my_flow up to task hello" }).waitFor();
      await start(page);
      await markOf(page, "hello").getByText("✓").waitFor();
    },
  },
]);
