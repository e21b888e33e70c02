/** Namespaces: those of flows, and their parents; what their flows inherit. */
import { type Context, Hono } from "hono";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../../base/json.ts";
import { readPluginDefaults } from "../../../model/flows/inherited_defaults.ts";
import type { ListedNamespace, Namespace, Namespaces } from "../../../services/namespaces/namespaces.ts";
import { readJson, readOptionalJson } from "../../bodies/body.ts";
import { isTextList } from "../../bodies/entity_body.ts";
import { refuseMembers, SERVER_WIDE } from "../../forms/unsupported_members.ts";
import { readSource } from "../../forms/flow_request.ts";
import { readForm } from "../../bodies/multipart.ts";
import type { AppEnv } from "../../env.ts";
import { readFlowFilter } from "../../filters/flow_filters.ts";
import { attachmentHeaders } from "../../responses/attachment.ts";
import { filterInTurns } from "../../../model/list_filter.ts";
import { MAX_JSON_BODY_BYTES } from "../../../model/limits.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { takePage } from "../../responses/list_page.ts";
import { queryOf, readBoolean, readPaging } from "../../forms/params.ts";
import { badRequest, invalidArgument, invalidBody, invalidEntity } from "../../refusals.ts";

const FILE_PART = "fileUpload";
/** Most names that an autocompletion always includes. */
const MAX_IDS = 10_000;
const SORT_FIELDS = new Map([["id", ({ id }: ListedNamespace) => id]]);
/** Members of namespaces on other servers that have no effect here, with what to do instead. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ...SERVER_WIDE,
  ["allowedNamespaces", "use a tenant of its own for flows that others must not reach"],
  ["allowedTriggers", "leave the triggers out of the flows"],
  ["storageIsolation", "use a tenant of its own"],
  ["secretIsolation", "use a tenant of its own"],
]);

/** Routes under `/namespaces`, relative to the tenant. */
export function namespaceRoutes(namespaces: Namespaces): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addListRoutes(routes, namespaces);
  addYamlRoutes(routes, namespaces);

  routes.get("/namespaces/:namespace", async (c) => {
    return response(await namespaces.get(c.get("actor"), c.req.param("namespace")));
  });

  routes.post("/namespaces", async (c) => {
    const { id, ...declared } = await readNamespace(c);
    if (id === undefined) throw invalidBody('the body must have a text as "id"');
    c.set("auditedIds", [["namespace", id]]);
    return response(await namespaces.create(c.get("actor"), { id, ...declared }));
  });

  routes.put("/namespaces/:namespace", async (c) => {
    const id = c.req.param("namespace");
    const { id: named = id, ...declared } = await readNamespace(c);
    if (named !== id) {
      throw invalidArgument(`the body is of namespace "${named.slice(0, 100)}", but the path of "${id}"`);
    }
    return response(await namespaces.update(c.get("actor"), { id, ...declared }));
  });

  routes.delete("/namespaces/:namespace", async (c) => {
    await namespaces.delete(c.get("actor"), c.req.param("namespace"));
    return c.body(null, 204);
  });

  routes.get("/namespaces/:namespace/inherited-variables", async (c) => {
    return valueResponse(await namespaces.inheritedVariables(c.get("actor"), c.req.param("namespace")));
  });

  routes.get("/namespaces/:namespace/inherited-plugindefaults", async (c) => {
    const inherited = await namespaces.inheritedPluginDefaults(c.get("actor"), c.req.param("namespace"));
    return valueResponse([...inherited]);
  });

  routes.post("/namespaces/:namespace/plugindefaults/export", async (c) => {
    const namespace = c.req.param("namespace");
    const text = await namespaces.exportPluginDefaults(c.get("actor"), namespace);
    return new Response(text, { headers: attachmentHeaders(`${namespace}-plugin-defaults.yaml`) });
  });

  routes.post("/namespaces/:namespace/plugindefaults/import", async (c) => {
    const fields = await readForm(c.req.raw, { maxBytes: MAX_JSON_BODY_BYTES });
    const file = fields.find(({ name }) => name === FILE_PART);
    if (!file) throw badRequest(`the form must have a file as part "${FILE_PART}"`);
    const imported = namespaces.importPluginDefaults(c.get("actor"), c.req.param("namespace"), file.value);
    return c.json(await imported);
  });
  return routes;
}

