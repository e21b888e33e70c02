/** The task types that send mails. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { sendGridMailExecution, sendGridMailSend } from "./sendgrid.ts";

/** Types below `notifications.mail.` and `notifications.sendgrid.`. */
export const MAIL_TASKS: readonly TaskDefinition[] = Object.freeze([
  sendGridMailExecution,
  sendGridMailSend,
]);
