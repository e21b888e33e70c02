/** Users and their tokens, for admins. */
import { Hono } from "hono";
import { type Clock, optionalIso } from "../../../base/time/clock.ts";
import { type JsonObject, ownProperty } from "../../../base/json.ts";
import type { Role } from "../../../model/access/role.ts";
import type { User, UserChange } from "../../../model/access/user.ts";
import type { Tokens } from "../../../services/access/tokens.ts";
import type { Users } from "../../../services/access/users.ts";
import { flagMember, readEntity, textMember, textsMember } from "../../bodies/entity_body.ts";
import { invalidEntity } from "../../refusals.ts";
import type { AppEnv } from "../../env.ts";
import { queryOf, readPaging } from "../../forms/params.ts";
import { createToken, readRole, tokenList } from "./tokens.ts";

interface UserRoutesDeps {
  readonly users: Users;
  readonly tokens: Tokens;
  readonly clock: Clock;
}

const FORM = 'a user is of the form {"username": "…", "password": "…", "role": "…"}';

/**
 * `GET /`, `POST /` (201), `GET /:name`, `PUT` and `PATCH /:name`, `PATCH /:name/password` and `/:name/superadmin`,
 * `DELETE /:name` (204); below `/:name/api-tokens` `GET /`, `POST /`, `DELETE /:id` (204).
 */
export function userRoutes(deps: UserRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addUsers(routes, deps);
  addChanges(routes, deps);
  addTokens(routes, deps);
  return routes;
}

function addUsers(routes: Hono<AppEnv>, { users }: UserRoutesDeps): void {
  routes.get("/", (c) => {
    const query = queryOf(c);
    const { page, size } = readPaging(query);
    const text = query.get("q")?.toLowerCase() ?? "";
    const found = users.list().filter(({ name }) => name.toLowerCase().includes(text));
    return c.json({
      results: found.slice((page - 1) * size, page * size).map(userBody),
      total: found.length,
    });
  });
  routes.post("/", async (c) => {
    const body = await readEntity(c, FORM);
    const { role = "viewer", tenants } = readChange(body);
    const user = await users.create({
      user: textMember(body, "username") ?? textMember(body, "email") ?? "",
      password: textMember(body, "password") ?? "",
      role,
      tenants: tenants ?? undefined,
    });
    c.set("auditedIds", [["name", user.name]]);
    return c.json(userBody(user), 201);
  });
  routes.get("/:name", (c) => c.json(userBody(users.get(c.req.param("name")))));
  routes.delete("/:name", async (c) => {
    await users.remove(c.req.param("name"));
    return c.body(null, 204);
  });
}

function addChanges(routes: Hono<AppEnv>, { users }: UserRoutesDeps): void {
  const change = async (name: string, change: UserChange) =>
    userBody((await users.change(name, change)).user);
  for (const method of ["PUT", "PATCH"]) {
    routes.on(method, "/:name", async (c) => {
      const body = await readEntity(c, FORM);
      const name = c.req.param("name") ?? "";
      const given = textMember(body, "username") ?? textMember(body, "email") ?? name;
      if (given !== name) throw invalidEntity("username: a user cannot be renamed");
      return c.json(await change(name, readChange(body)));
    });
  }
  routes.patch("/:name/password", async (c) => {
    const password = textMember(await readEntity(c, '{"password": "…"}'), "password") ?? "";
    return c.json(await change(c.req.param("name"), { password }));
  });
  routes.patch("/:name/superadmin", async (c) => {
    const role = readSuperAdmin(await readEntity(c, '{"superAdmin": true}'));
    if (!role) throw invalidEntity("superAdmin: must be true or false");
    return c.json(await change(c.req.param("name"), { role }));
  });
}

function addTokens(routes: Hono<AppEnv>, { users, tokens, clock }: UserRoutesDeps): void {
  routes.get("/:name/api-tokens", (c) => {
    const { name } = users.get(c.req.param("name"));
    return c.json(tokenList(tokens.list(name), clock));
  });
  routes.post("/:name/api-tokens", async (c) => {
    const { name } = users.get(c.req.param("name"));
    return await createToken(c, name, { tokens, clock });
  });
  routes.delete("/:name/api-tokens/:id", async (c) => {
    await tokens.revoke(c.req.param("id"), users.get(c.req.param("name")).name);
    return c.body(null, 204);
  });
}

/** @throws DomainError invalid_entity */
function readChange(body: JsonObject): UserChange {
  const role = readRole(body) ?? readSuperAdmin(body);
  const tenants = ownProperty(body, "tenants") === null ? null : textsMember(body, "tenants", "tenants' ids");
  return {
    role,
    tenants,
    isDisabled: flagMember(body, "disabled"),
    password: textMember(body, "password"),
  };
}

/** Other servers of this API have one role beside that of an admin; here it is that of an editor. */
function readSuperAdmin(body: JsonObject): Role | undefined {
  const flag = flagMember(body, "superAdmin");
  return flag === undefined ? undefined : flag ? "admin" : "editor";
}

function userBody({ name, role, tenants, isDisabled, isConfigured, createdAt }: User): object {
  return {
    id: name,
    username: name,
    role,
    superAdmin: role === "admin",
    tenants,
    disabled: isDisabled,
    configured: isConfigured,
    created: optionalIso(createdAt),
  };
}
