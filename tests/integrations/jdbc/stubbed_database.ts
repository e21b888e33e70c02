/** Types of databases before a stub of their HTTP API. */
import type { JsonObject } from "../../../src/base/json.ts";
import { JDBC_TASKS, JDBC_TRIGGERS } from "../../../src/integrations/jdbc/registry.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../../../src/model/triggers/trigger_definition.ts";
import { type DefinitionRun, runDefinition } from "../../support/flows/definition_run.ts";

/** The task type `jdbc.<name>`. */
export function taskOf(name: string): TaskDefinition {
  const found = JDBC_TASKS.find(({ type }) => type === `jdbc.${name}`);
  if (found) return found;
  throw new Error(`There is no task jdbc.${name}`);
}

/** The trigger type `jdbc.<name>`. */
export function triggerOf(name: string): TriggerDefinition {
  const found = JDBC_TRIGGERS.find(({ type }) => type === `jdbc.${name}`);
  if (found) return found;
  throw new Error(`There is no trigger jdbc.${name}`);
}

/** Runs a task; gives the lines of its stored file, too. */
export async function runTask(
  name: string,
  properties: JsonObject,
  files: Record<string, string> = {},
): Promise<DefinitionRun & { readonly text: string }> {
  const run = await runDefinition(taskOf(name), properties, { files });
  return { ...run, text: [...run.files.values()].join("") };
}
