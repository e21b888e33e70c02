/** Namespaces: those of flows, and their parents. */
import { type Context, Hono } from "hono";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../../base/json.ts";
import type { Namespace, Namespaces } from "../../../services/namespaces/namespaces.ts";
import { readJson, readOptionalJson } from "../../forms/body.ts";
import { isTextList } from "../../forms/entity_body.ts";
import type { AppEnv } from "../../forms/env.ts";
import { readFlowFilter } from "../../filters/flow_filters.ts";
import { takePage } from "../../responses/list_page.ts";
import { queryOf, readBoolean, readPaging } from "../../forms/params.ts";
import { invalidArgument } from "../../forms/refusals.ts";

const SORT_FIELDS = new Map([["id", ({ id }: Namespace) => id]]);
/** Members of namespaces on other servers that have no effect here. */
const UNSUPPORTED = ["variables", "pluginDefaults", "concurrency"] as const;

/** Routes under `/namespaces`, relative to the tenant. */
export function namespaceRoutes(namespaces: Namespaces): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addListRoutes(routes, namespaces);

  routes.get("/namespaces/:namespace", async (c) => {
    return response(c, await namespaces.get(c.get("actor"), c.req.param("namespace")));
  });

  routes.post("/namespaces", async (c) => {
    const { id, description } = await readNamespace(c);
    if (id === undefined) throw invalidArgument('the body must have a text as "id"');
    return response(c, await namespaces.create(c.get("actor"), { id, description }));
  });

  routes.put("/namespaces/:namespace", async (c) => {
    const id = c.req.param("namespace");
    const { id: named = id, description } = await readNamespace(c);
    if (named !== id) {
      throw invalidArgument(`the body is of namespace "${named.slice(0, 100)}", but the path of "${id}"`);
    }
    return response(c, await namespaces.update(c.get("actor"), { id, description }));
  });

  routes.delete("/namespaces/:namespace", async (c) => {
    await namespaces.delete(c.get("actor"), c.req.param("namespace"));
    return c.body(null, 204);
  });

  // Namespaces have no variables; only flows do.
  routes.get("/namespaces/:namespace/inherited-variables", async (c) => {
    await namespaces.get(c.get("actor"), c.req.param("namespace"));
    return c.json({});
  });
  return routes;
}

function addListRoutes(routes: Hono<AppEnv>, namespaces: Namespaces): void {
  routes.get("/namespaces/search", async (c) => {
    const query = queryOf(c);
    const paging = readPaging(query);
    const matches = readFlowFilter(query);
    const holdingFlows = readBoolean(query, "existing", false);
    const listed = await namespaces.list(c.get("actor"), { holdingFlows });
    const found = listed.filter(({ id }) => matches({ namespace: id, id: "", labels: [] }));
    const results = takePage(found, paging, SORT_FIELDS).map((each) => ({ ...each, disabled: false }));
    return c.json({ results, total: found.length });
  });

  routes.post("/namespaces/autocomplete", async (c) => {
    const { q, ids } = await readWanted(c);
    const names = (await namespaces.list(c.get("actor"))).map(({ id }) => id);
    return c.json(names.filter((id) => ids.includes(id) || id.toLowerCase().includes(q)));
  });
}

function response(c: Context<AppEnv>, namespace: Namespace): Response {
  return c.json({ ...namespace, deleted: false });
}

/**
 * The body of a namespace; unknown members are ignored.
 * @throws DomainError invalid_json, invalid_argument: also for members without an effect
 */
async function readNamespace(c: Context<AppEnv>): Promise<{ id?: string; description?: string }> {
  const body = await readJson(c);
  if (!isJsonObject(body)) throw invalidArgument("a namespace is an object");
  const unsupported = UNSUPPORTED.find((name) => !isEmpty(ownProperty(body, name)));
  if (unsupported === undefined) {
    return { id: textMember(body, "id"), description: textMember(body, "description") };
  }
  throw invalidArgument(
    `"${unsupported}" of namespaces is not supported yet; declare it in the flows, or leave it out`,
  );
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null ||
    (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0) ||
    (Array.isArray(value) && value.length === 0);
}

function textMember(body: JsonObject, name: string): string | undefined {
  const value = ownProperty(body, name) ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw invalidArgument(`"${name}" must be a text`);
}

/** `{q?, ids?}`: a part of the names, and names that are always included. @throws DomainError invalid_json, invalid_argument */
async function readWanted(
  c: Context<AppEnv>,
): Promise<{ readonly q: string; readonly ids: readonly string[] }> {
  const body = await readOptionalJson(c) ?? {};
  const q = isJsonObject(body) ? ownProperty(body, "q") ?? "" : null;
  const ids = isJsonObject(body) ? ownProperty(body, "ids") ?? [] : null;
  if (typeof q === "string" && isTextList(ids)) return { q: q.trim().toLowerCase(), ids };
  throw invalidArgument('the body must be an object with a text as "q" and a list of texts as "ids"');
}
