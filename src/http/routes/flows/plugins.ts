/** Task and trigger types for clients and editors; the same for all tenants. */
import { type Context, Hono } from "hono";
import type { PluginEntry } from "../../../services/plugins/plugin_list.ts";
import type { Plugins } from "../../../services/plugins/plugins.ts";
import type { AppEnv } from "../../env.ts";
import { jsonResponse, valueResponse } from "../../responses/json_response.ts";
import { takePage } from "../../responses/list_page.ts";
import { queryOf, readBoolean, readPaging } from "../../forms/params.ts";

/** Schemas, documents, icons and groups change only when the server is started with other types. */
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
  routes.get("/plugins", async (c) => listResponse(c, (await plugins.load()).list()));
  routes.get("/plugins/schemas/:kind", async (c) => {
    const isList = readBoolean(queryOf(c), "arrayOf", false);
    return jsonResponse((await plugins.load()).schema(c.req.param("kind"), { isList }), CACHED);
  });
  routes.get(
    "/plugins/properties/:kind",
    async (c) => valueResponse((await plugins.load()).properties(c.req.param("kind")), CACHED),
  );
  routes.get("/plugins/triggers", async () => {
    const results = (await plugins.load()).listTriggers();
    return valueResponse({ results, total: results.length }, CACHED);
  });
  routes.get(
    "/plugins/groups/subgroups",
    async () => valueResponse((await plugins.load()).listSubgroups(), CACHED),
  );
  routes.get("/plugins/inputs", async () => valueResponse((await plugins.load()).listInputs(), CACHED));
  routes.get(
    "/plugins/inputs/:type",
    async (c) => valueResponse((await plugins.load()).input(c.req.param("type")), CACHED),
  );
  // Types have no UI pages; clients query them anyway.
  routes.post("/plugins/pluginUiManifest", () => valueResponse({ manifest: {} }));
  addIcons(routes, plugins);
  addDocumentation(routes, plugins);
  return routes;
}

function addIcons(routes: Hono<AppEnv>, plugins: Plugins): void {
  routes.get("/plugins/icons", async () => valueResponse((await plugins.load()).icons(), CACHED));
  routes.get("/plugins/icons/groups", async () => valueResponse((await plugins.load()).groupIcons(), CACHED));
  routes.get("/plugins/icons/:cls", async (c) => {
    const cls = c.req.param("cls");
    const icon = (await plugins.load()).icon(cls);
    // Some clients read a map by type, others the member "icon".
    return valueResponse({ [cls]: icon, icon }, CACHED);
  });
  routes.get("/plugins/icons/:cls/icon.svg", async (c) => {
    const headers = { ...CACHED, "content-type": "image/svg+xml" };
    return c.body((await plugins.load()).iconSvg(c.req.param("cls")), 200, headers);
  });
}

function addDocumentation(routes: Hono<AppEnv>, plugins: Plugins): void {
  routes.get(
    "/plugins/:cls",
    async (c) => valueResponse((await plugins.load()).documentation(c.req.param("cls"), readFull(c)), CACHED),
  );
  routes.get(
    "/plugins/:cls/versions",
    async (c) => valueResponse((await plugins.load()).versions(c.req.param("cls"))),
  );
  routes.get("/plugins/:cls/versions/:version", async (c) => {
    const { cls, version } = c.req.param();
    return valueResponse((await plugins.load()).documentationOf(cls, version, readFull(c)));
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
