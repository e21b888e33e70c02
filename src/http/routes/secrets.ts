/** Secrets of namespaces. No answer has a value. */
import { type Context, Hono } from "hono";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { SecretInfo, SecretMetadata, Secrets, SecretTag } from "../../services/secrets.ts";
import { readJson, requireMediaType } from "../body.ts";
import type { AppEnv } from "../env.ts";
import { readItemFilter, takePage } from "../name_filters.ts";
import { readPaging } from "../params.ts";

const SORT_FIELDS: ReadonlyMap<string, (secret: SecretInfo) => string> = new Map([
  ["key", (secret: SecretInfo) => secret.name],
  ["namespace", (secret: SecretInfo) => secret.namespace],
]);

/** `GET /secrets`, and below `/namespaces/:namespace`: `GET`, `PUT /secrets`, `PATCH`, `DELETE /secrets/:key`, `GET /inherited-secrets`. */
export function secretRoutes(secrets: Secrets): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/secrets", async (c) => {
    const filter = readItemFilter(new URL(c.req.url).searchParams);
    return listBody(c, await secrets.search(c.get("actor"), filter));
  });
  routes.get("/namespaces/:namespace/secrets", async (c) => {
    const filter = readItemFilter(new URL(c.req.url).searchParams);
    return listBody(c, (await secrets.list(c.get("actor"), c.req.param("namespace"))).filter(filter));
  });
  routes.put("/namespaces/:namespace/secrets", async (c) => {
    const body = await readObject(c);
    const [name, value] = [readText(body, "key"), readText(body, "value")];
    if (name === undefined || value === undefined) throw invalid("key and value must be given");
    const namespace = c.req.param("namespace");
    await secrets.put(c.get("actor"), { namespace, name }, value, readMetadata(body));
    return c.json((await secrets.list(c.get("actor"), namespace)).map(secretBody));
  });
  routes.patch("/namespaces/:namespace/secrets/:key", async (c) => {
    const metadata = readMetadata(await readObject(c));
    await secrets.describe(
      c.get("actor"),
      { namespace: c.req.param("namespace"), name: c.req.param("key") },
      metadata,
    );
    return c.json((await secrets.list(c.get("actor"), c.req.param("namespace"))).map(secretBody));
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
  const paging = readPaging(new URL(c.req.url).searchParams);
  const results = takePage(found, paging, SORT_FIELDS).map(secretBody);
  return c.json({ readOnly: false, results, total: found.length });
}

function secretBody({ namespace, name, description, tags }: SecretInfo): object {
  return { namespace, key: name, description, tags };
}

async function readObject(c: Context<AppEnv>): Promise<JsonObject> {
  requireMediaType(c, "application/json");
  const body = await readJson(c);
  if (isJsonObject(body)) return body;
  throw invalid('a secret is of the form {"key": "…", "value": "…"}');
}

function readMetadata(body: JsonObject): SecretMetadata {
  const tags = ownProperty(body, "tags") ?? undefined;
  return {
    description: readText(body, "description"),
    ...(tags !== undefined && { tags: readTags(tags) }),
  };
}

function readTags(tags: JsonValue): SecretTag[] {
  if (!Array.isArray(tags)) throw invalid("tags: must be a list");
  return tags.map((tag) => {
    const key = isJsonObject(tag) ? ownProperty(tag, "key") : undefined;
    const value = isJsonObject(tag) ? ownProperty(tag, "value") : undefined;
    if (typeof key === "string" && typeof value === "string") return { key, value };
    throw invalid('tags: each is of the form {"key": "…", "value": "…"}');
  });
}

function readText(body: JsonObject, name: string): string | undefined {
  const value = ownProperty(body, name) ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw invalid(`${name}: must be a text`);
}

function invalid(reason: string): DomainError {
  return new DomainError("invalid_entity", `Invalid entity: ${reason}`);
}
