/** Dashboards: saving, reading, validating. */
import { type Context, Hono } from "hono";
import { toIso } from "../../../base/time/clock.ts";
import { type JsonObject, ownProperty, setOwnProperty, stringifyJson } from "../../../base/json.ts";
import type { Problem } from "../../../model/flows/problem.ts";
import type { Dashboard, Dashboards } from "../../../services/charts/dashboards.ts";
import { checkResponse } from "../../../services/flows/flow_responses.ts";
import type { AppEnv } from "../../env.ts";
import { readSource } from "../../forms/flow_request.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { streamedPageResponse } from "../../responses/text_stream.ts";
import { takePage } from "../../responses/list_page.ts";
import { queryOf, readPaging } from "../../forms/params.ts";

/** What lists search and sort by. */
interface Summary extends Pick<Dashboard, "id" | "createdAt" | "updatedAt"> {
  readonly title: string;
}

const SORT_FIELDS = new Map<string, (dashboard: Summary) => string | number>([
  ["id", ({ id }) => id],
  ["title", ({ title }) => title],
  ["created", ({ createdAt }) => createdAt],
  ["updated", ({ updatedAt }) => updatedAt],
]);

/** Routes under `/dashboards`, relative to the tenant. */
export function dashboardRoutes(dashboards: Dashboards): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addReading(routes, dashboards);

  routes.post("/dashboards", async (c) => {
    const dashboard = await dashboards.create(c.get("actor"), await readSource(c));
    c.set("auditedIds", [["id", dashboard.id]]);
    return response(dashboard);
  });

  routes.put("/dashboards/:id", async (c) => {
    return response(await dashboards.update(c.get("actor"), c.req.param("id"), await readSource(c)));
  });

  routes.delete("/dashboards/:id", async (c) => {
    await dashboards.delete(c.get("actor"), c.req.param("id"));
    return c.body(null, 204);
  });

  routes.post("/dashboards/validate", async (c) => {
    const { problems, definition } = dashboards.validate(await readSource(c));
    return valueResponse({ ...checkOf(problems), ...definition && { definition } });
  });
  routes.post("/dashboards/validate/chart", async (c) => {
    return valueResponse(checkOf(dashboards.validateChart(await readSource(c))));
  });
  return routes;
}

function addReading(routes: Hono<AppEnv>, dashboards: Dashboards): void {
  routes.get("/dashboards", async (c: Context<AppEnv>) => {
    const query = queryOf(c);
    const paging = readPaging(query);
    const words = (query.get("q") ?? "").toLowerCase().split(/[\s\p{P}]+/u);
    const found: Summary[] = [];
    for await (const dashboard of dashboards.list(c.get("actor"))) {
      const { id, createdAt, updatedAt } = dashboard;
      const title = titleOf(dashboard);
      const searched = `${id} ${title}`.toLowerCase();
      if (words.every((word) => searched.includes(word))) found.push({ id, title, createdAt, updatedAt });
    }
    const ids = takePage(found, paging, SORT_FIELDS).map(({ id }) => id);
    return await streamedPageResponse(c, textPieces(dashboards.pieces(c.get("actor"), ids)), found.length);
  });

  // Default dashboards of pages are not configurable.
  routes.get("/dashboards/settings/default-dashboards", (c) => c.json({}));

  routes.get("/dashboards/:id", async (c) => {
    return response(await dashboards.get(c.get("actor"), c.req.param("id")));
  });
}

async function* textPieces(pieces: AsyncIterable<readonly Dashboard[]>): AsyncGenerator<string[]> {
  for await (const piece of pieces) yield piece.map((dashboard) => stringifyJson(bodyOf(dashboard)));
}

function titleOf({ definition }: Dashboard): string {
  return String(ownProperty(definition, "title") ?? "");
}

/** The definition with metadata. */
function bodyOf({ id, definition, source, createdAt, updatedAt }: Dashboard): JsonObject {
  const body: JsonObject = { id };
  for (const [name, value] of Object.entries(definition)) {
    if (value !== null && name !== "id") setOwnProperty(body, name, value);
  }
  if (!Object.hasOwn(body, "charts")) body.charts = [];
  const metadata = {
    deleted: false,
    sourceCode: source,
    created: toIso(createdAt),
    updated: toIso(updatedAt),
  };
  return Object.assign(body, metadata);
}

function response(dashboard: Dashboard): Response {
  return valueResponse(bodyOf(dashboard));
}

function checkOf(problems: readonly Problem[]): JsonObject {
  return checkResponse({ index: 0, problems, isOutdated: false });
}
