/** The task types that send alerts to services for incidents. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { opsgenieAlert, opsgenieExecution } from "./opsgenie.ts";
import { pagerDutyAlert, pagerDutyExecution } from "./pagerduty.ts";
import { sentryAlert, sentryExecution } from "./sentry.ts";
import { squadcastExecution, squadcastIncomingWebhook } from "./squadcast.ts";
import { zendutyAlert, zendutyExecution } from "./zenduty.ts";

/** Further types below `notifications.`. */
export const INCIDENT_TASKS: readonly TaskDefinition[] = Object.freeze([
  opsgenieAlert,
  opsgenieExecution,
  pagerDutyAlert,
  pagerDutyExecution,
  sentryAlert,
  sentryExecution,
  squadcastExecution,
  squadcastIncomingWebhook,
  zendutyAlert,
  zendutyExecution,
]);
