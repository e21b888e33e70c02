/** Models of Amazon Bedrock: signed requests, their bodies, replies and refusals. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { aiAgent } from "../../../src/integrations/ai/agent_task.ts";
import { chatCompletion } from "../../../src/integrations/ai/chat_completion.ts";
import { modelOf } from "../../../src/integrations/ai/providers.ts";
import { systemClock } from "../../../src/base/time/clock.ts";
import { HttpClient } from "../../../src/machine/http_client/http_client.ts";
import { sendRequest } from "../../../src/tasks/definition/send_request.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { isSigned, KEYS } from "../aws/aws_signature.ts";
import { bodiesOf } from "./model_stub.ts";

const MODEL = "anthropic.claude-3-5-sonnet-20240620-v1:0";
const PATH = `/model/${encodeURIComponent(MODEL)}/converse`;

/** Replies to signed requests of the documented form; others get 403. */
function bedrock(reply: (body: JsonObject, request: ApiRequest) => ApiReply): ApiStub {
  return new ApiStub((request) => {
    const isFor = request.headers.authorization?.includes("/eu-central-1/bedrock/aws4_request");
    const isJson = request.headers["content-type"] === "application/json";
    if (!isFor || !isJson || !isSigned(request) || request.method !== "POST") {
      return new Response("", { status: 403 });
    }
    return reply(JSON.parse(request.text), request);
  });
}

function providerAt({ url }: ApiStub, further: JsonObject = {}): JsonObject {
  const { accessKeyId, secretKeyId } = KEYS;
  const place = { region: "eu-central-1", baseUrl: url };
  const type = "io.kestra.plugin.ai.provider.AmazonBedrock";
  return { type, modelName: MODEL, accessKeyId, secretAccessKey: secretKeyId, ...place, ...further };
}

function converse(content: JsonObject[], stopReason: string): JsonObject {
  const usage = { inputTokens: 10, outputTokens: 2, totalTokens: 12 };
  return {
    output: { message: { role: "assistant", content } },
    stopReason,
    usage,
    metrics: { latencyMs: 1 },
  };
}

const MESSAGES = [{ type: "SYSTEM", content: "be short" }, { type: "USER", content: "hi" }];

function chat(stub: ApiStub, configuration: JsonObject = {}) {
  return runDefinition(chatCompletion, { provider: providerAt(stub), messages: MESSAGES, configuration });
}

Deno.test("AmazonBedrock: a reply gives text, tokens and the end", async () => {
  await using stub = bedrock(() => converse([{ text: "hello" }], "end_turn"));
  const { outputs } = await chat(stub);
  assertEquals([outputs.textOutput, outputs.finishReason], ["hello", "STOP"]);
  assertEquals(outputs.tokenUsage, { inputTokenCount: 10, outputTokenCount: 2, totalTokenCount: 12 });
  assertEquals(stub.calls, [`POST ${PATH}`]);
  assertEquals(bodiesOf(stub), [{
    messages: [{ role: "user", content: [{ text: "hi" }] }],
    system: [{ text: "be short" }],
  }]);
});

Deno.test("AmazonBedrock: options are sent, those without an effect are named, thoughts are an output", async () => {
  const thought = { reasoningContent: { reasoningText: { text: "hm", signature: "s" } } };
  await using stub = bedrock(() => converse([thought, { text: "yes" }], "stop_sequence"));
  const { outputs, logs } = await chat(stub, {
    ...{ temperature: 0.5, topP: 0.9, maxToken: 100, topK: 3, seed: 1 },
    ...{ thinkingEnabled: true, thinkingBudgetTokens: 2000, returnThinking: true },
  });
  assertEquals([outputs.textOutput, outputs.thinking, outputs.finishReason], ["yes", "hm", "STOP"]);
  const [body] = bodiesOf(stub);
  assertEquals(body?.inferenceConfig, { maxTokens: 100, temperature: 0.5, topP: 0.9 });
  assertEquals(body?.additionalModelRequestFields, { thinking: { type: "enabled", budget_tokens: 2000 } });
  assertEquals(logs.filter((line) => line.startsWith("WARN")), [
    "WARN topK and seed have no effect: the API of Amazon Bedrock does not have them",
  ]);
});

