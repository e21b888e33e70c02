/** The set-up of the first user. */
import { type Context, Hono } from "hono";
import { credentialsAreOptions, type FirstUser } from "../../../services/access/first_user.ts";
import type { AppEnv } from "../../env.ts";
import { type LoginForm, readLoginForm } from "../../forms/login_form.ts";
import { setSessionCookies } from "../../pipeline/cookies.ts";
import { isLocalCaller } from "../../pipeline/local_caller.ts";
import { isHttps, type LoginDeps } from "./login.ts";

/** What the set-up needs. */
export interface FirstUserRoutesDeps extends LoginDeps {
  /** Absent: the user is an option of the server, or none is needed. */
  readonly firstUser?: FirstUser;
}

/**
 * `POST /`: sets the first user once (204) and logs in, as front ends expect. 409 when there is one, and where credentials are
 * options of the server.
 */
export function firstUserRoutes(deps: FirstUserRoutesDeps): Hono<AppEnv> {
  return new Hono<AppEnv>().post("/", async (c) => {
    if (!deps.firstUser) throw credentialsAreOptions();
    const session = await setUpFirstUser(c, deps, await readLoginForm(c));
    const response = c.body(null, 204, { "cache-control": "no-store" });
    setSessionCookies(response.headers, session, isHttps(c.req.raw, deps));
    return response;
  });
}

/** Sets the first user from a form; returns the value of its first session. @throws DomainError as {@link FirstUser.setUp} */
export async function setUpFirstUser(
  c: Context<AppEnv>,
  deps: FirstUserRoutesDeps,
  { user, password, token }: LoginForm,
): Promise<string | undefined> {
  if (!deps.firstUser) throw credentialsAreOptions();
  c.set("claimedUser", user);
  const request = c.req.raw;
  const address = deps.clients.of(request, c.env);
  const isLocal = isLocalCaller(request, c.env, deps);
  await deps.firstUser.setUp({ user, password, token, isLocal, address });
  return await deps.auth.logIn({ user, password }, address);
}
