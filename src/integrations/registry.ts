/**
 * The groups of integrations: a folder with a registry, and an entry here. A group is loaded when a text first names one of its
 * types: all of them take 20 MB of memory, and a server uses few.
 */
import type { PartType } from "../model/tasks/task_catalog.ts";
import type { TaskDefinition } from "../model/tasks/task_definition.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../model/triggers/trigger_definition.ts";

/** The types of a group. What takes time, such as a package, is imported when a type is first used. */
export interface IntegrationTypes {
  readonly tasks: readonly TaskDefinition[];
  /** Polling triggers. */
  readonly triggers?: readonly TriggerDefinition[];
  /** Triggers that hold a connection. */
  readonly realtimeTriggers?: readonly RealtimeDefinition[];
  /** Types of objects within properties of tasks. */
  readonly parts?: readonly PartType[];
}

/** A group. */
export interface IntegrationGroup {
  /** First words of the names and aliases of its types. Groups may share some. */
  readonly prefixes: readonly string[];
  /** Imports its types. */
  load(): Promise<IntegrationTypes>;
}

/** All groups. */
export const INTEGRATION_GROUPS: readonly IntegrationGroup[] = Object.freeze([
  {
    prefixes: ["ai", "langchain4j"],
    load: () =>
      import("./ai/registry.ts").then((group) => ({ tasks: group.AI_TASKS, parts: group.AI_PARTS })),
  },
  {
    prefixes: ["amqp"],
    load: () =>
      import("./amqp/registry.ts").then((group) => ({
        tasks: group.AMQP_TASKS,
        triggers: group.AMQP_TRIGGERS,
        realtimeTriggers: group.AMQP_REALTIME_TRIGGERS,
      })),
  },
  {
    prefixes: ["anthropic"],
    load: () => import("./anthropic/registry.ts").then((group) => ({ tasks: group.ANTHROPIC_TASKS })),
  },
  {
    prefixes: ["aws", "minio"],
    load: () =>
      import("./aws/registry.ts").then((group) => ({
        tasks: group.AWS_TASKS,
        triggers: group.AWS_TRIGGERS,
        realtimeTriggers: group.AWS_REALTIME_TRIGGERS,
      })),
  },
  {
    prefixes: ["azure"],
    load: () =>
      import("./azure/registry.ts").then((group) => ({
        tasks: group.AZURE_TASKS,
        triggers: group.AZURE_TRIGGERS,
      })),
  },
  {
    prefixes: ["compress"],
    load: () => import("./compress/registry.ts").then((group) => ({ tasks: group.COMPRESS_TASKS })),
  },
  {
    prefixes: ["crypto"],
    load: () => import("./crypto/registry.ts").then((group) => ({ tasks: group.CRYPTO_TASKS })),
  },
  {
    prefixes: ["dbt"],
    load: () => import("./dbt/registry.ts").then((group) => ({ tasks: group.DBT_TASKS })),
  },
  {
    prefixes: ["fs"],
    load: () =>
      import("./fs/registry.ts").then((group) => ({
        tasks: group.FS_TASKS,
        triggers: group.FS_TRIGGERS,
        realtimeTriggers: group.FS_REALTIME_TRIGGERS,
      })),
  },
  {
    prefixes: ["gcp"],
    load: () =>
      import("./gcp/registry.ts").then((group) => ({
        tasks: group.GCP_TASKS,
        triggers: group.GCP_TRIGGERS,
        realtimeTriggers: group.GCP_REALTIME_TRIGGERS,
      })),
  },
  {
    prefixes: ["gemini"],
    load: () => import("./gemini/registry.ts").then((group) => ({ tasks: group.GEMINI_TASKS })),
  },
  {
    prefixes: ["git"],
    load: () => import("./git/registry.ts").then((group) => ({ tasks: group.GIT_TASKS })),
  },
  {
    prefixes: ["github"],
    load: () => import("./github/registry.ts").then((group) => ({ tasks: group.GITHUB_TASKS })),
  },
  {
    prefixes: ["googleworkspace"],
    load: () =>
      import("./googleworkspace/registry.ts").then((group) => ({
        tasks: group.GOOGLE_WORKSPACE_TASKS,
        triggers: group.GOOGLE_WORKSPACE_TRIGGERS,
      })),
  },
  {
    prefixes: ["notifications", "opsgenie", "pagerduty", "sentry", "squadcast", "zenduty"],
    load: () => import("./incidents/registry.ts").then((group) => ({ tasks: group.INCIDENT_TASKS })),
  },
  {
    prefixes: ["jdbc"],
    load: () =>
      import("./jdbc/registry.ts").then((group) => ({
        tasks: group.JDBC_TASKS,
        triggers: group.JDBC_TRIGGERS,
      })),
  },
  {
    prefixes: ["kafka"],
    load: () =>
      import("./kafka/registry.ts").then((group) => ({
        tasks: group.KAFKA_TASKS,
        triggers: group.KAFKA_TRIGGERS,
        realtimeTriggers: group.KAFKA_REALTIME_TRIGGERS,
        parts: group.KAFKA_PARTS,
      })),
  },
  {
    prefixes: ["kestra"],
    load: () =>
      import("./kestra/registry.ts").then((group) => ({
        tasks: group.SERVER_API_TASKS,
        triggers: group.SERVER_API_TRIGGERS,
      })),
  },
  {
    prefixes: ["kubernetes"],
    load: () => import("./kubernetes/registry.ts").then((group) => ({ tasks: group.KUBERNETES_TASKS })),
  },
  {
    prefixes: ["ldap"],
    load: () => import("./ldap/registry.ts").then((group) => ({ tasks: group.LDAP_TASKS })),
  },
  {
    prefixes: ["notifications", "email", "sendgrid"],
    load: () =>
      import("./mail/registry.ts").then((group) => ({
        tasks: group.MAIL_TASKS,
        triggers: group.MAIL_TRIGGERS,
        realtimeTriggers: group.MAIL_REALTIME_TRIGGERS,
      })),
  },
  {
    prefixes: ["mongodb"],
    load: () =>
      import("./mongodb/registry.ts").then((group) => ({
        tasks: group.MONGODB_TASKS,
        triggers: group.MONGODB_TRIGGERS,
      })),
  },
  {
    prefixes: ["mqtt"],
    load: () =>
      import("./mqtt/registry.ts").then((group) => ({
        tasks: group.MQTT_TASKS,
        triggers: group.MQTT_TRIGGERS,
        realtimeTriggers: group.MQTT_REALTIME_TRIGGERS,
      })),
  },
  {
    prefixes: ["nats"],
    load: () =>
      import("./nats/registry.ts").then((group) => ({
        tasks: group.NATS_TASKS,
        triggers: group.NATS_TRIGGERS,
        realtimeTriggers: group.NATS_REALTIME_TRIGGERS,
      })),
  },
  {
    prefixes: [
      ...["notifications", "googleworkspace", "discord", "line", "messenger", "slack", "teams", "telegram"],
      ...["twilio", "whatsapp", "x", "zulip"],
    ],
    load: () => import("./notifications/registry.ts").then((group) => ({ tasks: group.NOTIFICATION_TASKS })),
  },
  {
    prefixes: ["notion"],
    load: () => import("./notion/registry.ts").then((group) => ({ tasks: group.NOTION_TASKS })),
  },
  {
    prefixes: ["openai"],
    load: () => import("./openai/registry.ts").then((group) => ({ tasks: group.OPENAI_TASKS })),
  },
  {
    prefixes: ["redis"],
    load: () =>
      import("./redis/registry.ts").then((group) => ({
        tasks: group.REDIS_TASKS,
        triggers: group.REDIS_TRIGGERS,
        realtimeTriggers: group.REDIS_REALTIME_TRIGGERS,
      })),
  },
  {
    prefixes: ["elasticsearch", "opensearch"],
    load: () => import("./search/registry.ts").then((group) => ({ tasks: group.SEARCH_TASKS })),
  },
  {
    prefixes: ["serdes"],
    load: () => import("./serdes/registry.ts").then((group) => ({ tasks: group.SERDES_TASKS })),
  },
  {
    prefixes: ["slack"],
    load: () => import("./slack/registry.ts").then((group) => ({ tasks: group.SLACK_APP_TASKS })),
  },
  {
    prefixes: ["transform"],
    load: () => import("./transform/registry.ts").then((group) => ({ tasks: group.TRANSFORM_TASKS })),
  },
]);
