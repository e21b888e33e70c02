/** The task types of Google Gemini. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { geminiChatCompletion, geminiStructuredOutput, geminiTextCompletion } from "./completions.ts";

/** Types below `gemini.`. */
export const GEMINI_TASKS: readonly TaskDefinition[] = Object.freeze([
  geminiChatCompletion,
  geminiStructuredOutput,
  geminiTextCompletion,
]);
