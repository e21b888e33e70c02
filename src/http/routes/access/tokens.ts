/** API tokens, for callers that are not limited to tenants. */
import { Hono } from "hono";
import { type Clock, type Instant, optionalIso, toIso } from "../../../base/time/clock.ts";
import { parseDuration } from "../../../base/time/duration.ts";
import { type JsonObject, ownProperty } from "../../../base/json.ts";
import { type ApiToken, isExpired, type TokenRequest } from "../../../model/access/token.ts";
import type { Tokens } from "../../../services/access/tokens.ts";
import { isTextList, readEntity, textMember } from "../../bodies/entity_body.ts";
import { invalidEntity } from "../../refusals.ts";
import type { AppEnv } from "../../env.ts";

/** `GET /`, `POST /` (the only response with the secret), `DELETE /:id` (204). */
export function tokenRoutes(tokens: Tokens, clock: Clock): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/", (c) => {
    const now = clock.now();
    const results = tokens.list().map((token) => tokenBody(token, now));
    return c.json({ results, total: results.length });
  });
  routes.post("/", async (c) => {
    const request = readTokenRequest(await readEntity(c, 'a token is of the form {"name": "…"}'));
    const { token, secret } = await tokens.create(c.get("actor").user, request);
    c.set("createdIds", [["id", token.id]]);
    c.header("cache-control", "no-store");
    return c.json({ ...tokenBody(token, clock.now()), fullToken: secret });
  });
  routes.delete("/:id", async (c) => {
    await tokens.revoke(c.req.param("id"));
    return c.body(null, 204);
  });
  return routes;
}

function readTokenRequest(body: JsonObject): TokenRequest {
  return {
    name: textMember(body, "name") ?? "",
    description: textMember(body, "description"),
    maxAgeMs: readMaxAge(textMember(body, "maxAge")),
    extended: readFlag(body, "extended"),
    tenants: readTexts(body, "tenants", "tenants' ids"),
    workerGroups: readTexts(body, "workerGroups", "names of groups"),
  };
}

function readFlag(body: JsonObject, name: string): boolean {
  const value = ownProperty(body, name) ?? false;
  if (typeof value === "boolean") return value;
  throw invalidEntity(`${name}: must be true or false`);
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw invalidEntity(`maxAge: "${text.slice(0, 80)}" must be an ISO 8601 duration such as "P30D"`);
}

function readTexts(body: JsonObject, name: string, what: string): string[] | undefined {
  const value = ownProperty(body, name) ?? undefined;
  if (value === undefined) return undefined;
  if (isTextList(value)) return [...new Set(value)];
  throw invalidEntity(`${name}: must be a list of ${what}`);
}

function tokenBody(token: ApiToken, now: Instant): object {
  return {
    id: token.id,
    name: token.name,
    description: token.description,
    prefix: token.prefix,
    iat: toIso(token.issuedAt),
    exp: optionalIso(token.expiresAt),
    lastUsed: optionalIso(token.lastUsedAt),
    expired: isExpired(token, now),
    extended: token.extended,
    tenants: token.tenants,
    workerGroups: token.workerGroups,
  };
}
