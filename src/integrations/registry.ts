/** The types of all groups of integrations. A group is a folder with a registry, and a line here. */
import type { TaskDefinition } from "../model/tasks/task_definition.ts";
import type { PartType } from "../model/tasks/task_catalog.ts";
import { AI_PARTS, AI_TASKS } from "./ai/registry.ts";
import { ANTHROPIC_TASKS } from "./anthropic/registry.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../model/triggers/trigger_definition.ts";
import { AWS_TASKS, AWS_TRIGGERS } from "./aws/registry.ts";
import { DBT_TASKS } from "./dbt/registry.ts";
import { AZURE_TASKS, AZURE_TRIGGERS } from "./azure/registry.ts";
import { COMPRESS_TASKS } from "./compress/registry.ts";
import { GCP_TASKS, GCP_TRIGGERS } from "./gcp/registry.ts";
import { FS_TASKS, FS_TRIGGERS } from "./fs/registry.ts";
import { GEMINI_TASKS } from "./gemini/registry.ts";
import { GIT_TASKS } from "./git/registry.ts";
import { GITHUB_TASKS } from "./github/registry.ts";
import { GOOGLE_WORKSPACE_TASKS, GOOGLE_WORKSPACE_TRIGGERS } from "./googleworkspace/registry.ts";
import { INCIDENT_TASKS } from "./incidents/registry.ts";
import { JDBC_TASKS, JDBC_TRIGGERS } from "./jdbc/registry.ts";
import { KUBERNETES_TASKS } from "./kubernetes/registry.ts";
import { SERVER_API_TASKS } from "./kestra/registry.ts";
import { LDAP_TASKS } from "./ldap/registry.ts";
import { KAFKA_REALTIME_TRIGGERS, KAFKA_TASKS, KAFKA_TRIGGERS } from "./kafka/registry.ts";
import { MAIL_TASKS } from "./mail/registry.ts";
import { MQTT_REALTIME_TRIGGERS, MQTT_TASKS, MQTT_TRIGGERS } from "./mqtt/registry.ts";
import { NOTIFICATION_TASKS } from "./notifications/registry.ts";
import { OPENAI_TASKS } from "./openai/registry.ts";
import { REDIS_REALTIME_TRIGGERS, REDIS_TASKS, REDIS_TRIGGERS } from "./redis/registry.ts";
import { SERDES_TASKS } from "./serdes/registry.ts";
import { TRANSFORM_TASKS } from "./transform/registry.ts";

/**
 * A definition is data, some 20 µs to load, and schemas need it at boot. What takes longer, such as a package, is imported
 * by `run` when a type is first used.
 */
export const INTEGRATION_TASKS: readonly TaskDefinition[] = Object.freeze([
  ...AI_TASKS,
  ...ANTHROPIC_TASKS,
  ...AWS_TASKS,
  ...DBT_TASKS,
  ...AZURE_TASKS,
  ...COMPRESS_TASKS,
  ...GCP_TASKS,
  ...FS_TASKS,
  ...GEMINI_TASKS,
  ...GIT_TASKS,
  ...GITHUB_TASKS,
  ...GOOGLE_WORKSPACE_TASKS,
  ...INCIDENT_TASKS,
  ...JDBC_TASKS,
  ...KUBERNETES_TASKS,
  ...LDAP_TASKS,
  ...KAFKA_TASKS,
  ...MAIL_TASKS,
  ...MQTT_TASKS,
  ...NOTIFICATION_TASKS,
  ...OPENAI_TASKS,
  ...REDIS_TASKS,
  ...SERDES_TASKS,
  ...TRANSFORM_TASKS,
  ...SERVER_API_TASKS,
]);

/** The polling triggers; what takes time is imported by `poll`. */
export const INTEGRATION_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([
  ...AWS_TRIGGERS,
  ...AZURE_TRIGGERS,
  ...FS_TRIGGERS,
  ...GCP_TRIGGERS,
  ...GOOGLE_WORKSPACE_TRIGGERS,
  ...JDBC_TRIGGERS,
  ...KAFKA_TRIGGERS,
  ...MQTT_TRIGGERS,
  ...REDIS_TRIGGERS,
]);

/** The triggers that hold a connection; what takes time is imported by `listen`. */
export const INTEGRATION_REALTIME_TRIGGERS: readonly RealtimeDefinition[] = Object.freeze([
  ...KAFKA_REALTIME_TRIGGERS,
  ...MQTT_REALTIME_TRIGGERS,
  ...REDIS_REALTIME_TRIGGERS,
]);

/** The types of objects within properties of tasks. */
export const INTEGRATION_PARTS: readonly PartType[] = Object.freeze([...AI_PARTS]);
