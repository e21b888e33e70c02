/** What a server holds before it is fuzzed, and again and again while it is: flows, executions, files, KV pairs. */
import type { IdPool } from "./pool.ts";
import { BODIES, FLOW_IDS, FLOWS, NAMESPACE, PLANTED } from "./recorded.ts";

/** Sends a request to the API; the path begins below `/api/v1`. */
export type Send = (method: string, path: string, init?: RequestInit) => Promise<Response>;

/** Name of the token that a run uses itself. */
export const OWN_TOKEN = "fuzz-run";
const YAML = { "content-type": "application/x-yaml" };
const JSON_TYPE = { "content-type": "application/json" };
/** Revisions that are removed at a time, so that their numbers fit the path. */
const MAX_REVISIONS = 300;
const STARTED = ["plain", "typed", "failing", "paused", "sleeping", "loop", "files", "limited", "parent"];
const BELOW = `/main/namespaces/${NAMESPACE}`;

/** Stores what is not there, starts each flow, and learns the ids. */
export async function fillServer(send: Send, pool: IdPool): Promise<void> {
  const text = async (method: string, path: string, init?: RequestInit) =>
    await (await send(method, path, init)).text();
  for (const [index, body] of FLOWS.entries()) {
    const response = await send("PUT", `/main/flows/${NAMESPACE}/${FLOW_IDS[index]}`, {
      body,
      headers: YAML,
    });
    await response.body?.cancel();
    if (!response.ok) await text("POST", "/main/flows", { body, headers: YAML });
  }
  const secret = JSON.stringify({ key: "PLANTED", value: PLANTED.secret });
  await text("PUT", `${BELOW}/secrets`, { body: secret, headers: JSON_TYPE });
  await text("PUT", `${BELOW}/kv/k1`, { body: '{"a":1}', headers: JSON_TYPE });
  const file = new FormData();
  file.set("fileContent", new Blob(["some text\n"]), "notes.txt");
  await text("POST", `${BELOW}/files?path=/notes.txt`, { body: file });
  const [type, dashboard] = BODIES.get("POST /dashboards")?.[0] ?? [];
  const headers = { "content-type": type ?? "" };
  pool.learn("/dashboards", await text("POST", "/main/dashboards", { body: dashboard, headers }));
  for (const flow of STARTED) await text("POST", `/main/executions/${NAMESPACE}/${flow}`);
  pool.learn("/executions/search", await text("GET", "/main/executions/search?size=50&sort=id:desc"));
}

/** Removes all executions if there are more than `most`: each replay of all of them doubles their number. */
export async function boundExecutions(send: Send, most: number): Promise<void> {
  const { total } = await (await send("GET", "/main/executions/search?size=1")).json();
  if (total <= most) return;
  const response = await send("DELETE", "/main/executions/by-query?includeNonTerminated=true");
  await response.body?.cancel();
}

interface Calls {
  readonly list: (path: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly remove: (path: string) => Promise<void>;
}

async function removeOldRevisions(path: string, { list, remove }: Calls): Promise<void> {
  const old = (await list(path)).slice(0, -1).slice(0, MAX_REVISIONS).map(({ revision }) =>
    `revisions=${revision}`
  );
  if (old.length > 0) await remove(`${path}?${old.join("&")}`);
}

/** Removes what requests have created beside that, so that it does not pile up. */
export async function tidyServer(send: Send): Promise<void> {
  const list = async (path: string) => {
    const response = await send("GET", path);
    const text = await response.text();
    const body = response.ok ? JSON.parse(text) : [];
    return (body.results ?? body) as Readonly<Record<string, unknown>>[];
  };
  const remove = async (path: string, body?: unknown) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body), headers: JSON_TYPE };
    await (await send("DELETE", path, init)).body?.cancel();
  };
  const flows = await list("/main/flows/search?size=10000");
  const others = flows.filter(({ id, namespace }) =>
    namespace !== NAMESPACE || !FLOW_IDS.includes(String(id))
  );
  const keys = others.map(({ id, namespace }) => ({ id, namespace }));
  if (keys.length > 0) await remove("/main/flows/delete/by-ids", keys);
  for (const { namespace, key } of await list("/main/kv?size=10000")) {
    await remove(`/main/namespaces/${namespace}/kv`, { keys: [key] });
  }
  for (const flowId of FLOW_IDS) {
    await removeOldRevisions(`/main/flows/${NAMESPACE}/${flowId}/revisions`, { list, remove });
  }
  for (const { id, name } of await list("/me/api-tokens?size=10000")) {
    if (name !== OWN_TOKEN) await remove(`/me/api-tokens/${id}`);
  }
  for (const { id } of await list("/main/dashboards?size=10000")) await remove(`/main/dashboards/${id}`);
  for (const { id } of await list("/tenants/search?size=1000")) {
    if (id !== "main") await remove(`/tenants/${encodeURIComponent(String(id))}`);
  }
  for (const path of ["/a", "/c", "/moved.txt"]) await remove(`${BELOW}/files?path=${path}`);
  await remove(
    "/main/executions/by-query?filters[flowId][IN]=sleeping,limited,paused&includeNonTerminated=true",
  );
}
