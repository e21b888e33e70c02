/** The types of all groups of integrations. A group is a folder with a registry, and a line here. */
import type { TaskDefinition } from "../model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../model/triggers/trigger_definition.ts";
import { JDBC_TASKS, JDBC_TRIGGERS } from "./jdbc/registry.ts";
import { NOTIFICATION_TASKS } from "./notifications/registry.ts";

/**
 * A definition is data, some 20 µs to load, and schemas need it at boot. What takes longer, such as a package, is imported
 * by `run` when a type is first used.
 */
export const INTEGRATION_TASKS: readonly TaskDefinition[] = Object.freeze([
  ...JDBC_TASKS,
  ...NOTIFICATION_TASKS,
]);

/** The polling triggers; what takes time is imported by `poll`. */
export const INTEGRATION_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([
  ...JDBC_TRIGGERS,
]);
