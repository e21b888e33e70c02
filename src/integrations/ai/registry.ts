/** The task types of language models, and the parts that they have. */
import type { PartType } from "../../model/tasks/task_catalog.ts";
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { MEMORIES, RETRIEVERS, TOOLS } from "./agent_parts.ts";
import { aiAgent } from "./agent_task.ts";
import { chatCompletion } from "./chat_completion.ts";
import { classification } from "./classification.ts";
import { imageGeneration } from "./image_generation.ts";
import { jsonExtraction } from "./json_extraction.ts";
import { callTool, listTools } from "./mcp_tasks.ts";
import { PROVIDERS } from "./providers.ts";
import { ragChatCompletion } from "./rag/chat_completion.ts";
import { ingestDocument } from "./rag/ingest_document.ts";
import { search } from "./rag/search.ts";
import { STORES } from "./rag/stores.ts";

/** Types below `ai.`. */
export const AI_TASKS: readonly TaskDefinition[] = Object.freeze([
  aiAgent,
  callTool,
  chatCompletion,
  classification,
  imageGeneration,
  ingestDocument,
  jsonExtraction,
  listTools,
  ragChatCompletion,
  search,
]);

/** Their parts. */
export const AI_PARTS: readonly PartType[] = Object.freeze([
  ...MEMORIES,
  ...PROVIDERS,
  ...RETRIEVERS,
  ...STORES,
  ...TOOLS,
]);
