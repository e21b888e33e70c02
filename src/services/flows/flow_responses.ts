/** Flows and the results of checks as JSON of the API. */
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import { deprecationsOf, flowResponse, isDeprecation, problemsText } from "../../flow/mod.ts";
import type { Flow } from "../../model/flows/flow.ts";
import type { Problem } from "../../model/flows/problem.ts";
import type { FlowCheck } from "./flows.ts";

/** The JSON text of a flow, with or without its source. */
export function flowText(flow: Flow, options: { readonly source: boolean }): string {
  return stringifyJson(flowResponse(flow, options));
}

/** The result of a check: texts for people, and `problems` with positions for editors. */
export function checkResponse(check: FlowCheck): JsonObject {
  const { index, id, namespace, problems, isOutdated } = check;
  const constraints = problemsText(problems);
  const deprecations = deprecationsOf(problems);
  const warnings = problems.filter((problem) => problem.severity === "warning" && !isDeprecation(problem));
  const response: JsonObject = { index };
  if (id !== undefined) response.flow = id;
  if (namespace !== undefined) response.namespace = namespace;
  if (constraints !== undefined) response.constraints = constraints;
  response.outdated = isOutdated;
  response.deprecationPaths = [...deprecations.paths];
  response.warnings = warnings.map(({ path, message }) => path === "" ? message : `${path}: ${message}`);
  response.infos = [...deprecations.replacements];
  response.problems = problems.map(problemResponse);
  return response;
}

function problemResponse({ code, path, message, severity, range }: Problem): JsonObject {
  const place: JsonObject = range ? { line: range.line, column: range.column, length: range.length } : {};
  return { code, path, message, severity, ...place };
}
