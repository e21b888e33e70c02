/** The type of Anthropic. Shapes: docs.anthropic.com/en/api/messages. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { anthropicChatCompletion } from "../../src/integrations/anthropic/chat_completion.ts";
import { ApiStub } from "../support/servers/api_stub.ts";
import { runDefinition } from "../support/flows/definition_run.ts";

function anthropicStub(reply: JsonObject): ApiStub {
  return new ApiStub(({ method, path, headers }) => {
    const isFine = method === "POST" && path === "/v1/messages" &&
      headers["anthropic-version"] === "2023-06-01";
    if (!isFine) return undefined;
    if (headers["x-api-key"] === "key-1") return reply;
    const error = { type: "authentication_error", message: "invalid x-api-key" };
    return Response.json({ type: "error", error }, { status: 401 });
  });
}

function run(stub: ApiStub, further: JsonObject = {}) {
  const messages = [{ type: "USER", content: "hi" }, { type: "ASSISTANT", content: "yes?" }, {
    type: "USER",
    content: "go",
  }];
  const origins = { "https://api.anthropic.com": stub.url };
  return runDefinition(anthropicChatCompletion, { apiKey: "key-1", model: "m", messages, ...further }, {
    origins,
  });
}

const USAGE = {
  input_tokens: 5,
  output_tokens: 2,
  cache_creation_input_tokens: 4,
  cache_read_input_tokens: 3,
};

Deno.test("ChatCompletion gives text, tools, tokens and the raw reply", async () => {
  const reply: JsonObject = {
    id: "msg_1",
    content: [{ type: "text", text: "see" }, {
      type: "tool_use",
      id: "t1",
      name: "locate",
      input: { city: "Lyon" },
    }],
    stop_reason: "tool_use",
    usage: USAGE,
  };
  await using stub = anthropicStub(reply);
  const inputSchema = { properties: { city: { type: "string" } }, required: ["city"] };
  const { outputs, metrics } = await run(stub, {
    system: "be short",
    topK: 3,
    promptCaching: true,
    tools: [{ name: "locate", description: "Finds", inputSchema }],
  });
  assertEquals(outputs, {
    outputText: "see",
    toolUses: [{ id: "t1", name: "locate", input: { city: "Lyon" } }],
    stopReason: "tool_use",
    rawResponse: JSON.stringify(reply),
    cacheCreationInputTokens: 4,
    cacheReadInputTokens: 3,
  });
  assertEquals(metrics, {
    "usage.input.tokens": 5,
    "usage.output.tokens": 2,
    "usage.cache.creation.tokens": 4,
    "usage.cache.read.tokens": 3,
  });
  assertEquals(JSON.parse(stub.requests[0]?.text ?? ""), {
    model: "m",
    max_tokens: 1024,
    messages: [{ role: "user", content: "hi" }, { role: "assistant", content: "yes?" }, {
      role: "user",
      content: "go",
    }],
    system: "be short",
    top_k: 3,
    tools: [{ name: "locate", description: "Finds", input_schema: { type: "object", ...inputSchema } }],
    cache_control: { type: "ephemeral" },
  });
});

Deno.test("ChatCompletion reports a refused key", async () => {
  await using stub = anthropicStub({});
  await assertRejects(
    () => run(stub, { apiKey: "wrong" }),
    Error,
    'Cannot complete the prompt with "m" at "api.anthropic.com": the response was 401: invalid x-api-key; check the key',
  );
});
