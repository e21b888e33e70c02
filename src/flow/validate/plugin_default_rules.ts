/** Rules of plugin defaults that flows inherit: their values must fit the types, and must not hold tasks. */
import { type JsonObject, ownProperty, stringifyJson } from "../../base/json.ts";
import type { ErrorItem } from "../../model/errors.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import type { PluginDefault } from "../../model/flows/inherited_defaults.ts";
import type { PropertySchema } from "../../model/flows/schema.ts";
import { parseFlowSource } from "../source/parse.ts";
import { COMMON_BLOCKS } from "../schema/nested_tasks.ts";
import { taskTypesOf } from "../schema/plugin_defaults.ts";
import { type Catalogs, validateTask, validateTrigger } from "./validate.ts";

/** Problems of single values. Others, such as a missing property, are those of a complete task. */
const OF_VALUES: ReadonlySet<string> = new Set([
  "unknown_property",
  "wrong_type",
  "wrong_value",
  "wrong_form",
  "too_small",
  "too_large",
  "too_long",
  "not_supported",
  "bad_cron",
  "bad_zone",
]);
const TASK_FORMS: ReadonlySet<PropertySchema["type"]> = new Set(["task", "tasks", "dagTasks", "cases"]);

/**
 * The problems of inherited plugin defaults, with paths such as `pluginDefaults[0].values.level`. Types that this server
 * does not have are accepted: no flow can use them. Tasks are refused, because an execution that is read again must find
 * the tasks that it started with.
 */
export function checkInheritedDefaults(defaults: readonly PluginDefault[], catalogs: Catalogs): ErrorItem[] {
  return defaults.flatMap((each, index) => {
    const path = `pluginDefaults[${index}].values`;
    const nested = taskMembers(each, catalogs);
    const held = nested.map((name) => ({
      path: `${path}.${name}`,
      message: "must not hold tasks: declare them in the flows",
    }));
    return [
      ...held,
      ...valueProblems(each, nested, catalogs).map((item) => ({ ...item, path: `${path}.${item.path}` })),
    ];
  });
}

/** Names of the values that are tasks in a type that the default applies to. */
function taskMembers({ type, values }: PluginDefault, catalogs: Catalogs): string[] {
  const matching = taskTypesOf(type, catalogs);
  const holding = new Set(matching.length === 0 ? [] : COMMON_BLOCKS);
  for (const { properties } of matching) {
    for (const [member, schema] of Object.entries(properties)) {
      if (TASK_FORMS.has(schema.type)) holding.add(member);
    }
  }
  return Object.keys(values).filter((member) => holding.has(member) && typeof values[member] === "object");
}

function valueProblems(
  { type, values }: PluginDefault,
  nested: readonly string[],
  catalogs: Catalogs,
): ErrorItem[] {
  const check = checkOf(canonicalType(type), catalogs);
  if (!check) return [];
  const declared: JsonObject = { id: "default", type };
  for (const name of Object.keys(values)) {
    if (!nested.includes(name) && !IDENTITY.has(name)) declared[name] = ownProperty(values, name) ?? null;
  }
  return check(parseFlowSource(stringifyJson(declared)), catalogs)
    .filter(({ code, severity }) => severity === "error" && OF_VALUES.has(code))
    .map(({ path, message }) => ({ path, message }));
}

const IDENTITY: ReadonlySet<string> = new Set(["id", "type", "__proto__"]);

/** The check of a known type; a prefix, a condition and a task runner have none. */
function checkOf(name: string, { tasks, triggers }: Catalogs): typeof validateTask | undefined {
  if (tasks.find(name)) return validateTask;
  return triggers.find(name) ? validateTrigger : undefined;
}

/** True if the default may apply to triggers or conditions, so that states of triggers may follow from it. */
export function concernsTriggers({ type }: PluginDefault, { tasks }: Catalogs): boolean {
  return tasks.find(canonicalType(type)) === undefined;
}
