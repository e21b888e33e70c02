/** Tenants, for callers that are not limited to tenants. */
import { Hono } from "hono";
import { type JsonObject, ownProperty } from "../../../base/json.ts";
import type { Tenant } from "../../../model/access/tenant.ts";
import type { Quotas } from "../../../services/access/quotas.ts";
import type { Tenants } from "../../../services/access/tenants.ts";
import { readEntity } from "../../bodies/entity_body.ts";
import { refuseMembers, SERVER_WIDE } from "../../forms/unsupported_members.ts";
import { invalidEntity } from "../../refusals.ts";
import type { AppEnv } from "../../env.ts";
import { queryOf, readPaging } from "../../forms/params.ts";

const FORM = 'a tenant is of the form {"id": "…", "name": "…"}';

/** Members of tenants on other servers that have no effect here, with what to do instead. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ...SERVER_WIDE,
  ["storageIsolation", "the data of tenants is always kept apart"],
  ["secretIsolation", "the secrets of tenants are always kept apart"],
  ["requireExistingNamespace", "namespaces need not be created"],
]);

/** `POST /`, `GET /search`, `GET /:id` (with `quotas` if it has any), `PUT /:id`, `DELETE /:id` (204, with all of the tenant's data). */
export function tenantRoutes(tenants: Tenants, quotas?: Quotas): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.post("/", async (c) => {
    const tenant = await tenants.create(readTenant(await readEntity(c, FORM)));
    c.set("auditedIds", [["id", tenant.id]]);
    return c.json(tenantBody(tenant));
  });
  routes.get("/search", (c) => {
    const query = queryOf(c);
    const { page, size } = readPaging(query);
    const text = query.get("q")?.toLowerCase() ?? "";
    const found = tenants.list().filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(text));
    const results = found.slice((page - 1) * size, page * size).map(tenantBody);
    return c.json({ results, total: found.length });
  });
  routes.get("/:id", async (c) => {
    const tenant = tenants.get(c.req.param("id"));
    const used = await quotas?.usage(tenants.internalId(tenant.id) ?? "") ?? [];
    return c.json({ ...tenantBody(tenant), ...(used.length > 0 && { quotas: used }) });
  });
  routes.put("/:id", async (c) => {
    const id = c.req.param("id");
    const body = await readEntity(c, FORM);
    const name = ownProperty(body, "name") ?? tenants.get(id).name;
    const given = readTenant({ ...body, id: ownProperty(body, "id") ?? id, name });
    if (given.id !== id) {
      throw invalidEntity(`id: the body is of tenant "${given.id.slice(0, 100)}", but the path of "${id}"`);
    }
    return c.json(tenantBody(await tenants.rename(given)));
  });
  routes.delete("/:id", async (c) => {
    await tenants.remove(c.req.param("id"));
    return c.body(null, 204);
  });
  return routes;
}

/** @throws DomainError invalid_entity: also for members without an effect here */
function readTenant(body: JsonObject): Tenant {
  refuseMembers(body, REFUSED);
  const id = ownProperty(body, "id");
  const name = ownProperty(body, "name") ?? id;
  if (typeof id === "string" && typeof name === "string") return { id, name };
  throw invalidEntity(FORM);
}

function tenantBody({ id, name }: Tenant): object {
  return { id, name, deleted: false };
}
