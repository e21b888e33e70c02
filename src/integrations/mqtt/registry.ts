/** The types of MQTT. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { mqttRealtimeTrigger, mqttTrigger, publish, subscribe } from "./types.ts";

/** Types below `mqtt.`. */
export const MQTT_TASKS: readonly TaskDefinition[] = Object.freeze([publish, subscribe]);

/** Polling triggers below `mqtt.`. */
export const MQTT_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([mqttTrigger]);

/** Realtime triggers below `mqtt.`. */
export const MQTT_REALTIME_TRIGGERS: readonly RealtimeDefinition[] = Object.freeze([mqttRealtimeTrigger]);
