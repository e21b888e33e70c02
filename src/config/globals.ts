/** The values that all flows read as `globals`: from a JSON or YAML file, or given as JSON text. */
import { type JsonObject, parseJson } from "../base/json.ts";
import { ConfigProblem, parseMap, type ReadFile } from "./given.ts";

/** The values of the option; `undefined` without it. Messages do not repeat values. */
export function readGlobals(
  given: string | undefined,
  readFile: ReadFile,
): JsonObject | ConfigProblem | undefined {
  if (given === undefined) return undefined;
  const isText = given.trimStart().startsWith("{");
  const content = isText ? { text: given } : readFile(given);
  const map = "problem" in content ? new ConfigProblem(content.problem) : parseMap(content.text);
  if (!(map instanceof ConfigProblem)) return parseJson(JSON.stringify(map)) as JsonObject;
  const subject = isText ? "the text" : `the file "${given}"`;
  return new ConfigProblem(`Cannot read ${subject} of --globals: ${map.message}`);
}
