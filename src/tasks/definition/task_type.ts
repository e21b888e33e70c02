/** Makes task types of the catalog from definitions. */
import type { RunContext } from "../../model/ports/run_context.ts";
import { dynamicProperties, type TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import type { JsonObject } from "../../base/json.ts";
import { DefinedContext } from "./defined_context.ts";
import { withOwnDirectory } from "./own_directory.ts";
import { typedProperties } from "./typed_properties.ts";

/** The task type of a definition. */
export function taskTypeOf(definition: TaskDefinition): RunnableTaskType {
  const { type, aliases = [], title, description, outputs, metrics, examples } = definition;
  return {
    form: "runnable",
    pure: false,
    type,
    aliases,
    title,
    description,
    properties: dynamicProperties(definition.properties),
    outputs,
    metrics,
    examples,
    run: (properties, context) => run(definition, properties, context),
  };
}

async function run(
  definition: TaskDefinition,
  properties: JsonObject,
  context: RunContext,
): Promise<AttemptOutcome> {
  const typed = typedProperties(properties, definition.properties);
  const outputs = await withOwnDirectory(
    context,
    (directory) => definition.run(new DefinedContext(context, { properties: typed, directory })),
  );
  return { state: context.signal.aborted ? "KILLED" : "SUCCESS", outputs: outputs ?? {} };
}
