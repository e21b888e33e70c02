/** The task types of OpenAI. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { openAiChatCompletion } from "./chat_completion.ts";
import { openAiCreateImage } from "./create_image.ts";
import { openAiResponses } from "./responses.ts";
import { openAiUploadFile } from "./upload_file.ts";

/** Types below `openai.`. */
export const OPENAI_TASKS: readonly TaskDefinition[] = Object.freeze([
  openAiChatCompletion,
  openAiCreateImage,
  openAiResponses,
  openAiUploadFile,
]);
