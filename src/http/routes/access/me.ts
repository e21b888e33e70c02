/** The caller and its credentials. */
import { Hono } from "hono";
import type { Tenants } from "../../../services/access/tenants.ts";
import type { AppEnv } from "../../env.ts";

/** `GET /me`: the caller, with all tenants. For callers that are not limited to some. */
export function callerRoutes(tenants: Tenants): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => {
    const { user } = c.get("actor");
    const known = tenants.list().map(({ id, name }) => ({ id, name }));
    return c.json({
      id: user,
      username: user,
      superAdmin: true,
      profile: { username: user },
      tenants: known,
    });
  });
}

/** `GET /`: problems of the configured credentials. Always none: the server does not start with invalid ones. */
export function credentialProblemRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => c.json([]));
}
