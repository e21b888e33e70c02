/** Small catalogs, and flows built around one changing part. */
import {
  buildInputs,
  type Catalogs,
  type FlowProblem,
  parseFlowSource,
  validateFlow,
} from "../../src/flow/mod.ts";
import type { Input } from "../../src/model/flows/flow.ts";
import { LOG_LEVELS } from "../../src/model/flows/flow.ts";
import type { PropertySchema, PropertySchemas } from "../../src/model/flows/schema.ts";
import type {
  FlowableTaskType,
  RunnableTaskType,
  TaskCatalog,
  TaskRunnerType,
  TaskType,
} from "../../src/model/tasks/task_catalog.ts";
import type { ConditionType, TriggerCatalog, TriggerType } from "../../src/model/triggers/trigger_catalog.ts";
import type { TypeDeclaration } from "../../src/model/flows/type_declaration.ts";

const text: PropertySchema = { type: "string", dynamic: true, description: "" };
const needed: PropertySchema = { ...text, required: true };
const tasks: PropertySchema = { type: "tasks", description: "" };

function runnable(type: string, properties: PropertySchemas, more: Partial<RunnableTaskType> = {}): TaskType {
  const run = () => ({ state: "SUCCESS" }) as const;
  return { form: "runnable", pure: true, run, type, aliases: [], description: "", properties, ...more };
}

function flowable(
  type: string,
  properties: PropertySchemas,
  aliases: readonly string[] = [],
): FlowableTaskType {
  const all = { errors: tasks, finally: tasks, ...properties };
  return { form: "flowable", type, aliases, description: "", properties: all };
}

const SUBFLOW: PropertySchemas = { namespace: needed, flowId: needed, inputs: { ...text, type: "map" } };

const TASK_TYPES: readonly TaskType[] = [
  runnable("core.debug.Return", { format: text }, { aliases: ["core.tasks.debugs.Return"] }),
  runnable("core.debug.Echo", { format: text }, { deprecated: "use `core.log.Log`" }),
  {
    form: "waiting",
    type: "core.flow.Sleep",
    aliases: [],
    description: "",
    properties: { duration: { type: "duration", required: true, dynamic: true, description: "" } },
    delayMs: () => 0,
  },
  runnable("core.log.Log", {
    message: { ...needed, orList: true },
    level: { type: "string", dynamic: true, values: LOG_LEVELS, description: "" },
  }, { aliases: ["core.tasks.log.Log"] }),
  runnable("core.execution.SetVariables", { variables: { type: "map", dynamic: true, description: "" } }),
  flowable("core.flow.Parallel", { tasks: { ...tasks, required: true } }, ["core.tasks.flows.Parallel"]),
  flowable("core.flow.Switch", { value: text, cases: { type: "cases", description: "" }, defaults: tasks }),
  flowable("core.flow.Dag", { tasks: { type: "dagTasks", required: true, description: "" } }),
  flowable("core.flow.WorkingDirectory", { tasks: { ...tasks, required: true } }),
  flowable("core.flow.Subflow", { ...SUBFLOW, outputs: { ...text, type: "map" } }),
  flowable("core.flow.ForEachItem", { ...SUBFLOW, items: text }),
  flowable("test.One", { task: { type: "task", required: true, description: "" } }),
  flowable("test.Asks", { onResume: { type: "inputs", description: "" } }),
  { form: "planned", type: "test.Later", aliases: [], description: "", properties: { tasks, level: needed } },
  runnable("test.Everything", {
    integer: { type: "integer", minimum: 1, description: "" },
    number: { type: "number", description: "" },
    flag: { type: "boolean", dynamic: true, description: "" },
    list: { type: "list", required: true, dynamic: true, description: "" },
    map: { type: "map", dynamic: true, description: "" },
    short: { type: "string", maxLength: 3, description: "" },
    tasks,
  }),
  runnable("test.Aliased", { current: { ...needed, aliases: ["older"] } }),
  runnable("test.Schemas", {
    texts: { type: "list", items: { type: "string", required: true, description: "" }, description: "" },
    numbers: { type: "map", items: { type: "integer", description: "" }, description: "" },
    names: { type: "list", dynamic: true, items: { type: "string", description: "" }, description: "" },
    share: { type: "number", minimum: 0, maximum: 1, description: "" },
    code: { type: "string", pattern: "[a-z]{2}", description: "" },
    date: { type: "dateTime", description: "" },
    mapOrText: { type: "map", orText: true, description: "" },
    listOrText: { type: "list", orText: true, maxLength: 4, description: "" },
    values: { type: "list", orMap: true, description: "" },
    maps: { type: "map", orList: true, description: "" },
    free: { type: "object", description: "" },
    dynamicObject: {
      type: "object",
      dynamic: true,
      properties: { size: { type: "integer", description: "" } },
      description: "",
    },
    options: {
      type: "object",
      properties: {
        size: { type: "integer", required: true, description: "" },
        mode: { type: "string", values: ["A", "B"], description: "" },
        later: { type: "boolean", planned: true, description: "" },
      },
      description: "",
    },
    shape: {
      type: "object",
      variants: {
        circle: { radius: { type: "number", required: true, description: "" } },
        square: { side: { type: "number", required: true, description: "" } },
      },
      description: "",
    },
    shapes: {
      type: "list",
      description: "",
      items: {
        type: "object",
        properties: { type: { type: "string", default: "dot", description: "" }, name: text },
        variants: { dot: {}, line: { to: { type: "integer", required: true, description: "" } } },
        description: "",
      },
    },
    current: { type: "integer", aliases: ["older", "oldest"], description: "" },
    outdated: { type: "string", deprecated: "Use `current`.", description: "" },
    unused: { type: "map", ignored: true, description: "" },
    later: { type: "integer", planned: true, description: "" },
    condition: { type: "condition", description: "" },
    conditions: { type: "conditions", description: "" },
    named: { type: "conditionMap", description: "" },
    taskRunner: { type: "taskRunner", dynamic: true, description: "" },
  }),
];

