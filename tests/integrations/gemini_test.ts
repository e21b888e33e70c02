/** The types of Google Gemini. Shapes: ai.google.dev/api/generate-content. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import {
  geminiChatCompletion,
  geminiStructuredOutput,
  geminiTextCompletion,
} from "../../src/integrations/gemini/completions.ts";
import type { TaskDefinition } from "../../src/model/tasks/task_definition.ts";
import { ApiStub } from "../support/servers/api_stub.ts";
import { runDefinition } from "../support/flows/definition_run.ts";

const RATINGS = [{ category: "HARM", probability: "LOW" }];
const REPLY: JsonObject = {
  candidates: [{
    content: { role: "model", parts: [{ text: '{"a":' }, { text: "1}" }] },
    safetyRatings: RATINGS,
  }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
};

function geminiStub(reply = REPLY): ApiStub {
  return new ApiStub(({ method, path, headers }) =>
    method === "POST" && path === "/v1beta/models/m:generateContent" && headers["x-goog-api-key"] === "key-1"
      ? reply
      : undefined
  );
}

function run(definition: TaskDefinition, stub: ApiStub, properties: JsonObject) {
  const origins = { "https://generativelanguage.googleapis.com": stub.url };
  return runDefinition(definition, { apiKey: "key-1", model: "m", ...properties }, { origins });
}

const CONTENTS = [{ role: "user", parts: [{ text: "hi" }] }];
const PREDICTION = { content: '{"a":1}', safetyRatings: RATINGS };
const MESSAGES = [{ type: "SYSTEM", content: "be short" }, { type: "USER", content: "hi" }];
const SCHEMA = '{"type": "object", "additionalProperties": false, "properties": {"a": {"type": "number"}}}';

/** A type, its properties, the body, and the predictions. */
const CASES:
  readonly (readonly [TaskDefinition, properties: JsonObject, body: JsonObject, predictions: unknown[]])[] = [
    [geminiChatCompletion, { messages: MESSAGES }, {
      contents: CONTENTS,
      systemInstruction: { parts: [{ text: "be short" }] },
    }, [PREDICTION]],
    [geminiTextCompletion, { prompt: "hi" }, { contents: CONTENTS }, [PREDICTION]],
    [geminiStructuredOutput, { prompt: "hi", jsonResponseSchema: SCHEMA }, {
      contents: CONTENTS,
      generationConfig: {
        responseMimeType: "application/json",
        responseSchema: { type: "object", properties: { a: { type: "number" } } },
      },
    }, ['{"a":1}']],
  ];

for (const [definition, properties, body, predictions] of CASES) {
  Deno.test(`${definition.type} gives predictions and tokens`, async () => {
    await using stub = geminiStub();
    const { outputs, metrics } = await run(definition, stub, properties);
    assertEquals([outputs.predictions, JSON.parse(stub.requests[0]?.text ?? "")], [predictions, body]);
    assertEquals(metrics, { "prompt.token.count": 3, "candidate.token.count": 1, "total.token.count": 4 });
  });
}

Deno.test("a prompt that is blocked fails the task", async () => {
  await using stub = geminiStub({ promptFeedback: { blockReason: "SAFETY" } });
  const error = 'Cannot complete the prompt with Gemini "m": it was refused: SAFETY';
  await assertRejects(() => run(geminiTextCompletion, stub, { prompt: "hi" }), Error, error);
});
