/** The types of all groups of integrations. A group is a folder with a registry, and a line here. */
import type { TaskDefinition } from "../model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../model/triggers/trigger_definition.ts";
import { AWS_TASKS, AWS_TRIGGERS } from "./aws/registry.ts";
import { AZURE_TASKS, AZURE_TRIGGERS } from "./azure/registry.ts";
import { COMPRESS_TASKS } from "./compress/registry.ts";
import { GCP_TASKS, GCP_TRIGGERS } from "./gcp/registry.ts";
import { FS_TASKS, FS_TRIGGERS } from "./fs/registry.ts";
import { GIT_TASKS } from "./git/registry.ts";
import { GITHUB_TASKS } from "./github/registry.ts";
import { GOOGLE_WORKSPACE_TASKS, GOOGLE_WORKSPACE_TRIGGERS } from "./googleworkspace/registry.ts";
import { INCIDENT_TASKS } from "./incidents/registry.ts";
import { JDBC_TASKS, JDBC_TRIGGERS } from "./jdbc/registry.ts";
import { SERVER_API_TASKS } from "./kestra/registry.ts";
import { LDAP_TASKS } from "./ldap/registry.ts";
import { MAIL_TASKS } from "./mail/registry.ts";
import { NOTIFICATION_TASKS } from "./notifications/registry.ts";
import { SERDES_TASKS } from "./serdes/registry.ts";

/**
 * A definition is data, some 20 µs to load, and schemas need it at boot. What takes longer, such as a package, is imported
 * by `run` when a type is first used.
 */
export const INTEGRATION_TASKS: readonly TaskDefinition[] = Object.freeze([
  ...AWS_TASKS,
  ...AZURE_TASKS,
  ...COMPRESS_TASKS,
  ...GCP_TASKS,
  ...FS_TASKS,
  ...GIT_TASKS,
  ...GITHUB_TASKS,
  ...GOOGLE_WORKSPACE_TASKS,
  ...INCIDENT_TASKS,
  ...JDBC_TASKS,
  ...LDAP_TASKS,
  ...MAIL_TASKS,
  ...NOTIFICATION_TASKS,
  ...SERDES_TASKS,
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
]);