const when: PropertySchema = { type: "condition", required: true, description: "" };
const TRIGGER_TYPES: readonly TriggerType[] = [
  trigger("webhook", "core.trigger.Webhook", { key: { ...needed, maxLength: 256 } }, [
    "core.models.triggers.types.Webhook",
  ]),
  trigger("schedule", "core.trigger.Schedule", {
    cron: needed,
    timezone: { type: "string", description: "" },
    withSeconds: { type: "boolean", description: "" },
  }),
  trigger("schedule", "core.trigger.ScheduleOnDates", { timezone: { type: "string", description: "" } }),
  trigger("flow", "core.trigger.Flow", { preconditions: { type: "object", description: "" } }),
  trigger("planned", "test.LaterTrigger", { interval: { type: "duration", description: "" } }),
];
const CONDITION_TYPES: readonly ConditionType[] = [
  condition("core.condition.Expression", { expression: needed }),
  condition("core.condition.Not", { conditions: { type: "conditions", required: true, description: "" } }),
  condition("core.condition.Multiple", { conditions: { type: "conditionMap", description: "" } }),
  condition("core.condition.One", { condition: when }),
  { ...condition("test.LaterCondition", {}), form: "planned" },
];

function trigger(
  form: TriggerType["form"],
  type: string,
  properties: PropertySchemas,
  aliases: readonly string[] = [],
): TriggerType {
  const declared = { type, aliases, description: "", properties };
  switch (form) {
    case "schedule":
      return { ...declared, form, times: never };
    case "polling":
      return { ...declared, form, poll: never };
    case "realtime":
      return { ...declared, form, listen: never };
    default:
      return { ...declared, form };
  }
}

function condition(type: string, properties: PropertySchemas): ConditionType {
  const aliases = [`${type}Condition`];
  return { form: "condition", type, aliases, description: "", properties, test: () => true };
}

