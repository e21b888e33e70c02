/** What stories of flows and their editor have in common. */
import type { Page } from "../../support/browser/browser.ts";
import type { ServerProcess } from "../../support/processes/server_process.ts";

const YAML = { "content-type": "application/x-yaml" };

/** A flow with labels, inputs, a task and a schedule. */
export function helloIn(namespace: string): string {
  return `id: hello
namespace: ${namespace}
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
}

/** Saves the next revision of the flow `hello`. */
export async function updateHello(server: ServerProcess, namespace: string, source: string): Promise<void> {
  await server.json("PUT", `/flows/${namespace}/hello`, { headers: YAML, body: source });
}

/** The flow `hello` as it is stored. */
export function storedHello(
  server: ServerProcess,
  namespace: string,
): Promise<{ source: string; revision: number }> {
  return server.json("GET", `/flows/${namespace}/hello?source=true`);
}

/** Opens the editor of the flow `hello`, and waits until it is ready. */
export async function openEditor(page: Page, namespace: string, query = ""): Promise<void> {
  await page.goto(`/ui/flows/edit/${namespace}/hello/editor${query}`);
  await page.getByText("✓ Valid").waitFor();
}

/** Replaces the source in the editor without the help that the editor gives to people. */
export async function writeSource(page: Page, source: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(source);
}

/** Puts the cursor behind a text of the editor. */
export async function goBehind(page: Page, text: string): Promise<void> {
  await page.locator(".cm-line").filter({ hasText: text }).first().click();
  await page.keyboard.press("End");
}

/** The message of the next question of the browser, which is declined unless `isAccepted`. */
export function nextQuestion(page: Page, isAccepted = false): Promise<string> {
  return new Promise((resolve) =>
    page.once("dialog", (dialog) => {
      resolve(dialog.message());
      void (isAccepted ? dialog.accept() : dialog.dismiss());
    })
  );
}
