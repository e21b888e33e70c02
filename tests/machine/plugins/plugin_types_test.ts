/** The types that editors of plugins read say what the server gives. */
/// <reference path="../../../src/machine/plugins/sluice.d.ts" />
import { assertEquals } from "@std/assert";
import type { TaskContext, TaskDefinition } from "../../../src/model/tasks/task_definition.ts";

/** Compiles only while a context of the server is one of `sluice.d.ts`. */
function asGiven(context: TaskContext): SluiceContext {
  return context;
}

/** Compiles only while a definition of the server is one of `sluice.d.ts`, but for types of properties that hold tasks. */
function asDeclared(
  { properties: _, outputs: __, run: ___, ...task }: TaskDefinition,
): Omit<SluiceTask, "properties" | "outputs" | "run"> {
  return task;
}

Deno.test("the types of sluice.d.ts are those of the server", () => {
  assertEquals([typeof asGiven, typeof asDeclared], ["function", "function"]);
});
