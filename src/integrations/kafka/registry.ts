/** The types of Kafka. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { consume, kafkaTrigger } from "./consume.ts";
import { produce } from "./produce.ts";
import { kafkaRealtimeTrigger } from "./realtime.ts";

/** Types below `kafka.`. */
export const KAFKA_TASKS: readonly TaskDefinition[] = Object.freeze([consume, produce]);

/** Polling triggers below `kafka.`. */
export const KAFKA_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([kafkaTrigger]);

/** Realtime triggers below `kafka.`. */
export const KAFKA_REALTIME_TRIGGERS: readonly RealtimeDefinition[] = Object.freeze([kafkaRealtimeTrigger]);

/** Schema registries. */
export { KAFKA_PARTS } from "./registries.ts";
