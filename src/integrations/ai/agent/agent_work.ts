/** What an agent is given, and what it gives. */
import type { JsonValue } from "../../../base/json.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import type { ChatConfiguration } from "../configuration.ts";
import type { ChatMessage, ContentBlock } from "../models/chat.ts";
import type { ConversationResult } from "./conversation.ts";
import type { Source } from "./source.ts";

/** Typed properties of an agent. */
export interface AgentWork {
  readonly provider: JsonValue | undefined;
  readonly configuration: JsonValue | undefined;
  readonly system?: string;
  /** Messages before that of the user. */
  readonly history?: readonly ChatMessage[];
  /** What the user says. */
  readonly blocks: readonly ContentBlock[];
  readonly tools?: JsonValue;
  readonly retrievers?: JsonValue;
  /** Texts that were found already. */
  readonly sources?: readonly Source[];
  readonly memory?: JsonValue;
  readonly maxRounds?: JsonValue;
}

/** What an agent gives. */
export interface AgentResult {
  readonly result: ConversationResult;
  readonly sources: readonly Source[];
  readonly configuration: ChatConfiguration;
}

/** Runs an agent. @throws Error a provider, a tool or a retriever fails */
export type AgentRunner = (context: ServerTaskContext, work: AgentWork) => Promise<AgentResult>;
