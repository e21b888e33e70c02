/** Task types that run the commands of one program: a declaration over script tasks. */
import type { JsonObject } from "../../../base/json.ts";
import type { PropertySchemas } from "../../../model/flows/schema.ts";
import type { MetricDeclaration, TypeExample } from "../../../model/flows/type_declaration.ts";
import type { RunnableTaskType } from "../../../model/tasks/task_catalog.ts";
import type { ScriptHooks } from "../script_hooks.ts";
import { SHELL } from "../script_program.ts";
import * as schema from "../script_properties.ts";
import { runScriptsOf } from "../script_task.ts";
import { checkPlace } from "../task_runner.ts";

/** Such a type. It has all properties and outputs of script tasks. */
export interface CliType {
  /** Canonical name. */
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly title: string;
  readonly description: string;
  /** Container image of tasks that name none, which may depend on their properties. */
  readonly image: string | ((properties: JsonObject) => string);
  /** Further properties; those of script tasks are replaced by theirs. */
  readonly properties?: PropertySchemas;
  /** The type makes its commands itself: it has no `commands`. */
  readonly hasOwnCommands?: boolean;
  /** Further outputs. */
  readonly outputs?: PropertySchemas;
  readonly metrics?: Readonly<Record<string, MetricDeclaration>>;
  readonly examples: readonly TypeExample[];
  readonly deprecated?: string;
  readonly hooks?: ScriptHooks;
}

/** The task type of a declaration. */
export function cliTask(declared: CliType): RunnableTaskType {
  const { image, properties, outputs, hooks, hasOwnCommands, aliases = [], ...rest } = declared;
  return {
    ...rest,
    form: "runnable",
    pure: false,
    runsOnWorkers: true,
    aliases,
    properties: {
      ...hasOwnCommands ? {} : { commands: schema.COMMANDS },
      ...schema.SCRIPT_PROPERTIES,
      ...properties,
    },
    outputs: { ...schema.SCRIPT_OUTPUTS, ...outputs },
    check: (task, places) => checkPlace(task, places, imageOf(image, task)),
    run: (given, context) => runScriptsOf({ ...SHELL, image: imageOf(image, given) }, hooks)(given, context),
  };
}

function imageOf(image: CliType["image"], properties: JsonObject): string {
  return typeof image === "string" ? image : image(properties);
}

/** The variables that have a value. */
export function givenVariables(
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const given = Object.entries(variables).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(given);
}
