/** Statistics and lists of task runs that front ends before custom dashboards show, and what a tenant uses. */
import { type Context, Hono } from "hono";
import type { Clock } from "../../../base/time/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../../base/json.ts";
import { MAX_FILTER_BODY_BYTES } from "../../../model/limits.ts";
import type { ExecutionStatistics } from "../../../services/statistics/execution_statistics.ts";
import type { LogStatistics } from "../../../services/statistics/log_statistics.ts";
import { MAX_TASK_RUNS, type TaskRuns } from "../../../services/statistics/task_runs.ts";
import type { Usages } from "../../../services/statistics/usages.ts";
import { LOG_FILTER_NAMES, readLogConditions } from "../../filters/log_filters.ts";
import { readOptionalJson, requireMediaType } from "../../bodies/body.ts";
import { readWindow } from "../../filters/chart_filters.ts";
import type { AppEnv } from "../../env.ts";
import { queryOf } from "../../forms/params.ts";
import {
  flowsIn,
  optionalTextIn,
  readStatisticsQuery,
  readTaskRunPaging,
  readTaskRunQuery,
  statisticsQueryOf,
} from "../../filters/statistics_filters.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { listText, textResponse } from "../../responses/text_stream.ts";

interface StatisticsRoutesDeps {
  readonly statistics: ExecutionStatistics;
  readonly logStatistics: LogStatistics;
  readonly taskRuns: TaskRuns;
  readonly usages: Usages;
  readonly clock: Clock;
}

/** Routes under `/stats`, `/taskruns` and `/usages`, relative to the tenant. */
export function statisticsRoutes(deps: StatisticsRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addExecutions(routes, deps);
  addLines(routes, deps);
  addTaskRuns(routes, deps);
  addUsages(routes, deps);
  return routes;
}

function addExecutions(routes: Hono<AppEnv>, { statistics, clock }: StatisticsRoutesDeps): void {
  const queryIn = (body: JsonValue | undefined) => readStatisticsQuery(statisticsQueryOf(body), clock.now());

  routes.post("/stats/executions/daily", async (c) => {
    return valueResponse(await statistics.daily(c.get("actor"), queryIn(await readBody(c))));
  });

  routes.post("/stats/executions/daily/group-by-flow", async (c) => {
    const body = await readBody(c);
    const isByNamespace = isJsonObject(body) && ownProperty(body, "namespaceOnly") === true;
    const options = { isByNamespace, flows: flowsIn(body) };
    return valueResponse(await statistics.dailyByFlow(c.get("actor"), queryIn(body), options));
  });

  routes.post("/stats/executions/daily/group-by-namespace", async (c) => {
    return valueResponse(await statistics.byNamespace(c.get("actor"), queryIn(await readBody(c))));
  });

  routes.post("/stats/executions/latest/group-by-flow", async (c) => {
    const pieces = await statistics.newest(c.get("actor"), flowsIn(await readBody(c)));
    return await textResponse(c, listText(pieces, { before: "[", after: "]" }));
  });
}

function addLines(routes: Hono<AppEnv>, { logStatistics, clock }: StatisticsRoutesDeps): void {
  routes.post("/stats/logs/daily", async (c) => {
    const query = statisticsQueryOf(await readBody(c));
    const names = LOG_FILTER_NAMES.filter((name) => !DATES.includes(name)).concat("minLevel");
    const lines = new URLSearchParams([...query].filter(([name]) => names.includes(name)));
    const conditions = readLogConditions(lines, clock.now());
    const window = readWindow(query, clock.now());
    return entriesResponse(
      await logStatistics.daily(c.get("actor"), { ...window, conditions, signal: c.req.raw.signal }),
    );
  });
}

const DATES: readonly string[] = ["startDate", "endDate", "timeRange"];

function addTaskRuns(routes: Hono<AppEnv>, { taskRuns, clock }: StatisticsRoutesDeps): void {
  routes.post("/stats/taskruns/daily", async (c) => {
    const query = readTaskRunQuery(statisticsQueryOf(await readBody(c)), clock.now());
    return entriesResponse(await taskRuns.daily(c.get("actor"), { ...query, signal: c.req.raw.signal }));
  });

  routes.get("/taskruns/search", async (c) => {
    const params = queryOf(c);
    const query = { ...readTaskRunQuery(params, clock.now()), signal: c.req.raw.signal };
    const page = await taskRuns.search(c.get("actor"), query, readTaskRunPaging(params));
    const { total, isTotalExact, pieces } = page;
    const after = `],"total":${total},"isTotalExact":${isTotalExact}}`;
    return await textResponse(c, listText(pieces, { before: '{"results":[', after }));
  });

  // The largest number of task runs that a search finds: clients show no page behind it.
  routes.get("/taskruns/maxTaskRunSetting", () => valueResponse(MAX_TASK_RUNS));
}

function addUsages(routes: Hono<AppEnv>, { usages }: StatisticsRoutesDeps): void {
  routes.get("/usages/all", async (c) => valueResponse(await usages.all(c.get("actor"), c.req.raw.signal)));
  routes.post("/stats/summary", async (c) => {
    const namespace = optionalTextIn(await readBody(c), "namespace");
    return valueResponse(await usages.summary(c.get("actor"), namespace));
  });
}

/** A JSON body; all of its members are optional, and so is the body. */
async function readBody(c: Context<AppEnv>): Promise<JsonValue | undefined> {
  requireMediaType(c, "application/json");
  return await readOptionalJson(c, MAX_FILTER_BODY_BYTES);
}

interface Entries {
  readonly entries: readonly JsonObject[];
  readonly isExact: boolean;
}

/** A list has no member for it: the header says that not everything was counted. */
function entriesResponse({ entries, isExact }: Entries): Response {
  return valueResponse(entries, isExact ? undefined : { "x-exact": "false" });
}
