/** The pages of the UI, and their assets. */
import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import type { Clock } from "../../../base/clock.ts";
import { isId } from "../../../base/id.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../../base/json.ts";
import { DomainError, undefinedIfMissing } from "../../../model/errors.ts";
import { LOG_LEVELS } from "../../../model/flows/flow.ts";
import { type State, STATES } from "../../../model/executions/state.ts";
import type { ServerProblem } from "../../../model/server_health.ts";
import type { Executions } from "../../../services/executions/executions.ts";
import { type Asset, ASSETS } from "../../../ui/assets.ts";
import { type ExecutionPage, executionPage } from "../../../ui/execution_page.ts";
import { notFoundPage } from "../../../ui/layout.ts";
import { type LogView, MAX_SHOWN_LINES } from "../../../ui/log_list.ts";
import { type ExecutionSummary, startPage } from "../../../ui/start_page.ts";
import type { AppEnv } from "../../forms/env.ts";
import type { BaseUrlOf } from "../../responses/page_url.ts";

interface PageRoutesDeps {
  readonly executions: Executions;
  readonly clock: Clock;
  readonly baseUrlOf: BaseUrlOf;
  readonly version: string;
  /** What keeps the server from its work. */
  readonly findProblem: () => Promise<ServerProblem | undefined>;
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
  const routes = executionPageRoutes(deps);
  routes.get("/", (c) => showStart(c, deps));
  addAssets(routes);
  return routes;
}

/** Pages of executions, relative to `/ui` or `/ui/:tenant`. */
export function executionPageRoutes(deps: PageRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get(EXECUTION_PATH, (c) => showExecution(c, deps));
  routes.get(`${EXECUTION_PATH}/:tab`, (c) => showExecution(c, deps));
  return routes;
}

function addAssets(routes: Hono<AppEnv>): void {
  const tags = new Map([...ASSETS].map(([name, { text }]) => [name, etagOf(text)]));
  routes.get("/assets/:name", (c) => {
    const name = c.req.param("name");
    const asset = ASSETS.get(name);
    if (!asset) throw new DomainError("not_found", `Not Found: there is no file "${name.slice(0, 100)}"`);
    return assetResponse(asset, tags.get(name) ?? "", c.req.header("if-none-match"));
  });
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
  if (!execution || execution.namespace !== namespace || execution.flowId !== flowId) {
    return c.body(notFoundPage(`Flow "${namespace}.${flowId}" has no execution "${id}".`), 404, PAGE_HEADERS);
  }
  const taskRunCount = execution.taskRuns.length + shown.hiddenTaskRuns;
  const page = {
    execution,
    taskRunCount,
    ...await latestLines(executions.logs(actor, id)),
    now: clock.now(),
    problem: await findProblem(),
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
