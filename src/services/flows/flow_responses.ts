/** Flows and the results of checks as JSON of the API. */
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import { deprecationsOf, flowResponse, isDeprecation, problemsText } from "../../flow/mod.ts";
import type { Flow } from "../../model/flows/flow.ts";
import type { Problem } from "../../model/flows/problem.ts";
import type { FlowCheck } from "./flow_checks.ts";
import type { SavedFlow } from "./flows.ts";

/** The JSON text of a flow, with or without its source. */
export function flowText(flow: Flow, options: { readonly source: boolean }): string {
  return stringifyJson(flowResponse(flow, options));
}

/** The JSON text of a flow that was saved: with its source, and the warnings of it if there are any. */
export function savedFlowText({ flow, warnings }: SavedFlow): string {
  const texts = warningTexts(warnings);
  const response = flowResponse(flow, { source: true });
  return stringifyJson(texts.length === 0 ? response : { ...response, warnings: texts });
}

/** The result of a check: texts for people, and `problems` with positions for editors. */
export function checkResponse(check: FlowCheck): JsonObject {
  const { index, id, namespace, problems, isOutdated } = check;
  const constraints = problemsText(problems);
  const deprecations = deprecationsOf(problems);
  const response: JsonObject = { index };
  if (id !== undefined) response.flow = id;
  if (namespace !== undefined) response.namespace = namespace;
  if (constraints !== undefined) response.constraints = constraints;
  response.outdated = isOutdated;
  response.deprecationPaths = [...deprecations.paths];
  response.warnings = warningTexts(problems);
  response.infos = [...deprecations.replacements];
  response.problems = problems.map(problemResponse);
  return response;
}

/** Warnings that name their place, in the words that clients know. */
const SENTENCES: ReadonlySet<string> = new Set(["reacts_to_all", "missing_flow", "disabled_flow"]);

/** The warnings beside deprecations. */
function warningTexts(problems: readonly Problem[]): string[] {
  const warnings = problems.filter((problem) => problem.severity === "warning" && !isDeprecation(problem));
  return warnings.map(({ code, path, message }) =>
    path === "" || SENTENCES.has(code) ? message : `${path}: ${message}`
  );
}

function problemResponse({ code, path, message, severity, range }: Problem): JsonObject {
  const place: JsonObject = range ? { line: range.line, column: range.column, length: range.length } : {};
  return { code, path, message, severity, ...place };
}
