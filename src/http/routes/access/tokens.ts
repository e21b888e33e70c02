/** API tokens, for callers that are not limited to tenants. */
import { type Context, Hono } from "hono";
import { type Clock, type Instant, optionalIso, toIso } from "../../../base/time/clock.ts";
import { parseDuration } from "../../../base/time/duration.ts";
import { type JsonObject, ownProperty } from "../../../base/json.ts";
import { type ApiToken, isExpired, type TokenRequest } from "../../../model/access/token.ts";
import { lowerRole, type Role, ROLE_RULE, roleNamed } from "../../../model/access/role.ts";
import { DomainError } from "../../../model/errors.ts";
import type { Caller } from "../../../services/access/caller.ts";
import type { Tokens } from "../../../services/access/tokens.ts";
import { flagMember, readEntity, textMember, textsMember } from "../../bodies/entity_body.ts";
import { invalidEntity } from "../../refusals.ts";
import type { AppEnv } from "../../env.ts";

interface TokenDeps {
  readonly tokens: Tokens;
  readonly clock: Clock;
}

/** `GET /`, `POST /` (the only response with the secret), `DELETE /:id` (204): all tokens for an admin, else those of the caller. */
export function tokenRoutes(tokens: Tokens, clock: Clock): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/", (c) => c.json(tokenList(tokens.list(ownerOf(c)), clock)));
  routes.post("/", (c) => createToken(c, c.get("caller").user, { tokens, clock }));
  routes.delete("/:id", async (c) => {
    await tokens.revoke(c.req.param("id"), ownerOf(c));
    return c.body(null, 204);
  });
  return routes;
}

/** Whose tokens the caller manages; `undefined`: those of all. */
function ownerOf(c: Context<AppEnv>): string | undefined {
  const { user, role } = c.get("caller");
  return role === "admin" ? undefined : user;
}

/**
 * Creates a token of a user. It may do no more than the caller, whose own token may have less than the role of the user.
 * @throws DomainError invalid_entity, conflict; forbidden: a token of a worker needs an admin
 */
export async function createToken(
  c: Context<AppEnv>,
  user: string,
  { tokens, clock }: TokenDeps,
): Promise<Response> {
  const request = readTokenRequest(await readEntity(c, 'a token is of the form {"name": "…"}'));
  const caller = c.get("caller");
  const { token, secret } = await tokens.create(user, limitedTo(caller, request), caller.tokenId);
  c.set("auditedIds", [["id", token.id]]);
  c.header("cache-control", "no-store");
  return c.json({ ...tokenBody(token, clock.now()), fullToken: secret });
}

function limitedTo({ role }: Caller, request: TokenRequest): TokenRequest {
  if (role === "admin") return request;
  if (request.workerGroups) {
    throw new DomainError("forbidden", 'Forbidden: a token for workers needs the role "admin"');
  }
  return { ...request, role: lowerRole(request.role ?? role, role) };
}

/** The body of a list of tokens. */
export function tokenList(tokens: readonly ApiToken[], clock: Clock): object {
  const now = clock.now();
  return { results: tokens.map((token) => tokenBody(token, now)), total: tokens.length };
}

function readTokenRequest(body: JsonObject): TokenRequest {
  return {
    name: textMember(body, "name") ?? "",
    description: textMember(body, "description"),
    maxAgeMs: readMaxAge(textMember(body, "maxAge")),
    extended: flagMember(body, "extended") ?? false,
    role: readRole(body),
    tenants: textsMember(body, "tenants", "tenants' ids"),
    workerGroups: textsMember(body, "workerGroups", "names of groups"),
  };
}

/** The member `role`; `undefined` when absent or null. @throws DomainError invalid_entity */
export function readRole(body: JsonObject): Role | undefined {
  const given = ownProperty(body, "role") ?? undefined;
  const role = roleNamed(given);
  if (given !== undefined && role === undefined) throw invalidEntity(`role: ${ROLE_RULE}`);
  return role;
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw invalidEntity(`maxAge: "${text.slice(0, 80)}" must be an ISO 8601 duration such as "P30D"`);
}

function tokenBody(token: ApiToken, now: Instant): object {
  return {
    id: token.id,
    name: token.name,
    description: token.description,
    prefix: token.prefix,
    user: token.user,
    role: token.role,
    iat: toIso(token.issuedAt),
    exp: optionalIso(token.expiresAt),
    lastUsed: optionalIso(token.lastUsedAt),
    expired: isExpired(token, now),
    extended: token.extended,
    tenants: token.tenants,
    workerGroups: token.workerGroups,
  };
}