Deno.test("AmazonBedrock: the form of JSON is part of the system's text", async () => {
  await using stub = bedrock(() => converse([{ text: '{"a":"x"}' }], "end_turn"));
  const jsonSchema = { type: "object", properties: { a: { type: "string" } } };
  await chat(stub, { responseFormat: { type: "JSON", jsonSchema } });
  const [body] = bodiesOf(stub);
  const [{ text } = {}] = body?.system as JsonObject[];
  assertMatch(String(text), /^be short\n\nReply with one JSON object.*"a":\{"type":"string"\}/s);
});

Deno.test("AmazonBedrock: an agent calls a tool, and sends the message back as it came", async () => {
  await using searches = new ApiStub(() => ({ results: [{ title: "t", url: "u", content: "found it" }] }));
  const call = { toolUse: { toolUseId: "c1", name: "web_search", input: { query: "x" } } };
  const said = { reasoningContent: { reasoningText: { text: "hm", signature: "s" } } };
  await using stub = bedrock(({ messages }, { text }) => {
    const [{ toolSpec } = {}] = JSON.parse(text).toolConfig.tools;
    call.toolUse.name = toolSpec.name;
    return (messages as JsonObject[]).length === 1
      ? converse([said, call], "tool_use")
      : converse([{ text: "done" }], "end_turn");
  });
  const { outputs } = await runDefinition(aiAgent, {
    provider: providerAt(stub),
    prompt: "search",
    tools: [{ type: "io.kestra.plugin.ai.tool.TavilyWebSearch", apiKey: "k" }],
  }, { origins: { "https://api.tavily.com": searches.url } });
  assertEquals(outputs.textOutput, "done");
  const [, second] = bodiesOf(stub);
  const [, answer, result] = second?.messages as JsonObject[];
  assertEquals(answer, { role: "assistant", content: [said, call] });
  const [{ toolResult } = {}] = result?.content as JsonObject[];
  assertEquals((toolResult as JsonObject).toolUseId, "c1");
  assertMatch(JSON.stringify(toolResult), /found it/);
});

const ERRORS: readonly (readonly [reply: () => Response, error: RegExp])[] = [
  [
    () => Response.json({ message: "The security token is invalid" }, { status: 403 }),
    /^Cannot complete the prompt with Amazon Bedrock ".*:0" at "HOST": the response was 403: The security token/,
  ],
  [
    () => Response.json({ message: "no such model" }, { status: 404 }),
    /the response was 404: no such model/,
  ],
];

for (const [reply, expected] of ERRORS) {
  Deno.test(`AmazonBedrock: a refusal is reported as ${expected.source}`, async () => {
    await using stub = bedrock(reply);
    const error = await assertRejects(() => chat(stub), Error);
    assertMatch(error.message.replace(stub.host, "HOST"), expected);
    assertEquals(error.message.includes(KEYS.secretKeyId), false);
  });
}

/** The model of a provider, without a task. */
async function modelAt(stub: ApiStub, further: JsonObject) {
  const { signal } = new AbortController();
  const http = new HttpClient({ clock: systemClock, random: () => 0.5, userAgent: "test" });
  const directory = () => Promise.reject(new Error("no directory"));
  return await modelOf({
    signal,
    log: () => {},
    http: (request) => sendRequest(request, { http, signal, directory }),
  }, providerAt(stub, further));
}

Deno.test("AmazonBedrock: models of Cohere embed texts together, those of Titan one by one", async () => {
  await using cohere = bedrock(({ texts }) => ({
    embeddings: (texts as string[]).map((_, index) => [index, 1]),
  }));
  const model = await modelAt(cohere, { modelName: "cohere.embed-v3", modelType: "COHERE" });
  assertEquals(await model.embed(["a", "b"]), { vectors: [[0, 1], [1, 1]] });
  assertEquals(bodiesOf(cohere), [{ texts: ["a", "b"], input_type: "search_document" }]);
  await using titan = bedrock(({ inputText }) => ({ embedding: [String(inputText).length] }));
  const other = await modelAt(titan, { modelName: "amazon.titan-embed-text-v2:0", modelType: "TITAN" });
  assertEquals(await other.embed(["a", "bb"]), { vectors: [[1], [2]] });
  assertEquals(titan.requests.length, 2);
  const wrong = await modelAt(titan, { modelType: "COHERE" });
  await assertRejects(() => wrong.embed(["a"]), Error, "modelType is not the kind of the model");
  await assertRejects(() => other.image("x"), Error, "use another provider");
});
