/** Document → problems. Reads the schemas of the catalog; knows no task type itself. */
import { type JsonObject, ownProperty } from "../base/json.ts";
import type { TaskCatalog } from "../model/task_catalog.ts";
import { checkId, FLOW_ID, NAMESPACE } from "./check_ids.ts";
import { FLOW_PROPERTIES } from "./flow_schema.ts";
import { checkLabels } from "./labels.ts";
import { IGNORED_FLOW_PROPERTIES, UNSUPPORTED_FLOW_PROPERTIES } from "./not_supported.ts";
import type { ParsedSource } from "./parse.ts";
import { type FlowProblem, Report, type TemplateCheck } from "./report.ts";
import { checkMembers } from "./schema_check.ts";
import { checkInputDeclarations } from "./validate_inputs.ts";
import { checkOutputs } from "./validate_outputs.ts";
import { TaskValidator } from "./validate_tasks.ts";
import { checkTriggers } from "./validate_triggers.ts";

/**
 * All problems of a source at once, errors and warnings, in the order of the source. `checkTemplate` gives the syntax
 * error of an expression, when it has one.
 */
export function validateFlow(
  parsed: ParsedSource,
  catalog: TaskCatalog,
  checkTemplate?: TemplateCheck,
): FlowProblem[] {
  if (!parsed.document) return [...parsed.problems];
  const report = new Report(parsed, checkTemplate);
  checkDocument(parsed.document, catalog, report);
  return report.problems();
}

function checkDocument(document: JsonObject, catalog: TaskCatalog, report: Report): void {
  const tasks = new TaskValidator(catalog, report);
  checkId(ownProperty(document, "id"), FLOW_ID, ["id"], report);
  checkId(ownProperty(document, "namespace"), NAMESPACE, ["namespace"], report);
  checkLabels(ownProperty(document, "labels"), ["labels"], report);
  checkInputDeclarations(ownProperty(document, "inputs"), ["inputs"], report);
  checkOutputs(ownProperty(document, "outputs"), ["outputs"], report);
  tasks.checkRequired(ownProperty(document, "tasks"), ["tasks"]);
  checkTriggers(ownProperty(document, "triggers"), ["triggers"], report);
  checkMembers(document, FLOW_PROPERTIES, {
    path: [],
    report,
    unsupported: UNSUPPORTED_FLOW_PROPERTIES,
    ignored: IGNORED_FLOW_PROPERTIES,
    checkTasks: (list, path) => tasks.checkList(list, path),
  });
}

/** True when one of the problems keeps the flow from being saved. */
export function hasErrors(problems: readonly FlowProblem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}
