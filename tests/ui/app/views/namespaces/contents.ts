/** What stories of namespaces put there by the API, and how they fill forms. */
import type { Page } from "../../../../support/browser/browser.ts";
import { json } from "../../../../support/flows/request_bodies.ts";
import type { ServerProcess } from "../../../../support/processes/server_process.ts";

/** Sends a request that must succeed. */
export async function send(
  server: ServerProcess,
  method: string,
  path: string,
  init: RequestInit = {},
): Promise<void> {
  const response = await fetch(`${server.url}/api/v1/main/namespaces/${path}`, { ...init, method });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
}

/** Creates a namespace: without it there is nothing that variables and defaults belong to. */
export async function createNamespace(server: ServerProcess, id: string): Promise<void> {
  await server.json("POST", "/namespaces", json({ id }));
}

/** Saves contents of a file one after the other, each as a revision. */
export async function putFile(
  server: ServerProcess,
  namespace: string,
  path: string,
  ...contents: readonly BlobPart[]
): Promise<void> {
  for (const content of contents) {
    const body = new FormData();
    body.append("fileContent", new File([content], "content"));
    await send(server, "POST", `${namespace}/files?path=${encodeURIComponent(path)}`, { body });
  }
}

/** The text of a file, or `undefined`. */
export async function fileText(
  server: ServerProcess,
  namespace: string,
  path: string,
): Promise<string | undefined> {
  const url = `${server.url}/api/v1/main/namespaces/${namespace}/files?path=${encodeURIComponent(path)}`;
  const response = await fetch(url);
  const text = await response.text();
  return response.ok ? text : undefined;
}

/** Sets a KV pair. */
export async function putPair(
  server: ServerProcess,
  namespace: string,
  key: string,
  value: unknown,
): Promise<void> {
  await send(server, "PUT", `${namespace}/kv/${key}`, json(JSON.stringify(value)));
}

/** Sets a secret. */
export async function putSecret(server: ServerProcess, namespace: string, key: string): Promise<void> {
  await send(server, "PUT", `${namespace}/secrets`, json({ key, value: "hidden-value" }));
}

/** Opens a tab of a namespace; `rest` is added to the address. */
export async function openTab(page: Page, namespace: string, tab: string, rest = ""): Promise<void> {
  await page.goto(`/ui/namespaces/${namespace}/${tab}${rest}`);
}

/** Fills a field of the open dialog. */
export async function fill(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole("dialog").getByLabel(label, { exact: true }).fill(text);
}

/** Presses a button of the open dialog. */
export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
}

/** Waits until the editor of a file has a text. */
export async function waitForText(page: Page, text: string): Promise<void> {
  await page.waitForFunction((wanted) => document.querySelector("textarea")?.value === wanted, text);
}
