/** The types of apps of Slack; messages to incoming webhooks are among the notifications. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { CHAT_TASKS } from "./chats.ts";
import { CONVERSATION_TASKS } from "./conversations.ts";
import { createCanvas, uploadFile } from "./files.ts";

/** Types below `slack.app.`. */
export const SLACK_APP_TASKS: readonly TaskDefinition[] = Object.freeze([
  ...CHAT_TASKS,
  ...CONVERSATION_TASKS,
  createCanvas,
  uploadFile,
]);
