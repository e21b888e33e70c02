/** The task types of Anthropic. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { anthropicChatCompletion } from "./chat_completion.ts";

/** Types below `anthropic.`. */
export const ANTHROPIC_TASKS: readonly TaskDefinition[] = Object.freeze([anthropicChatCompletion]);
