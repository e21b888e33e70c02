/** Where statements of Snowflake run. */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import type { HttpServer } from "../http/http_server.ts";

/** The driver takes the database by that name. */
const FROM_URL: readonly (readonly [property: string, options: readonly string[]])[] = [
  ["warehouse", ["warehouse"]],
  ["database", ["db", "database"]],
  ["schema", ["schema"]],
  ["role", ["role"]],
];

/** `warehouse`, `database`, `schema` and `role`: properties, else options of the url. */
export function statementPlace(
  properties: JsonObject,
  { url: { options } }: Pick<HttpServer, "url">,
): JsonObject {
  return Object.fromEntries(FROM_URL.flatMap(([name, names]): [string, JsonValue][] => {
    const given = optionalText(properties[name]) ??
      names.map((each) => options.get(each)).find((each) => each !== undefined);
    return given === undefined ? [] : [[name, given]];
  }));
}
