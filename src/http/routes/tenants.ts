/** Tenants, for callers that are not limited to some. */
import { Hono } from "hono";
import { isJsonObject, ownProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { Tenant } from "../../model/tenant.ts";
import type { Tenants } from "../../services/tenants.ts";
import { readJson, requireMediaType } from "../body.ts";
import type { AppEnv } from "../env.ts";
import { readPaging } from "../params.ts";

/** `POST /`, `GET /search`, `GET /:id`, `DELETE /:id` (204, with all of the tenant's data). */
export function tenantRoutes(tenants: Tenants): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.post("/", async (c) => {
    requireMediaType(c, "application/json");
    return c.json(tenantBody(await tenants.create(readTenant(await readJson(c)))));
  });
  routes.get("/search", (c) => {
    const query = new URL(c.req.url).searchParams;
    const { page, size } = readPaging(query);
    const wanted = query.get("q")?.toLowerCase() ?? "";
    const found = tenants.list().filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(wanted));
    const results = found.slice((page - 1) * size, page * size).map(tenantBody);
    return c.json({ results, total: found.length });
  });
  routes.get("/:id", (c) => c.json(tenantBody(tenants.get(c.req.param("id")))));
  routes.delete("/:id", async (c) => {
    await tenants.remove(c.req.param("id"));
    return c.body(null, 204);
  });
  return routes;
}

function readTenant(body: unknown): Tenant {
  const id = isJsonObject(body) ? ownProperty(body, "id") : undefined;
  const name = isJsonObject(body) ? ownProperty(body, "name") ?? id : undefined;
  if (typeof id === "string" && typeof name === "string") return { id, name };
  throw new DomainError("invalid_entity", 'Invalid entity: a tenant is of the form {"id": "…", "name": "…"}');
}

function tenantBody({ id, name }: Tenant): object {
  return { id, name, deleted: false };
}
