/** The types that editors of plugins read say what the server gives. */
/// <reference path="../../../src/machine/plugins/sluice.d.ts" />
import { assertEquals } from "@std/assert";
import type { TaskContext, TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import type {
  RealtimeContext,
  RealtimeDefinition,
  TriggerContext,
  TriggerDefinition,
} from "../../../src/model/triggers/trigger_definition.ts";

/** Each compiles only while a context of the server is one of `sluice.d.ts`. */
const GIVEN = {
  run: (context: TaskContext): SluiceContext => context,
  poll: (context: TriggerContext): SluicePollContext => context,
  realtime: (context: RealtimeContext): SluiceRealtimeContext => context,
};

/** Each compiles only while a definition of the server is one of `sluice.d.ts`, but for types of properties that hold tasks. */
const DECLARED = {
  task: ({ properties: _, outputs: __, run: ___, ...task }: TaskDefinition): Declared<SluiceTask, "run"> =>
    task,
  poll: (
    { properties: _, outputs: __, poll: ___, ...trigger }: TriggerDefinition,
  ): Declared<SluicePollingTrigger, "poll"> => trigger,
  realtime: (
    { properties: _, outputs: __, realtime: ___, ...trigger }: RealtimeDefinition,
  ): Declared<SluiceRealtimeTrigger, "realtime"> => trigger,
};

type Declared<T, Name extends keyof T> = Omit<T, "properties" | "outputs" | Name>;

Deno.test("the types of sluice.d.ts are those of the server", () => {
  assertEquals([Object.keys(GIVEN), Object.keys(DECLARED)], [["run", "poll", "realtime"], [
    "task",
    "poll",
    "realtime",
  ]]);
});
