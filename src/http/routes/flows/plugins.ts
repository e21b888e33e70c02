/** What clients and editors can know of types. The same for all tenants. */
import { type Context, Hono } from "hono";
import { stringifyJson } from "../../../base/json.ts";
import type { PluginEntry } from "../../../services/plugins/plugin_list.ts";
import type { Plugins } from "../../../services/plugins/plugins.ts";
import type { AppEnv } from "../../forms/env.ts";
import { jsonResponse } from "../../responses/json_response.ts";
import { takePage } from "../../responses/list_page.ts";
import { queryOf, readBoolean, readPaging } from "../../forms/params.ts";

/** Icons and groups change with the server only. */
const CACHED = { "cache-control": "public,max-age=3600" };
/** Page size of the list of plugins. */
const ALL = "10000";
/** Query parameters of clients that read pages; the others read the whole list as an array. */
const PAGING = ["page", "size", "sort"];

const SORT_FIELDS: ReadonlyMap<string, (plugin: PluginEntry) => string> = new Map([
  ["name", (plugin: PluginEntry) => plugin.name],
  ["title", (plugin: PluginEntry) => plugin.title],
  ["group", (plugin: PluginEntry) => plugin.group],
]);

/**
 * Below `/plugins`: `GET`, `/schemas/:kind`, `/properties/:kind`, `/triggers`, `/groups/subgroups`, `/inputs`,
 * `/inputs/:type`, `POST /pluginUiManifest`, `/icons`, `/icons/groups`, `/icons/:cls`, `/icons/:cls/icon.svg`, `/:cls`, `/:cls/versions`,
 * `/:cls/versions/:version`.
 */
export function pluginRoutes(plugins: Plugins): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/plugins", (c) => listResponse(c, plugins.list()));
  routes.get("/plugins/schemas/:kind", (c) => {
    const isList = readBoolean(queryOf(c), "arrayOf", false);
    return jsonResponse(plugins.schemaText(c.req.param("kind"), { isList }));
  });
  routes.get("/plugins/properties/:kind", (c) => response(plugins.properties(c.req.param("kind"))));
  routes.get("/plugins/triggers", () => {
    const results = plugins.listTriggers();
    return response({ results, total: results.length }, CACHED);
  });
  routes.get("/plugins/groups/subgroups", () => response(plugins.listSubgroups(), CACHED));
  routes.get("/plugins/inputs", () => response(plugins.listInputs()));
  routes.get("/plugins/inputs/:type", (c) => response(plugins.input(c.req.param("type"))));
  // Types bring no pages along; clients ask before they show one.
  routes.post("/plugins/pluginUiManifest", () => response({ manifest: {} }));
  addIcons(routes, plugins);
  addDocumentation(routes, plugins);
  return routes;
}

function addIcons(routes: Hono<AppEnv>, plugins: Plugins): void {
  routes.get("/plugins/icons", () => response(plugins.icons(), CACHED));
  routes.get("/plugins/icons/groups", () => response(plugins.groupIcons(), CACHED));
  routes.get("/plugins/icons/:cls", (c) => {
    const cls = c.req.param("cls");
    const icon = plugins.icon(cls);
    // Some clients read a map by type, others the member "icon".
    return response({ [cls]: icon, icon }, CACHED);
  });
  routes.get("/plugins/icons/:cls/icon.svg", (c) => {
    const headers = { ...CACHED, "content-type": "image/svg+xml", "x-content-type-options": "nosniff" };
    return c.body(plugins.iconSvg(c.req.param("cls")), 200, headers);
  });
}

function addDocumentation(routes: Hono<AppEnv>, plugins: Plugins): void {
  routes.get("/plugins/:cls", (c) => response(plugins.documentation(c.req.param("cls"), readFull(c))));
  routes.get("/plugins/:cls/versions", (c) => response(plugins.versions(c.req.param("cls"))));
  routes.get("/plugins/:cls/versions/:version", (c) => {
    const { cls, version } = c.req.param();
    return response(plugins.documentationOf(cls, version, readFull(c)));
  });
}

function readFull(c: Context<AppEnv>): { isFull: boolean } {
  return { isFull: readBoolean(queryOf(c), "all", false) };
}

/** The whole list as an array, or, when a page is asked for, `{results, total}`. */
function listResponse(c: Context<AppEnv>, plugins: readonly PluginEntry[]): Response {
  const query = queryOf(c);
  if (!PAGING.some((name) => query.has(name))) return response(plugins);
  if (!query.get("size")) query.set("size", ALL);
  const results = takePage(plugins, readPaging(query), SORT_FIELDS);
  return response({ results, total: plugins.length });
}

/** Declarations may hold numbers that `c.json` would print in another kind. */
function response(body: object, headers?: Readonly<Record<string, string>>): Response {
  return jsonResponse(stringifyJson(body), headers);
}
