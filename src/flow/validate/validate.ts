/** Document → problems. Schemas come from the catalogs; further rules of single types are in `task_rules` and `trigger_rules`. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import type { PluginDefault } from "../../model/flows/inherited_defaults.ts";
import { currentName } from "../../model/flows/schema.ts";
import type { ScriptPlaces } from "../../model/ports/processes.ts";
import type { TaskCatalog } from "../../model/tasks/task_catalog.ts";
import type { TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import { checkId, FLOW_ID, NAMESPACE } from "./check_ids.ts";
import { checkRetry, type StartObstacle, WORKING_DIRECTORY } from "./task_rules.ts";
import { flattenForms, inputIdOf } from "../inputs/form.ts";
import { cutText, elementsOf, hasValue, textOf } from "../schema/describe.ts";
import { FLOW_PROPERTIES } from "../schema/flow_schema.ts";
import { checkLabels, checkSlaLabels } from "./label_rules.ts";
import type { ParsedSource } from "../source/parse.ts";
import { applyLimitedDefaults, MAX_DEFAULT_VALUES, propertiesOf } from "../schema/plugin_defaults.ts";
import { type FlowProblem, Report } from "../source/report.ts";
import { checkMembers, type NestedChecks } from "../schema/schema_check.ts";
import { checkExpressions, type KnownNames } from "./static_expressions.ts";
import { checkOutputs } from "./validate_inputs.ts";
import { TaskValidator } from "./validate_tasks.ts";
import { checkListeners, TriggerValidator } from "./validate_triggers.ts";

/** All types that flows can name. */
export interface Catalogs {
  readonly tasks: TaskCatalog;
  readonly triggers: TriggerCatalog;
  /** Where scripts may run; absent: unknown. */
  readonly scriptPlaces?: ScriptPlaces;
}

/** Which checks run. */
export interface ValidateOptions {
  /** Checks expressions too. Their problems are warnings only, so a caller that looks for errors leaves it out. */
  readonly expressions?: {
    /** Functions besides the built-in ones; without them calls are not checked. */
    readonly functions?: ReadonlySet<string>;
  };
  /** Plugin defaults that the flow inherits from its namespace and the server, the nearest first. */
  readonly inherited?: readonly PluginDefault[];
  /** Reports flows that tasks name but cannot start; absent: unknown. */
  readonly obstacleTo?: StartObstacle;
}

const APART: ReadonlySet<string> = new Set(["id", "namespace", "labels", "tasks"]);
const TOO_MANY_DEFAULTS = "give more than " + MAX_DEFAULT_VALUES.toLocaleString("en") +
  " values to the tasks and triggers of this flow, or tasks within each other without end";
/** Task types that may set variables at run time. */
const SETS_VARIABLES = ["core.execution.SetVariables", "core.templating.TemplatedTask"];

/** All problems of a flow source, errors and warnings, in the order of the source. */
export function validateFlow(
  parsed: ParsedSource,
  catalogs: Catalogs,
  options: ValidateOptions = {},
): FlowProblem[] {
  return problemsOf(parsed, options, (document, report) => {
    const applied = applyLimitedDefaults(document, catalogs, options.inherited);
    if (!applied) {
      report.error("too_many", ["pluginDefaults"], TOO_MANY_DEFAULTS);
      return {};
    }
    return checkDocument(applied, { ...catalogs, obstacleTo: options.obstacleTo }, report);
  });
}

/** The problems of a source that holds one task. */
export function validateTask(
  parsed: ParsedSource,
  { tasks: catalog, triggers, scriptPlaces }: Catalogs,
  options: ValidateOptions = {},
): FlowProblem[] {
  return problemsOf(parsed, options, (document, report) => {
    const conditions = new TriggerValidator(triggers, report);
    const checkCondition: NestedChecks["checkCondition"] = (value, path) =>
      conditions.checkCondition(value, path);
    const tasks = new TaskValidator({ catalog, report, scriptPlaces }, checkCondition);
    tasks.check(document, []);
    tasks.reportDuplicates();
    return {};
  });
}

/** The problems of a source that holds one trigger. */
export function validateTrigger(
  parsed: ParsedSource,
  { triggers }: Catalogs,
  options: ValidateOptions = {},
): FlowProblem[] {
  return problemsOf(parsed, options, (document, report) => {
    new TriggerValidator(triggers, report).check(document, []);
    return {};
  });
}

