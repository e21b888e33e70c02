/** The task types that send mails. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { mailExecution } from "./mail_execution.ts";
import { mailSend } from "./mail_send.ts";
import { sendGridMailExecution, sendGridMailSend } from "./sendgrid.ts";

/** Types below `notifications.mail.` and `notifications.sendgrid.`. */
export const MAIL_TASKS: readonly TaskDefinition[] = Object.freeze([
  mailExecution,
  mailSend,
  sendGridMailExecution,
  sendGridMailSend,
]);
