/** The types of AMQP. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { amqpRealtimeTrigger, amqpTrigger, consume } from "./consume.ts";
import { createQueue, declareExchange, queueBind } from "./declare.ts";
import { publish } from "./publish.ts";

/** Types below `amqp.`. */
export const AMQP_TASKS: readonly TaskDefinition[] = Object.freeze([
  consume,
  createQueue,
  declareExchange,
  publish,
  queueBind,
]);

/** Polling triggers below `amqp.`. */
export const AMQP_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([amqpTrigger]);

/** Realtime triggers below `amqp.`. */
export const AMQP_REALTIME_TRIGGERS: readonly RealtimeDefinition[] = Object.freeze([amqpRealtimeTrigger]);
