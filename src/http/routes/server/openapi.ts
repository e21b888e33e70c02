/** The OpenAPI description, for people and client generators. */
import { type Context, Hono } from "hono";
import { stringify } from "@std/yaml";
import type { DurationForm } from "../../../base/time/duration.ts";
import { type JsonObject, stringifyJson } from "../../../base/json.ts";
import type { AppEnv } from "../../env.ts";
import { jsonResponse } from "../../responses/json_response.ts";

const YAML_PATHS = ["/openapi.yml", "/openapi.yaml", "/swagger/kestra.yml"];

/** The description of responses that write durations in that form. */
type Describe = (durations: DurationForm) => JsonObject;

/**
 * `GET /openapi.json`, `/openapi.yml` and the path of older clients. Durations are described as the request asks for them.
 * `describe` is called once per format and form, at the first request.
 */
export function openApiRoutes(describe: Describe): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const jsonOf = rememberedText((durations) => stringifyJson(describe(durations)));
  const yamlOf = rememberedText((durations) =>
    stringify(describe(durations), { aliasDuplicateObjects: false })
  );
  routes.get("/openapi.json", (c) => jsonResponse(jsonOf(c)));
  for (const path of YAML_PATHS) {
    routes.get(path, (c) => c.body(yamlOf(c), 200, { "content-type": "application/yaml; charset=utf-8" }));
  }
  return routes;
}

function rememberedText(textOf: (durations: DurationForm) => string): (c: Context<AppEnv>) => string {
  const texts = new Map<DurationForm, string>();
  return (c) => {
    const { durations = "seconds" } = c.get("actor");
    const text = texts.get(durations) ?? textOf(durations);
    texts.set(durations, text);
    return text;
  };
}
