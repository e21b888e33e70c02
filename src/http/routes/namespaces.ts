/** Namespaces: those of flows, and all above them. */
import { type Context, Hono } from "hono";
import { isJsonObject, ownProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { Namespaces } from "../../services/namespaces.ts";
import { readOptionalJson } from "../body.ts";
import type { AppEnv } from "../env.ts";
import { readFlowFilter } from "../flow_filters.ts";
import { queryOf } from "../flow_request.ts";
import { takePage } from "../name_filters.ts";
import { readBoolean, readPaging } from "../params.ts";

const SORT_FIELDS = new Map([["id", (id: string) => id]]);

/** `GET /search`, `POST /autocomplete`, `GET /:namespace` and what it inherits, below `/namespaces` of the tenant. */
export function namespaceRoutes(namespaces: Namespaces): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/namespaces/search", (c) => {
    const query = queryOf(c);
    const paging = readPaging(query);
    const matches = readFlowFilter(query);
    const holdingFlows = readBoolean(query, "existing", false);
    const found = namespaces.list(c.get("actor"), { holdingFlows }).filter((namespace) =>
      matches({ namespace, id: "", labels: [] })
    );
    const results = takePage(found, paging, SORT_FIELDS).map((id) => ({ id, disabled: false }));
    return c.json({ results, total: found.length });
  });

  routes.post("/namespaces/autocomplete", async (c) => {
    const { q, ids } = await readWanted(c);
    const isWanted = (id: string) => ids.includes(id) || id.toLowerCase().includes(q);
    return c.json(namespaces.list(c.get("actor")).filter(isWanted));
  });

  routes.get("/namespaces/:namespace", (c) => {
    return c.json({ id: namespaces.get(c.req.param("namespace")), deleted: false });
  });

  // Variables belong to flows; a namespace has none.
  routes.get("/namespaces/:namespace/inherited-variables", (c) => {
    namespaces.get(c.req.param("namespace"));
    return c.json({});
  });
  return routes;
}

/** `{q?, ids?}`: a part of the wanted names, and names that are wanted anyway. @throws DomainError invalid_json, invalid_argument */
async function readWanted(
  c: Context<AppEnv>,
): Promise<{ readonly q: string; readonly ids: readonly string[] }> {
  const body = await readOptionalJson(c) ?? {};
  const q = isJsonObject(body) ? ownProperty(body, "q") ?? "" : null;
  const ids = isJsonObject(body) ? ownProperty(body, "ids") ?? [] : null;
  const areIds = Array.isArray(ids) && ids.every((id) => typeof id === "string");
  if (typeof q === "string" && areIds) return { q: q.trim().toLowerCase(), ids: ids as string[] };
  throw new DomainError(
    "invalid_argument",
    'Illegal argument: the body must be an object with a text as "q" and a list of texts as "ids"',
  );
}
