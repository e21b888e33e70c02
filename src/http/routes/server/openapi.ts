/** The OpenAPI description, for people and client generators. */
import { type Context, Hono } from "hono";
import { stringify } from "@std/yaml";
import { type JsonObject, stringifyJson } from "../../../base/json.ts";
import type { AppEnv } from "../../forms/env.ts";
import { jsonResponse } from "../../responses/json_response.ts";

const YAML_PATHS = ["/openapi.yml", "/openapi.yaml", "/swagger/kestra.yml"];

/** `GET /openapi.json`, `/openapi.yml` and the path of older clients. `describe` is called once per format, at the first request. */
export function openApiRoutes(describe: () => JsonObject): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  let [json, yaml]: (string | undefined)[] = [];
  routes.get("/openapi.json", () => jsonResponse(json ??= stringifyJson(describe())));
  for (const path of YAML_PATHS) {
    routes.get(path, (c: Context<AppEnv>) => {
      yaml ??= stringify(describe(), { aliasDuplicateObjects: false });
      return c.body(yaml, 200, { "content-type": "application/yaml; charset=utf-8" });
    });
  }
  return routes;
}
