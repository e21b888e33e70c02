/** The caller and its credentials. */
import { type Context, Hono } from "hono";
import { rightsOf } from "../../../model/access/role.ts";
import { ANONYMOUS } from "../../../model/access/user.ts";
import type { Tenants } from "../../../services/access/tenants.ts";
import type { Users } from "../../../services/access/users.ts";
import { readEntity, textMember } from "../../bodies/entity_body.ts";
import type { AppEnv } from "../../env.ts";
import { cookieCredentials, setSessionCookies } from "../../pipeline/cookies.ts";
import { isHttps, type LoginDeps } from "./login.ts";

interface CallerRoutesDeps extends LoginDeps {
  readonly users: Users;
  readonly tenants: Tenants;
}

const PASSWORD_FORM = 'a change is of the form {"oldPassword": "…", "newPassword": "…"}';

/** `GET /me`: the caller, what it may do, and its tenants. `PUT /me/password` (204). */
export function callerRoutes(deps: CallerRoutesDeps): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get("/", (c) => c.json(callerBody(c, deps)))
    .put("/password", (c) => changePassword(c, deps));
}

function callerBody(c: Context<AppEnv>, { users, tenants }: CallerRoutesDeps): object {
  const caller = c.get("caller");
  const { user, role } = caller;
  const known = tenants.list().filter(({ id }) => caller.canEnter(id));
  const isChangeable = user !== ANONYMOUS && !users.get(user).isConfigured;
  return {
    id: user,
    username: user,
    superAdmin: role === "admin",
    role,
    rights: rightsOf(role),
    isLimited: caller.isLimited,
    hasPassword: isChangeable,
    profile: { username: user },
    tenants: known.map(({ id, name }) => ({ id, name })),
  };
}

/** A browser stays logged in, all other sessions of the user end. */
async function changePassword(c: Context<AppEnv>, deps: CallerRoutesDeps): Promise<Response> {
  const body = await readEntity(c, PASSWORD_FORM);
  const change = {
    oldPassword: textMember(body, "oldPassword") ?? "",
    newPassword: textMember(body, "newPassword") ?? "",
  };
  const request = c.req.raw;
  const session = await deps.auth.changePassword(
    c.get("caller").user,
    change,
    deps.clients.of(request, c.env),
  );
  const response = c.body(null, 204, { "cache-control": "no-store" });
  const isBrowser = cookieCredentials(request.headers.get("cookie"))?.session !== undefined;
  if (isBrowser) setSessionCookies(response.headers, session, isHttps(request, deps));
  return response;
}

/** `GET /`: problems of the configured credentials. Always none: the server does not start with invalid ones. */
export function credentialProblemRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => c.json([]));
}
