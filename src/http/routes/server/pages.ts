/** The pages of the UI, and their assets. */
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { type Context, Hono } from "hono";
import type { Clock } from "../../../base/clock.ts";
import { isId } from "../../../base/id.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../../base/json.ts";
import { DomainError, undefinedIfMissing } from "../../../model/errors.ts";
import { LOG_LEVELS } from "../../../model/flows/flow.ts";
import { type State, STATES } from "../../../model/executions/state.ts";
import type { ServerProblem } from "../../../model/server_health.ts";
import type { Executions } from "../../../services/executions/executions.ts";
import { appPage } from "../../../ui/app_page.ts";
import { type Asset, ASSETS } from "../../../ui/assets.ts";
import type { Bundle } from "../../../ui/bundle.ts";
import { type ExecutionPage, executionPage } from "../../../ui/execution_page.ts";
import { notFoundPage } from "../../../ui/layout.ts";
import { type LogView, MAX_SHOWN_LINES } from "../../../ui/log_list.ts";
import { type ExecutionSummary, startPage } from "../../../ui/start_page.ts";
import { VIEWS } from "../../../ui/views.ts";
import type { AppEnv } from "../../forms/env.ts";
import { hasSessionCookie } from "../../pipeline/cookies.ts";
import type { BaseUrlOf } from "../../responses/page_url.ts";

interface PageRoutesDeps {
  readonly executions: Executions;
  readonly clock: Clock;
  readonly baseUrlOf: BaseUrlOf;
  readonly version: string;
  /** What keeps the server from its work. */
  readonly findProblem: () => Promise<ServerProblem | undefined>;
  /** The built UI; absent: pages without scripts. */
  readonly bundle?: Bundle;
}

const PAGE_HEADERS = { "content-type": "text/html; charset=utf-8", "cache-control": "private, no-cache" };
const EXECUTION_PATH = "/executions/:namespace/:flowId/:id";
/** Number of executions on the start page. */
const LATEST = 25;

/** `GET /`: redirects to the pages. */
export function homeRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => c.redirect("/ui/", 307));
}

/** Routes below `/ui`, of the tenant `main`. */
export function pageRoutes(deps: PageRoutesDeps): Hono<AppEnv> {
  const routes = tenantPageRoutes(deps);
  if (!deps.bundle) routes.get("/", (c) => showStart(c, deps));
  return routes;
}

/** Pages of a tenant, relative to `/ui` or `/ui/:tenant`. */
export function tenantPageRoutes(deps: PageRoutesDeps): Hono<AppEnv> {
  const { bundle } = deps;
  const routes = new Hono<AppEnv>();
  routes.get(EXECUTION_PATH, (c) => showExecution(c, deps));
  routes.get(`${EXECUTION_PATH}/:tab`, (c) => showExecution(c, deps));
  if (!bundle) return routes;
  routes.get("/", (c) => showApp(c, bundle));
  for (const view of VIEWS) {
    routes.get(`/${view}`, (c) => showApp(c, bundle));
    // More segments than any address of a view has; the view itself says what it does not know.
    for (const depth of [1, 2, 3, 4]) {
      const below = Array.from({ length: depth }, (_, index) => `/:part${index}`).join("");
      if (view !== "executions" || depth < 3) routes.get(`/${view}${below}`, (c) => showApp(c, bundle));
    }
  }
  return routes;
}

function showApp(c: Context<AppEnv>, { manifest }: Bundle, status: 200 | 404 = 200): Response {
  return c.body(appPage(manifest), status, PAGE_HEADERS);
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
function bundleResponse(
  accepted: string | undefined,
  name: string,
  packed: Uint8Array<ArrayBuffer>,
): Response {
  const headers = {
    "content-type": name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
  };
  if (!/\bgzip\b/.test(accepted ?? "")) return new Response(new Uint8Array(gunzipSync(packed)), { headers });
  return new Response(packed, { headers: { ...headers, "content-encoding": "gzip" } });
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

async function showExecution(c: Context<AppEnv>, deps: PageRoutesDeps): Promise<Response> {
  const { executions, clock, findProblem } = deps;
  const { namespace = "", flowId = "", id = "" } = c.req.param() as Record<string, string>;
  const actor = c.get("actor");
  const shown = isId(id) ? await undefinedIfMissing(() => executions.view(actor, id)) : undefined;
  const execution = shown?.execution;
  const isKnown = execution?.namespace === namespace && execution.flowId === flowId;
  if (deps.bundle) return showApp(c, deps.bundle, isKnown ? 200 : 404);
  if (!execution || !isKnown) {
    return c.body(notFoundPage(`Flow "${namespace}.${flowId}" has no execution "${id}".`), 404, PAGE_HEADERS);
  }
  const taskRunCount = execution.taskRuns.length + shown.hiddenTaskRuns;
  const page = {
    execution,
    taskRunCount,
    ...await latestLines(executions.logs(actor, id)),
    now: clock.now(),
    problem: await findProblem(),
    canLogOut: hasSessionCookie(c.req.raw),
  };
  return c.body(executionPage(page), 200, PAGE_HEADERS);
}

/** The lines of a page; the last error even if many lines follow it. */
async function latestLines(
  pieces: AsyncIterable<readonly JsonObject[]>,
): Promise<Pick<ExecutionPage, "logs" | "logCount" | "lastError">> {
  let logs: LogView[] = [];
  let logCount = 0;
  let lastError: LogView | undefined;
  for await (const piece of pieces) {
    const views = piece.map(logView);
    logCount += views.length;
    lastError = views.findLast(({ level }) => level === "ERROR") ?? lastError;
    logs = [...logs, ...views].slice(-MAX_SHOWN_LINES);
  }
  return { logs, logCount, lastError };
}

function logView({ timestamp, level, taskId, message }: JsonObject): LogView {
  return {
    at: Date.parse(String(timestamp)),
    level: LOG_LEVELS.find((known) => known === level) ?? "INFO",
    taskId: typeof taskId === "string" ? taskId : undefined,
    message: String(message),
  };
}

async function showStart(c: Context<AppEnv>, deps: PageRoutesDeps): Promise<Response> {
  const query = { conditions: [], groups: [], sort: [], page: 1, size: LATEST };
  const { pieces, total } = await deps.executions.search(c.get("actor"), query);
  const results = (await Array.fromAsync(pieces)).flat();
  const page = startPage({
    version: deps.version,
    baseUrl: deps.baseUrlOf(c),
    executions: results.map((text) => summaryOf(objectOf(parseJson(text)))),
    total,
    problem: await deps.findProblem(),
    canLogOut: hasSessionCookie(c.req.raw),
  });
  return c.body(page, 200, PAGE_HEADERS);
}

function summaryOf({ id, namespace, flowId, state, trigger }: JsonObject): ExecutionSummary {
  const { current, startDate, duration } = objectOf(state);
  const triggerId = objectOf(trigger).id;
  return {
    id: String(id),
    namespace: String(namespace),
    flowId: String(flowId),
    state: STATES.find((known): known is State => known === current) ?? "CREATED",
    startedAt: Date.parse(String(startDate)),
    durationMs: Number(String(duration)) * 1000,
    triggerId: triggerId === undefined ? undefined : String(triggerId),
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
