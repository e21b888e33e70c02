/** The types of NATS. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { createBucket, deleteKeys, get, put } from "./kv.ts";
import { consume, natsRealtimeTrigger, natsTrigger, produce, request } from "./messages.ts";

/** Types below `nats.`. */
export const NATS_TASKS: readonly TaskDefinition[] = Object.freeze([
  consume,
  produce,
  request,
  createBucket,
  deleteKeys,
  get,
  put,
]);

/** Polling triggers below `nats.`. */
export const NATS_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([natsTrigger]);

/** Realtime triggers below `nats.`. */
export const NATS_REALTIME_TRIGGERS: readonly RealtimeDefinition[] = Object.freeze([natsRealtimeTrigger]);
