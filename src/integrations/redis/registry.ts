/** The types of Redis. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { JSON_TASKS } from "./json_tasks.ts";
import { LIST_TASKS, listRealtimeTrigger, listTrigger } from "./list_types.ts";
import { STRING_TASKS } from "./string_tasks.ts";
import { VECTOR_TASKS } from "./vector_tasks.ts";

/** Types below `redis.`. */
export const REDIS_TASKS: readonly TaskDefinition[] = Object.freeze([
  ...JSON_TASKS,
  ...LIST_TASKS,
  ...STRING_TASKS,
  ...VECTOR_TASKS,
]);

/** Polling triggers below `redis.`. */
export const REDIS_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([listTrigger]);

/** Realtime triggers below `redis.`. */
export const REDIS_REALTIME_TRIGGERS: readonly RealtimeDefinition[] = Object.freeze([listRealtimeTrigger]);
