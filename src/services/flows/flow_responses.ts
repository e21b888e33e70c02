/** Flows and the results of checks as JSON of the API. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
  stringifyJson,
} from "../../base/json.ts";
import { deprecationsOf, flowResponse, isDeprecation, problemsText } from "../../flow/mod.ts";
import { canonicalType, type Flow } from "../../model/flows/flow.ts";
import type { Problem } from "../../model/flows/problem.ts";
import type { FlowCheck, SavedFlow } from "./flows.ts";

/** The JSON text of a flow, with or without its source. */
export function flowText(flow: Flow, options: { readonly source: boolean }): string {
  return stringifyJson(flowResponse(flow, options));
}

const PAUSE_KINDS: ReadonlySet<string> = new Set(["core.flow.Pause", "core.tasks.flows.Pause"]);
const TASK_LISTS = ["tasks", "errors", "finally", "afterExecution"] as const;

/** The JSON text of the flow of an execution: each Pause shows its `onResume` as `inputs` too, as the forms of clients read it. */
export function executedFlowText(flow: Flow): string {
  const response = flowResponse(flow, { source: false });
  for (const name of TASK_LISTS) {
    const tasks = ownProperty(response, name);
    if (tasks !== undefined) response[name] = withPauseInputs(tasks);
  }
  return stringifyJson(response);
}

function withPauseInputs(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withPauseInputs);
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [name, member] of Object.entries(value)) setOwnProperty(copy, name, withPauseInputs(member));
  const [type, onResume] = [ownProperty(value, "type"), ownProperty(value, "onResume")];
  const isPause = typeof type === "string" && PAUSE_KINDS.has(canonicalType(type));
  return isPause && Array.isArray(onResume) ? { ...copy, inputs: onResume } : copy;
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
const SENTENCES: ReadonlySet<string> = new Set(["reacts_to_all"]);

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
