/** KV pairs of namespaces. */
import { type Context, Hono } from "hono";
import { optionalIso, toIso } from "../../../base/time/clock.ts";
import { isJsonObject, ownProperty } from "../../../base/json.ts";
import { DomainError } from "../../../model/errors.ts";
import { type KvPairId, type KvPairInfo, parseKvValue } from "../../../model/namespaces/kv_pair.ts";
import { MAX_KV_VALUE_BYTES } from "../../../model/limits.ts";
import type { KvPairs } from "../../../services/namespaces/kv_pairs.ts";
import { mediaTypeOf, readBytes, readOptionalJson } from "../../bodies/body.ts";
import { isTextList } from "../../bodies/entity_body.ts";
import { noteChanges } from "../../audit/bulk_changes.ts";
import type { AppEnv } from "../../env.ts";
import { readItemFilter } from "../../filters/item_filters.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { takePage } from "../../responses/list_page.ts";
import { queryOf, readPaging } from "../../forms/params.ts";
import { invalidEntity } from "../../refusals.ts";

const SORT_FIELDS = new Map<string, (pair: KvPairInfo) => string | number>([
  ["key", (pair) => pair.key],
  ["name", (pair) => pair.key],
  ["namespace", (pair) => pair.namespace],
  ["updateDate", (pair) => pair.updatedAt],
  ["creationDate", (pair) => pair.createdAt],
  ["expirationDate", (pair) => pair.expiresAt ?? Infinity],
  ["revision", (pair) => pair.revision],
  ["description", (pair) => pair.description ?? ""],
]);

/** `GET /kv`, and below `/namespaces/:namespace/kv`: `GET` and `DELETE` of lists, `GET /inheritance`, `GET`, `PUT`, `DELETE /:key`. */
export function kvPairRoutes(kvPairs: KvPairs): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addListRoutes(routes, kvPairs);
  routes.put("/namespaces/:namespace/kv/:key", async (c) => {
    const isPlainText = readIsPlainText(c);
    const text = decodeUtf8(await readBytes(c, MAX_KV_VALUE_BYTES));
    const value = parseKvValue(text, { isPlainText });
    const [ttl, description] = [c.req.header("ttl"), c.req.header("description")];
    await kvPairs.put(c.get("actor"), idOf(c), value, { ttl, description });
    return c.body(null, 200);
  });
  routes.get("/namespaces/:namespace/kv/:key", async (c) => {
    const { type, value, revision, updatedAt } = await kvPairs.get(c.get("actor"), idOf(c));
    return valueResponse({ type, value, revision, updated: toIso(updatedAt) });
  });
  routes.delete("/namespaces/:namespace/kv/:key", async (c) => {
    return c.json(await kvPairs.delete(c.get("actor"), idOf(c)));
  });
  return routes;
}

function addListRoutes(routes: Hono<AppEnv>, kvPairs: KvPairs): void {
  routes.get("/kv", async (c) => {
    const query = queryOf(c);
    const [filter, paging] = [readItemFilter(query), readPaging(query)];
    const found = await kvPairs.search(c.get("actor"), (pair) => filter({ ...pair, name: pair.key }));
    return c.json({ results: takePage(found, paging, SORT_FIELDS).map(entryBody), total: found.length });
  });
  routes.get("/namespaces/:namespace/kv", async (c) => {
    const pairs = await kvPairs.list(c.get("actor"), c.req.param("namespace"));
    return c.json(pairs.map(entryBody));
  });
  routes.get("/namespaces/:namespace/kv/inheritance", async (c) => {
    const pairs = await kvPairs.listInherited(c.get("actor"), c.req.param("namespace"));
    return c.json(pairs.map(entryBody));
  });
  routes.delete("/namespaces/:namespace/kv", async (c) => {
    const keys = await kvPairs.deleteAll(c.get("actor"), c.req.param("namespace"), await readKeys(c));
    noteChanges(c, keys.length, keys);
    return c.json({ keys });
  });
}

/** The keys of a body; an empty object has none, but other members are not ignored: they may be misspelt. */
async function readKeys(c: Context<AppEnv>): Promise<string[]> {
  const body = await readOptionalJson(c);
  const keys = isJsonObject(body) ? ownProperty(body, "keys") : undefined;
  if (isTextList(keys)) return keys;
  if (isJsonObject(body) && Object.values(body).every((value) => value === null)) return [];
  throw invalidEntity('the body must be of the form {"keys": ["…"]}');
}

/** Whether the value is plain text or strict JSON, by the declared type. @throws DomainError unsupported_media_type */
function readIsPlainText(c: Context<AppEnv>): boolean {
  const type = mediaTypeOf(c.req.raw);
  if (type === "" || type === "text/plain") return true;
  if (type === "application/json" || type.endsWith("+json")) return false;
  throw new DomainError(
    "unsupported_media_type",
    `Unsupported Media Type: the body is ${
      JSON.stringify(type.slice(0, 100))
    }, but must be application/json or text/plain`,
  );
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DomainError("invalid_json", "Invalid json: the body is not UTF-8", { cause });
  }
}

function idOf(c: Context<AppEnv>): KvPairId {
  return { namespace: c.req.param("namespace") ?? "", key: c.req.param("key") ?? "" };
}

function entryBody(pair: KvPairInfo): object {
  return {
    namespace: pair.namespace,
    key: pair.key,
    type: pair.type,
    revision: pair.revision,
    description: pair.description,
    creationDate: toIso(pair.createdAt),
    updateDate: toIso(pair.updatedAt),
    expirationDate: optionalIso(pair.expiresAt),
  };
}
