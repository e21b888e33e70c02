/** Makes task types of the catalog from definitions. */
import type { RunContext } from "../../model/ports/run_context.ts";
import { dynamicProperties, type TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import type { JsonObject } from "../../base/json.ts";
import { inOwnDirectory } from "../attempt_directory.ts";
import { DefinedContext } from "./defined_context.ts";
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
  const outputs = await withDirectory(
    context,
    (directory) => definition.run(new DefinedContext(context, { properties: typed, directory })),
  );
  return { state: context.signal.aborted ? "KILLED" : "SUCCESS", outputs: outputs ?? {} };
}

/** The directory is made when the task uses its first local file. */
async function withDirectory<T>(
  context: RunContext,
  work: (directory: () => Promise<string>) => Promise<T> | T,
): Promise<T> {
  const over = Promise.withResolvers<void>();
  let made: Promise<string> | undefined, held: Promise<void> | undefined;
  const make = () => {
    const path = Promise.withResolvers<string>();
    held = inOwnDirectory(context, (directory) => {
      path.resolve(directory);
      return over.promise;
    });
    held.catch(path.reject);
    return path.promise;
  };
  try {
    return await work(() => made ??= make());
  } finally {
    over.resolve();
    await held;
  }
}
