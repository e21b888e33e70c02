/** Log entries of executions: searching, reading, downloading, following, deleting. */
import { type Context, Hono } from "hono";
import { type Clock, type Instant, toIso } from "../../../base/time/clock.ts";
import { isId } from "../../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../../base/json.ts";
import type { Executions } from "../../../services/executions/executions.ts";
import type { LogFilter } from "../../../services/logs/log_entries.ts";
import type { LogRemovals } from "../../../services/logs/log_removals.ts";
import type { LogPage, LogSearch } from "../../../services/logs/log_search.ts";
import type { AppEnv } from "../../env.ts";
import { awaitExecution, logEvents } from "../../streams/follow.ts";
import { listText, textResponse } from "../../responses/text_stream.ts";
import { cursorText } from "../../filters/log_cursor.ts";
import { readLogConditions, readLogQuery } from "../../filters/log_filters.ts";
import { eventStream } from "../../streams/sse.ts";
import { badRequest } from "../../refusals.ts";
import { queryOf } from "../../forms/params.ts";

interface LogRoutesDeps {
  readonly executions: Executions;
  readonly logSearch: LogSearch;
  readonly logRemovals: LogRemovals;
  readonly clock: Clock;
}

/** Entries that become text together. */
const ENTRIES_PER_PIECE = 200;

/** Routes under `/logs`, relative to the tenant. */
export function logRoutes(deps: LogRoutesDeps): Hono<AppEnv> {
  const { executions, logSearch, logRemovals, clock } = deps;
  const routes = new Hono<AppEnv>();

  routes.get("/logs/search", async (c) => {
    const query = readLogQuery(queryOf(c), clock.now());
    const page = await logSearch.search(c.get("actor"), query, c.req.raw.signal);
    return await pageResponse(c, page, query.after ? "CURSOR" : "OFFSET");
  });

  routes.get("/logs/:executionId", async (c) => {
    const pieces = textPieces(readEntries(c, deps), stringifyJson);
    return await textResponse(c, listText(pieces, { before: "[", after: "]" }));
  });

  routes.get("/logs/:executionId/download", async (c) => {
    const id = c.req.param("executionId");
    const name = isId(id) ? id : "execution";
    return await textResponse(c, joined(textPieces(readEntries(c, deps), lineText)), {
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": `attachment; filename="${name}.log"`,
    });
  });

  routes.get("/logs/:executionId/follow", async (c) => {
    const target = { executions, clock, actor: c.get("actor"), id: c.req.param("executionId") };
    const filter = readFilter(queryOf(c), clock.now());
    await awaitExecution(target, c.req.raw.signal);
    return eventStream(c, logEvents(target, filter));
  });

  routes.delete("/logs/:executionId", async (c) => {
    const filter = readFilter(queryOf(c), clock.now());
    await logRemovals.ofExecution(c.get("actor"), c.req.param("executionId"), filter);
    return c.body(null, 200);
  });

  routes.delete("/logs/:namespace/:flowId", async (c) => {
    const { namespace, flowId: id } = c.req.param();
    const triggerId = c.req.query("triggerId") || undefined;
    await logRemovals.ofFlow(c.get("actor"), { namespace, id, triggerId }, c.req.raw.signal);
    return c.body(null, 200);
  });

  return routes;
}

/**
 * `type` says how the page was chosen. `isTotalExact` and `searchedTo` are present only for an incomplete search, `cursor`
 * and `nextCursor`, which are the same, when more lines may follow.
 */
function pageResponse(
  c: Context<AppEnv>,
  { results, total, isTotalExact, searchedTo, next }: LogPage,
  type: "OFFSET" | "CURSOR",
): Promise<Response> {
  const cursor = next && cursorText(next);
  const rest = stringifyJson({
    total,
    type,
    isTotalExact: isTotalExact ? undefined : false,
    searchedTo: searchedTo === undefined || !Number.isFinite(searchedTo) ? undefined : toIso(searchedTo),
    cursor,
    nextCursor: cursor,
  });
  const pieces = textPieces(piecesOf(results), stringifyJson);
  return textResponse(c, listText(pieces, { before: '{"results":[', after: `],${rest.slice(1)}` }));
}

function* piecesOf(entries: readonly JsonObject[]): Generator<readonly JsonObject[]> {
  for (let i = 0; i < entries.length; i += ENTRIES_PER_PIECE) yield entries.slice(i, i + ENTRIES_PER_PIECE);
}

/** @throws DomainError as {@link readFilter} */
function readEntries(
  c: Context<AppEnv>,
  { executions, clock }: LogRoutesDeps,
): Iterable<never> | AsyncIterable<JsonObject[]> {
  const filter = readFilter(queryOf(c), clock.now());
  const id = c.req.param("executionId") ?? "";
  return isId(id) ? executions.logs(c.get("actor"), id, filter) : [];
}

async function* textPieces(
  pieces: Iterable<readonly JsonObject[]> | AsyncIterable<readonly JsonObject[]>,
  textOf: (entry: JsonObject) => string,
): AsyncGenerator<string[]> {
  for await (const entries of pieces) yield entries.map((entry) => textOf(entry));
}

async function* joined(pieces: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const texts of pieces) yield texts.join("");
}

/** `taskRunId`, `taskId`, `attempt`, and the filters of a search. @throws DomainError bad_request; as {@link readLogConditions} */
function readFilter(query: URLSearchParams, now: Instant): LogFilter {
  const also = readLogConditions(query, now);
  return {
    taskRunId: query.get("taskRunId") || undefined,
    taskId: query.get("taskId") || undefined,
    attempt: readAttempt(query.get("attempt")),
    also: also.conditions.length + also.groups.length > 0 ? also : undefined,
  };
}

function readAttempt(text: string | null): number | undefined {
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw badRequest(`"attempt" must be a number from 0, but received "${text}"`);
}

/** Timestamp, level and message. */
function lineText({ timestamp, level, message }: JsonObject): string {
  return `${timestamp} ${String(level).padEnd(5)} ${message}\n`;
}
