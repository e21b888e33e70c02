/** Secrets of namespaces. No response contains a value. */
import { type Context, Hono } from "hono";
import { optionalIso } from "../../../base/time/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../../base/json.ts";
import type { SecretInfo, SecretMetadata, Secrets, SecretTag } from "../../../services/namespaces/secrets.ts";
import { filterInTurns } from "../../../model/list_filter.ts";
import { readEntity, textMember } from "../../bodies/entity_body.ts";
import { invalidEntity } from "../../refusals.ts";
import type { AppEnv } from "../../env.ts";
import { readItemFilter } from "../../filters/item_filters.ts";
import { takePage } from "../../responses/list_page.ts";
import { queryOf, readPaging } from "../../forms/params.ts";

const SORT_FIELDS: ReadonlyMap<string, (secret: SecretInfo) => string> = new Map([
  ["key", (secret: SecretInfo) => secret.name],
  ["namespace", (secret: SecretInfo) => secret.namespace],
]);

const FORM = 'a secret is of the form {"key": "…", "value": "…"}';

/** `GET /secrets`, and below `/namespaces/:namespace`: `GET`, `PUT /secrets`, `PATCH`, `DELETE /secrets/:key`, `GET /inherited-secrets`. */
export function secretRoutes(secrets: Secrets): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/secrets", async (c) => {
    const filter = readItemFilter(queryOf(c));
    return listBody(c, await secrets.search(c.get("actor"), filter));
  });
  routes.get("/namespaces/:namespace/secrets", async (c) => {
    const filter = readItemFilter(queryOf(c));
    const all = await secrets.listAll(c.get("actor"), c.req.param("namespace"));
    return listBody(c, await filterInTurns(all, filter));
  });
  routes.put("/namespaces/:namespace/secrets", async (c) => {
    const body = await readEntity(c, FORM);
    const [name, value] = [textMember(body, "key"), textMember(body, "value")];
    if (name === undefined || value === undefined) throw invalidEntity("key and value must be given");
    const namespace = c.req.param("namespace");
    await secrets.put(c.get("actor"), { namespace, name }, value, readMetadata(body));
    c.set("auditedIds", [["key", name]]);
    return c.json((await secrets.list(c.get("actor"), namespace)).map(secretBody));
  });
  routes.patch("/namespaces/:namespace/secrets/:key", async (c) => {
    const metadata = readMetadata(await readEntity(c, FORM));
    const { namespace, key: name } = c.req.param();
    await secrets.describe(c.get("actor"), { namespace, name }, metadata);
    return c.json((await secrets.list(c.get("actor"), namespace)).map(secretBody));
  });
  routes.delete("/namespaces/:namespace/secrets/:key", async (c) => {
    await secrets.delete(c.get("actor"), { namespace: c.req.param("namespace"), name: c.req.param("key") });
    return c.body(null, 204);
  });
  routes.get("/namespaces/:namespace/inherited-secrets", async (c) => {
    const usable = await secrets.listUsable(c.get("actor"), c.req.param("namespace"));
    return c.json(Object.fromEntries(usable));
  });
  return routes;
}

function listBody(c: Context<AppEnv>, found: readonly SecretInfo[]): Response {
  const paging = readPaging(queryOf(c));
  const results = takePage(found, paging, SORT_FIELDS).map(secretBody);
  return c.json({ readOnly: false, results, total: found.length });
}

function secretBody({ namespace, name, description, tags, lastUse }: SecretInfo): object {
  return {
    ...(namespace !== "" && { namespace }),
    ...{ key: name, description, tags },
    ...{ lastUsed: optionalIso(lastUse?.at), lastUsedBy: lastUse?.by },
  };
}

function readMetadata(body: JsonObject): SecretMetadata {
  const tags = ownProperty(body, "tags") ?? undefined;
  return {
    description: textMember(body, "description"),
    ...(tags !== undefined && { tags: readTags(tags) }),
  };
}

function readTags(tags: JsonValue): SecretTag[] {
  if (!Array.isArray(tags)) throw invalidEntity("tags: must be a list");
  return tags.map((tag) => {
    const key = isJsonObject(tag) ? ownProperty(tag, "key") : undefined;
    const value = isJsonObject(tag) ? ownProperty(tag, "value") : undefined;
    if (typeof key === "string" && typeof value === "string") return { key, value };
    throw invalidEntity('tags: each is of the form {"key": "…", "value": "…"}');
  });
}
