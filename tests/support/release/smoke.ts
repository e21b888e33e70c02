/** The smoke test that every build must pass: the first minutes of a new user, over HTTP, against a running server. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ServerProcess } from "../processes/server_process.ts";

const NAMESPACE = "smoke.test";
const FLOW = `id: hello
namespace: ${NAMESPACE}
inputs:
  - id: name
    type: STRING
    defaults: world
tasks:
  - id: greet
    type: io.svc.plugin.core.debug.Return
    format: "Hello {{ inputs.name }}"
`;

/** Asks the server for what a new user would; nothing of it may be there before. */
export async function smoke(server: ServerProcess): Promise<void> {
  const api = `${server.url}/api/v1/main`;
  await createFlow(api);
  await runFlow(api);
  await storePair(api);
  await storeFile(api);
  await showPages(server.url);
}

async function createFlow(api: string): Promise<void> {
  const headers = { "content-type": "application/x-yaml" };
  const flow = await json(await fetch(`${api}/flows`, { method: "POST", headers, body: FLOW }));
  assertEquals([flow["id"], flow["namespace"], flow["revision"]], ["hello", NAMESPACE, 1]);
}

async function runFlow(api: string): Promise<void> {
  const body = new FormData();
  body.set("name", "smoke");
  const url = `${api}/executions/${NAMESPACE}/hello?wait=true`;
  const { id } = await json(await fetch(url, { method: "POST", body }));
  const execution = await (await fetch(`${api}/executions/${id}`)).text();
  assertMatch(execution, /"current":\s*"SUCCESS"/);
  assertStringIncludes(execution, "Hello smoke");
}

async function storePair(api: string): Promise<void> {
  const url = `${api}/namespaces/${NAMESPACE}/kv/color`;
  const put = await fetch(url, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: '"blue"',
  });
  assertEquals([put.status, await put.text()], [200, ""]);
  const pair = await json(await fetch(url));
  assertEquals([pair["type"], pair["value"]], ["STRING", "blue"]);
}

async function storeFile(api: string): Promise<void> {
  const url = `${api}/namespaces/${NAMESPACE}/files?path=/notes.txt`;
  const body = new FormData();
  body.set("fileContent", new Blob(["a note"]), "notes.txt");
  const post = await fetch(url, { method: "POST", body });
  await post.body?.cancel();
  assertEquals(post.ok, true);
  assertEquals(await (await fetch(url)).text(), "a note");
}

/** The start page and what it embeds: a binary has to carry both. */
async function showPages(url: string): Promise<void> {
  const page = await fetch(`${url}/ui/`);
  assertEquals(page.status, 200);
  const [, style = ""] = /<link[^>]+href="([^"]+\.css[^"]*)"/.exec(await page.text()) ?? [];
  const sheet = await fetch(new URL(style, page.url));
  assertEquals([sheet.status, sheet.headers.get("content-type")], [200, "text/css; charset=utf-8"]);
  await sheet.body?.cancel();
}

async function json(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  assertEquals(response.status, 200, text);
  return JSON.parse(text);
}
