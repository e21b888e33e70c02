/** `core.templating.TemplatedTask`: a task whose whole declaration is rendered. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";
import { parseYaml } from "../../languages/yaml/mod.ts";
import { dynamicContent } from "../../model/flows/schema.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { FoundTaskType } from "../../model/ports/task_types.ts";
import { type RunnableTaskType, TASK_MEMBERS, type TaskMember } from "../../model/tasks/task_catalog.ts";
import { textOf } from "../property_values.ts";

/** Outputs: those of the task that it runs. */
export const templatedTask: RunnableTaskType = {
  form: "runnable",
  type: "core.templating.TemplatedTask",
  aliases: ["core.tasks.templating.TemplatedTask"],
  description:
    "Renders the declaration of a task and runs that task; a waiting task occupies its attempt meanwhile.",
  pure: false,
  properties: {
    spec: dynamicContent("Declaration of a runnable task, as a YAML text.", { required: true }),
  },
  async run(properties, context) {
    const { type, members } = await readSpec(textOf(properties, "spec") ?? "", context);
    const given = await propertiesOf(type, members, context);
    const outcome = await type.run(given, innerContext(context, given));
    // A task that changes its execution, such as Labels or Exit, is one of the executor.
    if (outcome.effects) throw new Error(NOT_RUNNABLE);
    return outcome;
  },
};

const OWN_TYPE = "core.templating.TemplatedTask";
const NOT_RUNNABLE = "The templated task must be a runnable task";
/** Members ignored silently. Other common members cause a warning: those of the templated task itself apply. */
const SILENT: ReadonlySet<string> = new Set<TaskMember>(["id", "type", "description"]);
const COMMON: ReadonlySet<string> = new Set(TASK_MEMBERS);

type Runnable = FoundTaskType & Required<Pick<FoundTaskType, "run">>;

function isRunnable(type: FoundTaskType): type is Runnable {
  return type.run !== undefined;
}

async function readSpec(
  text: string,
  { ports }: RunContext,
): Promise<{ readonly type: Runnable; readonly members: JsonObject }> {
  const members = parseYaml(text);
  if (!isJsonObject(members)) throw new Error("The templated task must be a map with a type");
  const written = textOf(members, "type") ?? "";
  const type = await ports.taskTypes.find(written);
  if (!type) throw new Error(`Invalid type: ${written}`);
  if (type.type === OWN_TYPE) throw new Error(`The templated task cannot be of type '${written}'`);
  if (!isRunnable(type)) throw new Error(NOT_RUNNABLE);
  return { type, members };
}

/**
 * The rendered spec is data and must not be rendered again, or an input could inject expressions. Only defaults of the type
 * are still templates.
 */
async function propertiesOf(
  { properties: schemas }: FoundTaskType,
  members: JsonObject,
  context: RunContext,
): Promise<JsonObject> {
  const properties: JsonObject = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const value = [name, ...schema.aliases ?? []].map((key) => ownProperty(members, key)).find(isGiven);
    const fallback = schema.default;
    if (value !== undefined) setOwnProperty(properties, name, value);
    else if (schema.required) throw new Error(`The templated task has no ${name}`);
    else if (typeof fallback === "string") {
      setOwnProperty(properties, name, printValue(await context.render(fallback)));
    } else if (fallback !== undefined) setOwnProperty(properties, name, fallback);
  }
  checkOthers(members, schemas, context);
  return properties;
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function checkOthers(members: JsonObject, schemas: FoundTaskType["properties"], context: RunContext): void {
  const known = new Set(Object.entries(schemas).flatMap(([name, { aliases = [] }]) => [name, ...aliases]));
  const others = Object.keys(members).filter((name) => !known.has(name) && !SILENT.has(name));
  const unknown = others.find((name) => !COMMON.has(name));
  if (unknown !== undefined) throw new Error(`The templated task has an unrecognized field "${unknown}"`);
  for (const name of others) {
    context.log("WARN", `The ${name} of the templated task has no effect: give it beside its spec`);
  }
}

/** The context of the attempt with the properties as unrendered ones; templates without further variables are not rendered again. */
function innerContext(context: RunContext, properties: JsonObject): RunContext {
  const render: RunContext["render"] = (template, variables) =>
    variables ? context.render(template, variables) : template;
  return Object.create(context, { written: { value: properties }, render: { value: render } }) as RunContext;
}
