/** Task and trigger types for clients and editors; the same for all tenants. */
import { type Context, Hono } from "hono";
import type { PluginEntry } from "../../../services/plugins/plugin_list.ts";
import type { Plugins } from "../../../services/plugins/plugins.ts";
import type { AppEnv } from "../../forms/env.ts";
import { jsonResponse, valueResponse } from "../../responses/json_response.ts";
import { takePage } from "../../responses/list_page.ts";
import { queryOf, readBoolean, readPaging } from "../../forms/params.ts";

/** Icons and groups change only with the server version. */
const CACHED = { "cache-control": "public,max-age=3600" };
/** Page size of the list of plugins. */
const ALL = "10000";
/** Requests with one of these get a page. */
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
  routes.get("/plugins/properties/:kind", (c) => valueResponse(plugins.properties(c.req.param("kind"))));
  routes.get("/plugins/triggers", () => {
    const results = plugins.listTriggers();
    return valueResponse({ results, total: results.length }, CACHED);
  });
  routes.get("/plugins/groups/subgroups", () => valueResponse(plugins.listSubgroups(), CACHED));
  routes.get("/plugins/inputs", () => valueResponse(plugins.listInputs()));
  routes.get("/plugins/inputs/:type", (c) => valueResponse(plugins.input(c.req.param("type"))));
  // Types have no UI pages; clients query them anyway.
  routes.post("/plugins/pluginUiManifest", () => valueResponse({ manifest: {} }));
  addIcons(routes, plugins);
  addDocumentation(routes, plugins);
  return routes;
}

function addIcons(routes: Hono<AppEnv>, plugins: Plugins): void {
  routes.get("/plugins/icons", () => valueResponse(plugins.icons(), CACHED));
  routes.get("/plugins/icons/groups", () => valueResponse(plugins.groupIcons(), CACHED));
  routes.get("/plugins/icons/:cls", (c) => {
    const cls = c.req.param("cls");
    const icon = plugins.icon(cls);
    // Some clients read a map by type, others the member "icon".
    return valueResponse({ [cls]: icon, icon }, CACHED);
  });
  routes.get("/plugins/icons/:cls/icon.svg", (c) => {
    const headers = { ...CACHED, "content-type": "image/svg+xml" };
    return c.body(plugins.iconSvg(c.req.param("cls")), 200, headers);
  });
}

function addDocumentation(routes: Hono<AppEnv>, plugins: Plugins): void {
  routes.get("/plugins/:cls", (c) => valueResponse(plugins.documentation(c.req.param("cls"), readFull(c))));
  routes.get("/plugins/:cls/versions", (c) => valueResponse(plugins.versions(c.req.param("cls"))));
  routes.get("/plugins/:cls/versions/:version", (c) => {
    const { cls, version } = c.req.param();
    return valueResponse(plugins.documentationOf(cls, version, readFull(c)));
  });
}

function readFull(c: Context<AppEnv>): { isFull: boolean } {
  return { isFull: readBoolean(queryOf(c), "all", false) };
}

/** The whole list as an array; `{results, total}` with parameters of a page, and for clients of newer servers. */
function listResponse(c: Context<AppEnv>, plugins: readonly PluginEntry[]): Response {
  const query = queryOf(c);
  if (!PAGING.some((name) => query.has(name)) && !isNewClient(c.req.raw.headers)) {
    return valueResponse(plugins);
  }
  if (!query.get("size")) query.set("size", ALL);
  const results = takePage(plugins, readPaging(query), SORT_FIELDS);
  return valueResponse({ results, total: plugins.length });
}

/** Clients that name their version from 1 and accept JSON read a page. */
function isNewClient(headers: Headers): boolean {
  const version = Number.parseInt(headers.get("x-kestra-version") ?? "", 10);
  return version >= 1 && (headers.get("accept") ?? "").includes("application/json");
}
