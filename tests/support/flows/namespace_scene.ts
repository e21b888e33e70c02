/** A namespace with everything that a rename moves, and a look at it. */
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import type { Harness } from "../harness.ts";
import { fileForm, json } from "./request_bodies.ts";

/** The source of the flow with a comment, a schedule and a webhook, in one of the namespaces. */
export function mainFlow(namespace: string, message = "second"): string {
  return `# What it does
id: main
namespace: ${namespace}   # ours
labels: {team: x}
tasks:
  - {id: own, type: io.svc.plugin.core.flow.Subflow, namespace: '${namespace}', flowId: child}
  - id: a
    type: io.svc.plugin.core.debug.Return
    format: "${message} {{ kv('k') }} {{ secret('TOKEN') }} {{ namespace.v }} {{ read('dir/small.txt') }}"
triggers:
  - {id: daily, type: io.svc.plugin.core.trigger.Schedule, cron: "0 3 * * *"}
  - {id: off, type: io.svc.plugin.core.trigger.Schedule, cron: "0 4 * * *"}
  - {id: hook, type: io.svc.plugin.core.trigger.Webhook, key: abcdefgh12345678}
`;
}

/** A flow of that namespace without anything. */
export function childFlow(namespace: string): string {
  return `id: child\nnamespace: ${namespace}\nconcurrency: {limit: 2}\ntasks:\n  - {id: a, type: io.svc.plugin.core.debug.Return, format: a}\n`;
}

const LARGE_FILE = "x".repeat(150_000);

/** Fills namespace `old` and, below it, `old.sub`. */
export async function fillNamespace(app: Harness): Promise<void> {
  const at = "/namespaces/old";
  await app.json("POST", "/namespaces", json({ id: "old", description: "d", variables: { v: "var" } }));
  await app.save(childFlow("old"));
  await app.save(mainFlow("old", "first"));
  await app.json("PUT", "/flows/old/main", {
    headers: { "content-type": "application/x-yaml" },
    body: mainFlow("old"),
  });
  await app.save(childFlow("old.sub"));
  const off = { namespace: "old", flowId: "main", triggerId: "off", disabled: true };
  await app.json("PUT", "/triggers", json(off));
  await app.json("PUT", `${at}/kv/k`, {
    ...json('"small"'),
    headers: { ttl: "PT10H", "content-type": "application/json" },
  });
  await app.json("PUT", `${at}/kv/large`, json(JSON.stringify("y".repeat(100_000))));
  await app.json("PUT", "/namespaces/old.sub/kv/k", json('"sub"'));
  await app.json("PUT", `${at}/secrets`, json({ key: "TOKEN", value: "s3cret", description: "t" }));
  await app.json("POST", `${at}/files?path=/dir/small.txt`, fileForm("one"));
  await app.json("POST", `${at}/files?path=/dir/small.txt`, fileForm("two"));
  await app.json("POST", `${at}/files?path=/large.bin`, fileForm(LARGE_FILE));
}

/** What is in a namespace and the one below it, without what depends on its name. */
export async function contentOf(app: Harness, namespace: string): Promise<JsonObject> {
  const at = `/namespaces/${namespace}`;
  const text = async (path: string) => {
    const response = await app.request("GET", path);
    const body = await response.text();
    return response.ok ? body : String(response.status);
  };
  const content: Record<string, JsonValue> = {
    namespace: await text(at),
    revisions: await text(`/flows/${namespace}/main/revisions`),
    child: await text(`/flows/${namespace}/child`),
    sub: await text(`/flows/${namespace}.sub/child`),
    triggers: await text(`/triggers/${namespace}/main?size=10&sort=triggerId:asc`),
    pairs: await text(`${at}/kv`),
    small: await text(`${at}/kv/k`),
    large: await text(`${at}/kv/large`),
    subPair: await text(`/namespaces/${namespace}.sub/kv/k`),
    secrets: await text(`${at}/secrets`),
    files: await text(`${at}/files/search?q=`),
    history: await text(`${at}/files/revisions?path=/dir/small.txt`),
    first: await text(`${at}/files?path=/dir/small.txt&revision=1`),
    file: await text(`${at}/files?path=/dir/small.txt`),
    largeFile: (await text(`${at}/files?path=/large.bin`) === LARGE_FILE).toString(),
  };
  return JSON.parse(JSON.stringify(content).replaceAll(new RegExp(`\\b${namespace}\\b`, "g"), "NS"));
}
