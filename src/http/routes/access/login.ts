/** Log-in and log-out of browsers, over the API. */
import { type Context, Hono } from "hono";
import type { Auth } from "../../../services/access/auth.ts";
import type { AppEnv } from "../../env.ts";
import { readLoginForm } from "../../forms/login_form.ts";
import type { ClientAddresses } from "../../pipeline/client_addresses.ts";
import { cookieCredentials, removeSessionCookies, setSessionCookies } from "../../pipeline/cookies.ts";

/** What log-ins need. */
export interface LoginDeps {
  readonly auth: Auth;
  readonly clients: ClientAddresses;
  /** Public address of the server. */
  readonly baseUrl?: string;
}

/** `POST /`: opens a session for a user and a password; 401 for wrong ones. */
export function loginRoutes(deps: LoginDeps): Hono<AppEnv> {
  return new Hono<AppEnv>().post("/", async (c) => {
    const { user, password } = await readLoginForm(c);
    c.set("claimedUser", user);
    const session = await deps.auth.logIn({ user, password }, deps.clients.of(c.req.raw, c.env));
    const response = c.json({ username: user }, 200, { "cache-control": "no-store" });
    setSessionCookies(response.headers, session, isHttps(c.req.raw, deps));
    return response;
  });
}

/** `POST /`: ends the session of the caller and removes its cookies; also without a session. */
export function logoutRoutes(deps: LoginDeps): Hono<AppEnv> {
  return new Hono<AppEnv>().post("/", (c) => {
    const response = c.json({}, 200, { "cache-control": "no-store" });
    logOut(c, response.headers, deps);
    return response;
  });
}

/** Ends the session of a request; `headers` are those of the response. */
export function logOut(c: Context<AppEnv>, headers: Headers, deps: LoginDeps): void {
  const request = c.req.raw;
  const session = cookieCredentials(request.headers.get("cookie"))?.session;
  if (session !== undefined) {
    c.set("claimedUser", deps.auth.callerOfSession(session)?.user);
    deps.auth.logOut(session);
  }
  removeSessionCookies(headers, isHttps(request, deps));
}

/** True if the browser reaches the server over HTTPS, so that cookies can be limited to it. */
export function isHttps({ url }: Request, { baseUrl = url }: LoginDeps): boolean {
  return baseUrl.startsWith("https:");
}
