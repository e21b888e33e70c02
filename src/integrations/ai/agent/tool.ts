/** What an agent can use during its work. */
import type { JsonObject } from "../../../base/json.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import type { ToolSpecification } from "../models/chat.ts";

/** A tool that is ready. */
export interface AgentTool extends ToolSpecification {
  /** Canonical name of the part, for metrics. */
  readonly type: string;
  /** The result for the model. @throws Error it ends the task */
  run(given: JsonObject): Promise<string>;
}

/** The tools of an agent; disposal closes their connections. */
export interface OpenTools extends AsyncDisposable {
  readonly tools: readonly AgentTool[];
}

/** Makes the tools of one part. */
export type ToolOpener = (context: ServerTaskContext, part: JsonObject) => Promise<OpenTools>;

/** Tools without a connection. */
export function toolsOf(...tools: AgentTool[]): OpenTools {
  return { tools, async [Symbol.asyncDispose]() {} };
}

/** JSON Schema of an object with these properties. */
export function objectSchema(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required: [...required] };
}