/** Validation only reads declarations. */
function never(): never {
  throw new Error("Validation must not ask for behaviour");
}

function finder<T extends TypeDeclaration>(types: readonly T[]): (kind: string) => T | undefined {
  return (kind) => types.find((type) => type.type === kind || type.aliases.includes(kind));
}

const RUNNER_TYPES: readonly TaskRunnerType[] = [
  { form: "runner", type: "core.runner.Process", aliases: [], description: "", properties: {} },
  {
    form: "runner",
    type: "x.Container",
    aliases: ["x.OldContainer"],
    description: "",
    properties: { cpus: { type: "number", dynamic: true, description: "" } },
  },
];

/** Tasks that do things, arrange others, and have a property of each kind. */
export const catalog: TaskCatalog = {
  find: finder(TASK_TYPES),
  list: () => TASK_TYPES,
  runners: { find: finder(RUNNER_TYPES), list: () => RUNNER_TYPES },
  parts: { find: finder([]), list: () => [] },
  load: () => undefined,
  loadAll: () => undefined,
};

const triggers: TriggerCatalog = {
  find: finder(TRIGGER_TYPES),
  list: () => TRIGGER_TYPES,
  findCondition: finder(CONDITION_TYPES),
  listConditions: () => CONDITION_TYPES,
  preconditionsOf: never,
  dependenciesOf: never,
};

/** The tasks above, with triggers and conditions. */
export const catalogs: Catalogs = { tasks: catalog, triggers };

/** Functions that the flows below may call beside the built-in ones. */
const FUNCTIONS: ReadonlySet<string> = new Set(["secret", "kv"]);

/** Codes of declarations without behaviour; left out, so that rows stay valid when the behaviour is added. */
const PLANNED: ReadonlySet<string> = new Set(["not_supported", "unsupported_type"]);

/** Problems that rows of other rules leave out. */
export interface ProblemOptions {
  readonly withPlanned?: boolean;
  readonly withWeakKeys?: boolean;
}

/** Reported of every short key: the rows of other rules have short keys. */
const WEAK_KEY = "weak_key";

/** Problems as `[warning ]code path @line:column+length`. */
export function problemsOf(source: string, options: ProblemOptions = {}): string[] {
  return foundIn(source, options).map((problem) =>
    `${severityOf(problem)}${`${problem.code} ${problem.path}`.trimEnd()} ${placeOf(problem)}`
  );
}

/** Problems with their wording, as `[warning ]path: message @line:column+length`. */
export function describedProblemsOf(source: string, options: ProblemOptions = {}): string[] {
  return foundIn(source, options).map((problem) =>
    `${severityOf(problem)}${problem.path}: ${problem.message} ${placeOf(problem)}`
  );
}

function foundIn(
  source: string,
  { withPlanned = true, withWeakKeys = false }: ProblemOptions,
): FlowProblem[] {
  return validateFlow(parseFlowSource(source), catalogs, { expressions: { functions: FUNCTIONS } })
    .filter(({ code }) => withPlanned || !PLANNED.has(code))
    .filter(({ code }) => withWeakKeys || code !== WEAK_KEY);
}

function severityOf({ severity }: FlowProblem): string {
  return severity === "error" ? "" : "warning ";
}

function placeOf({ range }: FlowProblem): string {
  const { line, column, length } = range ?? { line: 0, column: 0, length: 0 };
  return `@${line}:${column}+${length}`;
}

/** Rows of a name, a part of a source, and the problems. */
export type Rows = readonly (readonly [name: string, part: string, problems: readonly string[]])[];

/** Head and one task, for tests of another part; four lines. */
export const VALID = `id: f
namespace: n
tasks:
- {id: t, type: io.svc.plugin.core.log.Log, message: m}
`;

/** Inputs as a flow declares them, from the YAML of a list. */
export function inputsOf(yaml: string): { inputs: Input[] } {
  const { document } = parseFlowSource(`inputs:\n${yaml}`);
  return { inputs: buildInputs(document?.inputs) };
}