function addListRoutes(routes: Hono<AppEnv>, namespaces: Namespaces): void {
  routes.get("/namespaces/search", async (c) => {
    const query = queryOf(c);
    const paging = readPaging(query);
    const matches = readFlowFilter(query);
    const onlyExisting = readBoolean(query, "existing", false);
    const listed = await namespaces.list(c.get("actor"), { onlyExisting });
    const found = await filterInTurns(listed, ({ id }) => matches({ namespace: id, id: "", labels: [] }));
    const results = takePage(found, paging, SORT_FIELDS).map(({ id, description, isCreated }) => ({
      id,
      description,
      disabled: !isCreated,
      deleted: false,
    }));
    return c.json({ results, total: found.length });
  });

  routes.post("/namespaces/autocomplete", async (c) => {
    const { q, ids } = await readWanted(c);
    const names = (await namespaces.list(c.get("actor"))).map(({ id }) => id);
    return c.json(names.filter((id) => ids.has(id) || id.toLowerCase().includes(q)));
  });
}

/** What flows inherit, as YAML that people edit. A change replaces the variables or defaults as a whole. */
function addYamlRoutes(routes: Hono<AppEnv>, namespaces: Namespaces): void {
  routes.get("/namespaces/:namespace/variables", async (c) => {
    return yamlResponse(await namespaces.variablesYaml(c.get("actor"), c.req.param("namespace")));
  });
  routes.put("/namespaces/:namespace/variables", async (c) => {
    await namespaces.setVariables(c.get("actor"), c.req.param("namespace"), await readSource(c));
    return c.body(null, 204);
  });
  routes.get("/namespaces/:namespace/plugindefaults", async (c) => {
    return yamlResponse(await namespaces.exportPluginDefaults(c.get("actor"), c.req.param("namespace")));
  });
  routes.put("/namespaces/:namespace/plugindefaults", async (c) => {
    await namespaces.setPluginDefaults(c.get("actor"), c.req.param("namespace"), await readSource(c));
    return c.body(null, 204);
  });
}

function yamlResponse(text: string): Response {
  return new Response(text, {
    headers: { "content-type": "application/x-yaml; charset=utf-8", "cache-control": "no-store" },
  });
}

function response({ id, description, variables, pluginDefaults }: Namespace): Response {
  const body: JsonObject = { id };
  if (description !== undefined) body.description = description;
  if (variables) body.variables = variables;
  if (pluginDefaults) body.pluginDefaults = [...pluginDefaults];
  return valueResponse({ ...body, deleted: false });
}

/**
 * The body of a namespace; members that no server gives an effect are ignored.
 * @throws DomainError invalid_json, invalid_argument, invalid_entity: also for members without an effect here
 */
async function readNamespace(c: Context<AppEnv>): Promise<Partial<Namespace>> {
  const body = await readJson(c);
  if (!isJsonObject(body)) throw invalidBody("a namespace is an object");
  refuseMembers(body, REFUSED);
  return {
    id: textMember(body, "id"),
    description: textMember(body, "description"),
    variables: readVariables(ownProperty(body, "variables")),
    pluginDefaults: readDefaults(body),
  };
}

function readVariables(value: JsonValue | undefined): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw invalidEntity("variables: must be an object of names and values");
  return Object.keys(value).length > 0 ? value : undefined;
}

/** The plugin defaults, also under their older name. */
function readDefaults(body: JsonObject): Namespace["pluginDefaults"] {
  const name = Object.hasOwn(body, "pluginDefaults") ? "pluginDefaults" : "taskDefaults";
  const read = readPluginDefaults(ownProperty(body, name), name);
  if ("problem" in read) throw invalidEntity(read.problem);
  return read.defaults.length > 0 ? read.defaults : undefined;
}

function textMember(body: JsonObject, name: string): string | undefined {
  const value = ownProperty(body, name) ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw invalidArgument(`"${name}" must be a text`);
}

/** `{q?, ids?}`: a part of the names, and names that are always included. @throws DomainError invalid_json, invalid_argument */
async function readWanted(
  c: Context<AppEnv>,
): Promise<{ readonly q: string; readonly ids: ReadonlySet<string> }> {
  const body = await readOptionalJson(c) ?? {};
  const q = isJsonObject(body) ? ownProperty(body, "q") ?? "" : null;
  const ids = isJsonObject(body) ? ownProperty(body, "ids") ?? [] : null;
  if (typeof q !== "string" || !isTextList(ids)) {
    throw invalidBody('the body must be an object with a text as "q" and a list of texts as "ids"');
  }
  if (ids.length <= MAX_IDS) return { q: q.trim().toLowerCase(), ids: new Set(ids) };
  throw invalidArgument(`"ids" has ${ids.length} names, but at most ${MAX_IDS} are allowed; send fewer`);
}
