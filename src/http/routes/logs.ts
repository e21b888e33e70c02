/** Log entries of executions: reading, downloading, following, deleting. */
import { type Context, Hono } from "hono";
import type { Clock } from "../../base/clock.ts";
import { isId } from "../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import { LOG_LEVELS } from "../../model/flow.ts";
import type { Executions } from "../../services/executions.ts";
import type { LogFilter } from "../../services/log_entries.ts";
import type { AppEnv } from "../env.ts";
import { awaitExecution, logEvents } from "../follow.ts";
import { jsonAnswer } from "../json_answer.ts";
import { eventStream } from "../sse.ts";

/** What the routes work with. */
export interface LogRoutesDeps {
  readonly executions: Executions;
  readonly clock: Clock;
}

/** Routes under `/logs`, relative to the tenant. */
export function logRoutes({ executions, clock }: LogRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  // Taken for the id of an execution it would find nothing, which would not be true.
  routes.get("/logs/search", () => {
    throw new DomainError(
      "not_found",
      "Not Found: log entries cannot be searched; read those of an execution",
    );
  });

  routes.get("/logs/:executionId", async (c) => {
    return jsonAnswer(stringifyJson(await readEntries(c, executions)));
  });

  routes.get("/logs/:executionId/download", async (c) => {
    const id = c.req.param("executionId");
    const lines = (await readEntries(c, executions)).map(lineText);
    const name = isId(id) ? id : "execution";
    return c.body(lines.join(""), 200, {
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": `attachment; filename="${name}.log"`,
      "x-content-type-options": "nosniff",
    });
  });

  routes.get("/logs/:executionId/follow", async (c) => {
    const target = { executions, clock, actor: c.get("actor"), id: c.req.param("executionId") };
    const filter = readFilter(new URL(c.req.raw.url).searchParams);
    await awaitExecution(target, c.req.raw.signal);
    return eventStream(c, logEvents(target, filter));
  });

  routes.delete("/logs/:executionId", async (c) => {
    const id = c.req.param("executionId");
    refuseFilters(new URL(c.req.raw.url).searchParams);
    if (!isId(id)) throw new DomainError("not_found", `Not Found: execution "${id}" does not exist`);
    await executions.deleteLogs(c.get("actor"), id);
    return c.body(null, 200);
  });

  return routes;
}

async function readEntries(c: Context<AppEnv>, executions: Executions): Promise<JsonObject[]> {
  const filter = readFilter(new URL(c.req.raw.url).searchParams);
  const id = c.req.param("executionId") ?? "";
  return isId(id) ? await executions.logs(c.get("actor"), id, filter) : [];
}

/** `minLevel`, `taskRunId`, `taskId` and `attempt`. @throws DomainError bad_request */
function readFilter(query: URLSearchParams): LogFilter {
  return {
    minLevel: readLevel(query.get("minLevel")),
    taskRunId: query.get("taskRunId") || undefined,
    taskId: query.get("taskId") || undefined,
    attempt: readAttempt(query.get("attempt")),
  };
}

function readLevel(text: string | null): LogFilter["minLevel"] {
  if (!text) return undefined;
  const level = LOG_LEVELS.find((level) => level === text.toUpperCase());
  if (level) return level;
  throw new DomainError(
    "bad_request",
    `Bad Request: "minLevel" must be one of ${LOG_LEVELS.join(", ")}, but received "${text}"`,
  );
}

function readAttempt(text: string | null): number | undefined {
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new DomainError(
    "bad_request",
    `Bad Request: "attempt" must be a number from 0, but received "${text}"`,
  );
}

/** Deleting takes all lines; who asks for a part must not lose the rest. */
function refuseFilters(query: URLSearchParams): void {
  const name = ["minLevel", "taskRunId", "taskId", "attempt"].find((name) => query.get(name));
  if (name === undefined) return;
  throw new DomainError(
    "bad_request",
    `Bad Request: all log entries are deleted at once; "${name}" is not supported`,
  );
}

/** Timestamp, level and message. */
function lineText({ timestamp, level, message }: JsonObject): string {
  return `${timestamp} ${String(level).padEnd(5)} ${message}\n`;
}
