/** Document → problems. Reads the schemas of the catalogs; what single types add to them is in `task_rules` and `trigger_rules`. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import type { TaskCatalog } from "../../model/tasks/task_catalog.ts";
import type { TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import { checkId, FLOW_ID, NAMESPACE } from "./check_ids.ts";
import { checkRetry } from "./check_retry.ts";
import { checkListeners } from "./check_listeners.ts";
import { checkSlaLabels } from "./check_sla.ts";
import { scalarText } from "../schema/describe.ts";
import { FLOW_PROPERTIES } from "../schema/flow_schema.ts";
import { checkLabels } from "../build/labels.ts";
import type { ParsedSource } from "../source/parse.ts";
import { applyPluginDefaults } from "../schema/plugin_defaults.ts";
import { type FlowProblem, Report } from "../source/report.ts";
import { checkMembers } from "../schema/schema_check.ts";
import { checkExpressions, type KnownNames } from "./static_expressions.ts";
import { checkOutputs } from "./validate_outputs.ts";
import { TaskValidator } from "./validate_tasks.ts";
import { TriggerValidator } from "./validate_triggers.ts";

/** All types that flows can name. */
export interface Catalogs {
  readonly tasks: TaskCatalog;
  readonly triggers: TriggerCatalog;
}

/** How much is checked. */
export interface ValidateOptions {
  /**
   * Expressions are checked too. All that is found in them are warnings: whoever only wants to know whether the flow can be
   * saved leaves it out.
   */
  readonly expressions?: {
    /** Functions beside the built-in ones; without them calls are not checked. */
    readonly functions?: ReadonlySet<string>;
  };
}

/** Checked apart from the schema of the document. */
const APART: ReadonlySet<string> = new Set(["id", "namespace", "labels", "tasks"]);
/** Types of tasks that set variables while the flow runs, or may. */
const SETS_VARIABLES = ["core.execution.SetVariables", "core.templating.TemplatedTask"];

/** All problems of a source at once, errors and warnings, in the order of the source. */
export function validateFlow(
  parsed: ParsedSource,
  catalogs: Catalogs,
  { expressions }: ValidateOptions = {},
): FlowProblem[] {
  if (!parsed.document) return [...parsed.problems];
  const report = new Report(parsed, { notesTemplates: expressions !== undefined });
  const document = applyPluginDefaults(parsed.document, catalogs);
  const names = checkDocument(document, catalogs, report);
  if (expressions) checkExpressions(report, { ...names, functions: expressions.functions });
  return report.problems();
}

/** The problems of a source that holds one task and nothing else. */
export function validateTask(
  parsed: ParsedSource,
  { tasks: catalog, triggers }: Catalogs,
  { expressions }: ValidateOptions = {},
): FlowProblem[] {
  if (!parsed.document) return [...parsed.problems];
  const report = new Report(parsed, { notesTemplates: expressions !== undefined });
  const conditions = new TriggerValidator(triggers, report);
  const tasks = new TaskValidator(
    { catalog, report },
    (value, path) => conditions.checkCondition(value, path),
  );
  tasks.check(parsed.document, []);
  if (expressions) checkExpressions(report, { functions: expressions.functions });
  return report.problems();
}

/** The problems of a source that holds one trigger and nothing else. */
export function validateTrigger(
  parsed: ParsedSource,
  { triggers }: Catalogs,
  { expressions }: ValidateOptions = {},
): FlowProblem[] {
  if (!parsed.document) return [...parsed.problems];
  const report = new Report(parsed, { notesTemplates: expressions !== undefined });
  new TriggerValidator(triggers, report).check(parsed.document, []);
  if (expressions) checkExpressions(report, { functions: expressions.functions });
  return report.problems();
}

/** Reports what is wrong; gives the names that expressions may use. */
function checkDocument(document: JsonObject, catalogs: Catalogs, report: Report): KnownNames {
  const triggers = new TriggerValidator(catalogs.triggers, report);
  const rules = { catalog: catalogs.tasks, report, flow: keyOf(document) };
  const tasks = new TaskValidator(rules, (value, path) => triggers.checkCondition(value, path));
  checkId(ownProperty(document, "id"), FLOW_ID, ["id"], report);
  checkId(ownProperty(document, "namespace"), NAMESPACE, ["namespace"], report);
  checkLabels(ownProperty(document, "labels"), ["labels"], report);
  tasks.checkRequired(ownProperty(document, "tasks"), ["tasks"]);
  checkMembers(document, FLOW_PROPERTIES, { path: [], report, nested: tasks.nested, apart: APART });
  checkOutputs(ownProperty(document, "outputs"), ["outputs"], report);
  triggers.checkList(ownProperty(document, "triggers"), ["triggers"]);
  checkRetry(ownProperty(document, "retry"), ["retry"], report);
  checkSlaLabels(ownProperty(document, "sla"), ["sla"], report);
  checkListeners(document, catalogs.triggers, report);
  const hasOwnVariables = !SETS_VARIABLES.some((type) => tasks.kinds.has(type));
  return {
    inputs: inputIds(ownProperty(document, "inputs")),
    tasks: tasks.ids,
    loops: tasks.loops,
    variables: hasOwnVariables ? variableNames(ownProperty(document, "variables")) : undefined,
  };
}

function keyOf(document: JsonObject): FlowKey | undefined {
  const id = scalarText(ownProperty(document, "id")),
    namespace = scalarText(ownProperty(document, "namespace"));
  return id === undefined || namespace === undefined ? undefined : { id, namespace };
}

/** `undefined` when they cannot be told. */
function inputIds(inputs: JsonValue | undefined): ReadonlySet<string> | undefined {
  if (inputs !== undefined && inputs !== null && !Array.isArray(inputs)) return undefined;
  return new Set(
    (inputs ?? []).filter(isJsonObject).flatMap((input) => {
      return scalarText(ownProperty(input, "id") ?? ownProperty(input, "name")) ?? [];
    }),
  );
}

function variableNames(variables: JsonValue | undefined): ReadonlySet<string> | undefined {
  if (variables === undefined || variables === null) return new Set();
  return isJsonObject(variables) ? new Set(Object.keys(variables)) : undefined;
}

/** True when one of the problems keeps the flow from being saved. */
export function hasErrors(problems: readonly FlowProblem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}
