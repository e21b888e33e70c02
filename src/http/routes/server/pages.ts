/** The pages of the UI, and their assets. */
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { type Context, Hono } from "hono";
import { isId } from "../../../base/id.ts";
import { DomainError, undefinedIfMissing } from "../../../model/errors.ts";
import type { Execution } from "../../../model/executions/execution.ts";
import type { Actor } from "../../../model/access/actor.ts";
import { publicTenantId } from "../../../model/access/tenant.ts";
import type { Executions } from "../../../services/executions/executions.ts";
import type { Flows } from "../../../services/flows/flows.ts";
import { appPage, languageOf } from "../../../ui/app_page.ts";
import { type Asset, ASSETS } from "../../../ui/assets.ts";
import type { Bundle, LinkedView, PackedFile } from "../../../ui/bundle.ts";
import { notBuiltPage, notFoundPage } from "../../../ui/layout.ts";
import { FIRST_TASK_RUNS, type View, VIEWS } from "../../../ui/views.ts";
import type { AppEnv } from "../../env.ts";

interface PageRoutesDeps {
  readonly executions: Executions;
  readonly flows: Flows;
  /** The built UI; absent: a page that says so. */
  readonly bundle?: Bundle;
}

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "private, no-cache",
  vary: "accept-language",
};
/** Most segments after the name of a view: `executions/{namespace}/{flow}/{id}/{tab}`. */
const MAX_DEPTH = 4;

/** `GET /`: redirects to the pages. */
export function homeRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => c.redirect("/ui/", 307));
}

/** Pages of a tenant, relative to `/ui` or `/ui/:tenant`. */
export function pageRoutes(deps: PageRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/", (c) => showPage(c, deps));
  for (const view of VIEWS) {
    for (let depth = 0; depth <= MAX_DEPTH; depth++) {
      const names = Array.from({ length: depth }, (_, index) => `part${index}`);
      const path = [view, ...names.map((name) => `:${name}`)].join("/");
      routes.get(`/${path}`, async (c) => {
        const parts = names.map((name) => c.req.param(name) ?? "");
        const missing = await missingText(deps, c.get("actor"), [view, ...parts]);
        const linked = linkedView(view, parts);
        const data = missing === undefined ? firstData(c.get("actor"), linked, parts) : undefined;
        return showPage(c, deps, { missing, view: linked, data });
      });
    }
  }
  return routes;
}

/** The UI, which says itself what it does not find. */
function showPage(
  c: Context<AppEnv>,
  { bundle }: PageRoutesDeps,
  { missing, ...linked }: { readonly missing?: string; readonly view?: LinkedView; readonly data?: string } =
    {},
): Response {
  const status = missing === undefined ? 200 : 404;
  const language = languageOf(c.req.header("accept-language") ?? "");
  if (bundle) return c.body(appPage(bundle.manifest, { ...linked, language }), status, PAGE_HEADERS);
  return c.body(missing === undefined ? notBuiltPage() : notFoundPage(missing), status, PAGE_HEADERS);
}

/** The view of an execution or a flow; other views have no scripts that are worth naming. */
function linkedView(view: View, parts: readonly string[]): LinkedView | undefined {
  if (parts.length < 3) return undefined;
  return view === "executions" ? "execution_page" : view === "flows" ? "flow_page" : undefined;
}

/** Address of the execution that its page requests before anything else. */
function firstData(
  { tenant }: Actor,
  view: LinkedView | undefined,
  [, , id]: readonly string[],
): string | undefined {
  if (view !== "execution_page" || id === undefined) return undefined;
  return `/api/v1/${publicTenantId(tenant)}/executions/${id}?maxTaskRuns=${FIRST_TASK_RUNS}`;
}

/** What an address names and the tenant does not have; `undefined` if all is there. */
async function missingText(
  deps: PageRoutesDeps,
  actor: Actor,
  [view, ...parts]: readonly [View, ...string[]],
): Promise<string | undefined> {
  if (view === "flows" && parts[0] === "edit" && parts.length >= 3) {
    const [, namespace = "", id = ""] = parts;
    const flow = await undefinedIfMissing(() => deps.flows.get(actor, { namespace, id }));
    return flow ? undefined : `There is no flow "${namespace}.${id}".`;
  }
  if (view !== "executions" || parts.length === 0) return undefined;
  const [namespace = "", flowId, id = namespace] = parts;
  const execution = await findExecution(deps, actor, id);
  const isNamed = parts.length < 3 || execution?.namespace === namespace && execution.flowId === flowId;
  return execution && isNamed ? undefined : `There is no execution "${id}" of this flow.`;
}

async function findExecution(
  { executions }: PageRoutesDeps,
  actor: Actor,
  id: string,
): Promise<Execution | undefined> {
  return isId(id) ? await undefinedIfMissing(() => executions.header(actor, id)) : undefined;
}

/** Styles, scripts and images of pages, at `/ui/assets`. They are public: the log-in page needs them. */
export function assetRoutes(bundle?: Bundle): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const tags = new Map([...ASSETS].map(([name, { text }]) => [name, etagOf(text)]));
  routes.get("/:name", (c) => {
    const name = c.req.param("name");
    const packed = bundle?.files.get(name);
    if (packed) return bundleResponse(c.req.header("accept-encoding"), name, packed);
    const asset = ASSETS.get(name);
    if (!asset) throw new DomainError("not_found", `Not Found: there is no file "${name.slice(0, 100)}"`);
    return assetResponse(asset, tags.get(name) ?? "", c.req.header("if-none-match"));
  });
  return routes;
}

/** A file of the build. Its name changes with its content, so browsers keep it. */
function bundleResponse(accepted = "", name: string, { gzip, brotli }: PackedFile): Response {
  const headers = {
    "content-type": name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
  };
  if (/\bbr\b/.test(accepted)) {
    return new Response(brotli, { headers: { ...headers, "content-encoding": "br" } });
  }
  if (/\bgzip\b/.test(accepted)) {
    return new Response(gzip, { headers: { ...headers, "content-encoding": "gzip" } });
  }
  return new Response(new Uint8Array(gunzipSync(gzip)), { headers });
}

/** Browsers revalidate with each page; the asset is sent again only after an update of the server. */
function assetResponse({ contentType, text }: Asset, etag: string, known: string | undefined): Response {
  const headers = { "content-type": contentType, etag, "cache-control": "public, no-cache" };
  const isKnown = known?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag) ?? false;
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(text, { headers });
}

function etagOf(text: string): string {
  return `"${createHash("sha256").update(text).digest("base64url").slice(0, 20)}"`;
}
