/** Rendering of expressions for callers, and the names that expressions can use. */
import { Hono } from "hono";
import { isJsonObject, type JsonValue, ownProperty } from "../../../base/json.ts";
import type { Expressions, RenderRequest } from "../../../services/flows/expressions.ts";
import { readJson } from "../../bodies/body.ts";
import { isTextList } from "../../bodies/entity_body.ts";
import type { AppEnv } from "../../env.ts";
import { valueResponse } from "../../responses/json_response.ts";
import { queryOf, readBoolean } from "../../forms/params.ts";
import { invalidArgument } from "../../refusals.ts";

/** Most expressions of one request. */
const MAX_EXPRESSIONS = 100;

/** Routes under `/expressions`, relative to the tenant. */
export function expressionRoutes(expressions: Expressions): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.post("/expressions/render", async (c) => {
    const request = readRequest(await readJson(c));
    return valueResponse(await expressions.render(c.get("actor"), request));
  });

  return routes;
}

/** `GET /pebble/filters` and `/pebble/functions`: names for editors, functions with `details=true` as `{name, arguments}`; not of a tenant. */
export function expressionNameRoutes(expressions: Expressions): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get("/pebble/filters", (c) => c.json(expressions.filterNames))
    .get("/pebble/functions", (c) => {
      const { functions } = expressions;
      const isDetailed = readBoolean(queryOf(c), "details", false);
      return c.json(isDetailed ? functions : functions.map(({ name }) => name));
    });
}

/** `{expressions: [..], context?: {..}, namespace?}`. @throws DomainError invalid_argument */
function readRequest(body: JsonValue): RenderRequest {
  const object = isJsonObject(body) ? body : {};
  const expressions = ownProperty(object, "expressions");
  const context = ownProperty(object, "context") ?? {};
  const namespace = ownProperty(object, "namespace") ?? undefined;
  if (!isTextList(expressions)) refuse('"expressions" must be a list of texts');
  if (expressions.length > MAX_EXPRESSIONS) {
    refuse(`at most ${MAX_EXPRESSIONS} expressions are rendered at once`);
  }
  if (!isJsonObject(context)) refuse('"context" must be an object: its members are the variables');
  if (namespace !== undefined && typeof namespace !== "string") refuse('"namespace" must be a text');
  return { expressions, context, namespace };
}

function refuse(reason: string): never {
  throw invalidArgument(reason);
}
