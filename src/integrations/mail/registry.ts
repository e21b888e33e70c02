/** The types that send mails, and those that read mailboxes. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { mailExecution } from "./mail_execution.ts";
import { mailSend } from "./mail_send.ts";
import { mailRealtimeTrigger, mailReceivedTrigger } from "./received_triggers.ts";
import { sendGridMailExecution, sendGridMailSend } from "./sendgrid.ts";

/** Types below `notifications.mail.` and `notifications.sendgrid.`. */
export const MAIL_TASKS: readonly TaskDefinition[] = Object.freeze([
  mailExecution,
  mailSend,
  sendGridMailExecution,
  sendGridMailSend,
]);

/** Polling triggers below `notifications.mail.`. */
export const MAIL_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([mailReceivedTrigger]);

/** Triggers below `notifications.mail.` that hold a connection. */
export const MAIL_REALTIME_TRIGGERS: readonly RealtimeDefinition[] = Object.freeze([mailRealtimeTrigger]);
