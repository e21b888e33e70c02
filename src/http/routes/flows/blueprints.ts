/**
 * Blueprints: templates of flows and dashboards. Front ends of two generations ask in two forms: with the kind
 * (`community/flow/{id}/source`) and, where there are templates of flows alone, without (`community/{id}/flow`). No template
 * has the name of a kind, of a part or of the list of tags as its id.
 */
import { type Context, Hono } from "hono";
import { toIso } from "../../../base/time/clock.ts";
import { notFound } from "../../../model/errors.ts";
import { type Blueprint, blueprintKind, type Blueprints } from "../../../services/blueprints/blueprints.ts";
import { type BlueprintKind, PUBLISHED_AT } from "../../../services/blueprints/templates.ts";
import { readBlueprintFilter } from "../../filters/blueprint_filters.ts";
import type { AppEnv } from "../../env.ts";
import { queryOf, readPaging } from "../../forms/params.ts";
import { jsonResponse } from "../../responses/json_response.ts";
import { takePage } from "../../responses/list_page.ts";

const PATH = "/blueprints/community";
const YAML_HEADERS = { "content-type": "application/yaml; charset=utf-8" };
const publishedAt = toIso(PUBLISHED_AT);

const SORT_FIELDS = new Map<string, (blueprint: Blueprint) => string | number>([
  ["id", ({ id }) => id],
  ["title", ({ title }) => title],
  ["publishedAt", () => PUBLISHED_AT],
  ["tags", ({ tags }) => tags.join()],
]);

/** Routes under `/blueprints/community`, relative to the tenant. */
export function blueprintRoutes(blueprints: Blueprints): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const views = new BlueprintViews(blueprints);
  routes.get(PATH, (c) => views.list(c, "flow"));
  routes.get(`${PATH}/:kind`, (c) => {
    const { kind: first } = c.req.param();
    if (first === "tags") return views.tags(c, "flow");
    const kind = blueprintKind(first);
    return kind ? views.list(c, kind) : views.one(c, "flow", first);
  });
  routes.get(`${PATH}/:kind/:id`, (c) => {
    const { kind: first, id: second } = c.req.param();
    const kind = blueprintKind(first);
    if (!kind) return views.part(c, { kind: "flow", id: first, part: second });
    return second === "tags" ? views.tags(c, kind) : views.one(c, kind, second);
  });
  routes.get(`${PATH}/:kind/:id/:part`, (c) => {
    const { kind: name, id, part } = c.req.param();
    const kind = blueprintKind(name);
    if (!kind) throw notFound(`there are no blueprints of kind "${name.slice(0, 100)}"`);
    return views.part(c, { kind, id, part });
  });
  return routes;
}

/** The responses. */
class BlueprintViews {
  readonly #blueprints: Blueprints;

  constructor(blueprints: Blueprints) {
    this.#blueprints = blueprints;
  }

  list(c: Context<AppEnv>, kind: BlueprintKind): Response {
    const query = queryOf(c);
    const paging = readPaging(query);
    const found = this.#blueprints.list(kind).filter(readBlueprintFilter(query));
    return c.json({ results: takePage(found, paging, SORT_FIELDS).map(itemBody), total: found.length });
  }

  tags(c: Context<AppEnv>, kind: BlueprintKind): Response {
    const found = this.#blueprints.list(kind).filter(readBlueprintFilter(queryOf(c)));
    return c.json(this.#blueprints.tags(found).map(({ id, name }) => ({ id, name, publishedAt })));
  }

  one(c: Context<AppEnv>, kind: BlueprintKind, id: string): Response {
    const blueprint = this.#blueprints.get(kind, id);
    const { source } = blueprint;
    return c.json({
      ...itemBody(blueprint),
      kind: kind.toUpperCase(),
      source,
      ...(kind === "flow" && { flow: source }),
    });
  }

  async part(
    c: Context<AppEnv>,
    { kind, id, part }: { readonly kind: BlueprintKind; readonly id: string; readonly part: string },
  ): Promise<Response> {
    const { source } = this.#blueprints.get(kind, id);
    if (part === "source" || part === "flow") return c.body(source, 200, YAML_HEADERS);
    if (part === "graph") return jsonResponse(await this.#blueprints.graph(c.get("actor"), kind, id));
    throw notFound(`a blueprint has source and graph, but no "${part.slice(0, 100)}"`);
  }
}

function itemBody({ id, title, description, tags, types }: Blueprint): object {
  return { id, title, description, includedTasks: types, tags, publishedAt };
}