/** Runs `check`, which returns the names that expressions may use. */
function problemsOf(
  parsed: ParsedSource,
  { expressions }: ValidateOptions,
  check: (document: JsonObject, report: Report) => KnownNames,
): FlowProblem[] {
  if (!parsed.document) return [...parsed.problems];
  const report = new Report(parsed, { notesTemplates: expressions !== undefined });
  const names = check(parsed.document, report);
  if (expressions) checkExpressions(report, { ...names, functions: expressions.functions });
  return report.problems();
}

/** Reports all problems but those of expressions; returns the names that expressions may use. */
function checkDocument(
  document: JsonObject,
  catalogs: Catalogs & Pick<ValidateOptions, "obstacleTo">,
  report: Report,
): KnownNames {
  const triggers = new TriggerValidator(catalogs.triggers, report);
  const { tasks: catalog, scriptPlaces, obstacleTo } = catalogs;
  const rules = { catalog, report, flow: keyOf(document), scriptPlaces, obstacleTo };
  const tasks = new TaskValidator(rules, (value, path) => triggers.checkCondition(value, path));
  checkId(ownProperty(document, "id"), FLOW_ID, ["id"], report);
  checkId(ownProperty(document, "namespace"), NAMESPACE, ["namespace"], report);
  checkLabels(ownProperty(document, "labels"), ["labels"], report);
  tasks.checkRequired(ownProperty(document, "tasks"), ["tasks"]);
  checkMembers(document, FLOW_PROPERTIES, { path: [], report, nested: tasks.nested, apart: APART });
  tasks.reportDuplicates();
  checkOutputs(ownProperty(document, "outputs"), ["outputs"], report);
  triggers.checkList(ownProperty(document, "triggers"), ["triggers"]);
  checkRetry(ownProperty(document, "retry"), ["retry"], report);
  checkSlaLabels(ownProperty(document, "sla"), ["sla"], report);
  checkListeners(document, catalogs.triggers, report);
  if (hasValue(document, "workerGroup") && tasks.kinds.has(WORKING_DIRECTORY)) {
    const message = "has no effect on the tasks of a WorkingDirectory: they run on the server";
    report.warning("ignored", ["workerGroup"], message);
  }
  checkDefaultValues(document, catalogs, report);
  const hasOwnVariables = !SETS_VARIABLES.some((type) => tasks.kinds.has(type));
  return {
    inputs: inputIds(ownProperty(document, "inputs")),
    tasks: tasks.ids,
    loops: tasks.loops,
    variables: hasOwnVariables ? variableNames(ownProperty(document, "variables")) : undefined,
  };
}

/** Defaults are checked where they are declared, too: perhaps no task of the flow has their type. */
function checkDefaultValues(document: JsonObject, catalogs: Catalogs, report: Report): void {
  for (const list of ["pluginDefaults", "taskDefaults"]) {
    for (const [index, each] of elementsOf(document, list).entries()) {
      const values = isJsonObject(each) ? ownProperty(each, "values") : undefined;
      if (!isJsonObject(each) || !isJsonObject(values)) continue;
      const type = textOf(each, "type") ?? "";
      const schemas = propertiesOf(type, catalogs);
      for (const [name, value] of Object.entries(values)) {
        const path = [list, index, "values", name];
        // A default of null would remove nothing: it is a mistake of its author.
        if (value === null) report.error("required", path, `No value provided for key '${name}'`);
        if (!schemas || currentName(name, schemas) !== undefined || name === "id" || name === "type") {
          continue;
        }
        const hint = report.suggest(name, Object.keys(schemas));
        const text = `No property '${cutText(name)}' exists in plugin '${type}'${hint}`;
        report.error("unknown_property", path, text);
      }
    }
  }
}

function keyOf(document: JsonObject): FlowKey | undefined {
  const id = textOf(document, "id"), namespace = textOf(document, "namespace");
  return id === undefined || namespace === undefined ? undefined : { id, namespace };
}

/** `undefined` when the inputs are no list. */
function inputIds(inputs: JsonValue | undefined): ReadonlySet<string> | undefined {
  if (inputs !== undefined && inputs !== null && !Array.isArray(inputs)) return undefined;
  return new Set(flattenForms(inputs).map(inputIdOf).filter((id) => id !== ""));
}

function variableNames(variables: JsonValue | undefined): ReadonlySet<string> | undefined {
  if (variables === undefined || variables === null) return new Set();
  return isJsonObject(variables) ? new Set(Object.keys(variables)) : undefined;
}
