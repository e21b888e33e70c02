/** The types of OpenAI: what they send, and their outputs. Shapes: platform.openai.com/docs/api-reference. */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { openAiChatCompletion } from "../../src/integrations/openai/chat_completion.ts";
import { openAiCreateImage } from "../../src/integrations/openai/create_image.ts";
import { openAiResponses } from "../../src/integrations/openai/responses.ts";
import { openAiUploadFile } from "../../src/integrations/openai/upload_file.ts";
import type { TaskDefinition } from "../../src/model/tasks/task_definition.ts";
import { ApiStub } from "../support/servers/api_stub.ts";
import { type DefinitionRunOptions, runDefinition } from "../support/flows/definition_run.ts";

const ORIGIN = "https://api.openai.com";

function openAiStub(path: string, reply: JsonObject): ApiStub {
  return new ApiStub((request) => {
    if (request.headers.authorization !== "Bearer key-1") {
      return Response.json({ error: { message: "Incorrect API key provided: wrong" } }, { status: 401 });
    }
    return request.method === "POST" && request.path === path ? reply : undefined;
  });
}

function run(
  definition: TaskDefinition,
  stub: ApiStub,
  properties: JsonObject,
  options: DefinitionRunOptions = {},
) {
  return runDefinition(definition, { apiKey: "key-1", ...properties }, {
    ...options,
    origins: { [ORIGIN]: stub.url },
  });
}

const CHAT = "/v1/chat/completions";
const CHOICES = [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }];
const USAGE = {
  prompt_tokens: 3,
  completion_tokens: 1,
  total_tokens: 4,
  prompt_tokens_details: { cached_tokens: 2 },
};
const REPLY = {
  id: "c1",
  object: "chat.completion",
  model: "m-1",
  choices: CHOICES,
  usage: USAGE,
  created: 1,
};

Deno.test("ChatCompletion gives the choices as the API gives them", async () => {
  await using stub = openAiStub(CHAT, REPLY);
  const { outputs, metrics } = await run(openAiChatCompletion, stub, { model: "m", prompt: "hi" });
  const { created: _created, ...expected } = REPLY;
  assertEquals(outputs, expected);
  assertEquals(metrics, {
    "usage.prompt.tokens": 3,
    "usage.completion.tokens": 1,
    "usage.total.tokens": 4,
    "usage.prompt.cached_tokens": 2,
  });
});

const FUNCTION: JsonObject = {
  name: "locate",
  description: "Finds a place",
  parameters: [
    { name: "city", description: "City", type: "string", required: true },
    { name: "unit", description: "Unit", type: "string", enumValues: ["km", "mi"] },
  ],
};
const TOOL = {
  type: "function",
  function: {
    name: "locate",
    description: "Finds a place",
    parameters: {
      type: "object",
      properties: {
        city: { type: "string", description: "City" },
        unit: { type: "string", description: "Unit", enum: ["km", "mi"] },
      },
      required: ["city"],
    },
  },
};
const USER = { role: "user", content: "hi" };

/** Properties, and members of the body beside the model. */
const BODIES: readonly (readonly [properties: JsonObject, members: JsonObject])[] = [
  [{ messages: [{ role: "SYSTEM", content: "a" }], prompt: "hi" }, {
    messages: [{ role: "system", content: "a" }, USER],
    n: 1,
  }],
  [{
    prompt: "hi",
    maxTokens: "50",
    temperature: 0,
    topP: 0.5,
    n: 2,
    stop: ["x"],
    user: "u",
    promptCaching: true,
  }, {
    messages: [USER],
    max_completion_tokens: 50,
    temperature: 0,
    top_p: 0.5,
    n: 2,
    stop: ["x"],
    user: "u",
    prompt_cache_retention: "24h",
  }],
  [{ prompt: "hi", jsonResponseSchema: '{"type": "object"}' }, {
    messages: [USER],
    n: 1,
    response_format: {
      type: "json_schema",
      json_schema: { name: "reply", strict: true, schema: { type: "object" } },
    },
  }],
  [{ prompt: "hi", functions: [FUNCTION] }, { messages: [USER], n: 1, tools: [TOOL], tool_choice: "auto" }],
  [{ prompt: "hi", functions: [FUNCTION], functionCall: "locate" }, {
    messages: [USER],
    n: 1,
    tools: [TOOL],
    tool_choice: { type: "function", function: { name: "locate" } },
  }],
];

for (const [properties, members] of BODIES) {
  Deno.test(`ChatCompletion sends ${JSON.stringify(properties)}`, async () => {
    await using stub = openAiStub(CHAT, REPLY);
    await run(openAiChatCompletion, stub, { model: "m", ...properties });
    assertEquals(JSON.parse(stub.requests[0]?.text ?? ""), { model: "m", ...members });
  });
}

/** Properties that are refused before a request. */
const BAD: readonly (readonly [properties: JsonObject, error: string])[] = [
  [{}, "Nothing to send: give messages or prompt"],
  [{ prompt: "hi", functionCall: "other" }, 'Invalid functionCall: functions have no "other"'],
  [{ prompt: "hi", jsonResponseSchema: "[]" }, "Invalid jsonResponseSchema: it must be a JSON object"],
];

for (const [properties, error] of BAD) {
  Deno.test(`ChatCompletion refuses ${JSON.stringify(properties)}`, async () => {
    await using stub = openAiStub(CHAT, REPLY);
    await assertRejects(() => run(openAiChatCompletion, stub, { model: "m", ...properties }), Error, error);
    assertEquals(stub.calls, []);
  });
}

Deno.test("a refused key is in no message", async () => {
  await using stub = openAiStub(CHAT, REPLY);
  const properties = { apiKey: "wrong", model: "m", prompt: "hi" };
  const error = await assertRejects(() => run(openAiChatCompletion, stub, properties), Error);
  assertEquals(
    error.message,
    'Cannot complete the prompt with "m" at "api.openai.com": the response was 401: Incorrect API key provided: ***; ' +
      "check the key and what it may use",
  );
});

Deno.test("Responses gives the text, its sources and the whole response", async () => {
  const annotations = [{ type: "url_citation", url: "https://a.example.com" }];
  const message = { type: "message", content: [{ type: "output_text", text: "sunny", annotations }] };
  const usage = {
    input_tokens: 3,
    output_tokens: 1,
    total_tokens: 4,
    input_tokens_details: { cached_tokens: 0 },
  };
  const reply: JsonObject = { id: "resp_1", output: [{ type: "web_search_call" }, message], usage };
  await using stub = openAiStub("/v1/responses", reply);
  const { outputs, metrics } = await run(openAiResponses, stub, {
    model: "m",
    input: [{ role: "USER", content: "weather?" }],
    tools: [{ type: "web_search" }],
    toolChoice: "REQUIRED",
    promptId: "p1",
    promptVariables: { city: "Lyon" },
  });
  assertEquals(outputs, {
    responseId: "resp_1",
    outputText: "sunny",
    sources: ["https://a.example.com"],
    rawResponse: reply,
  });
  assertEquals([metrics["usage.prompt.tokens"], metrics["usage.total.tokens"]], [3, 4]);
  assertEquals(JSON.parse(stub.requests[0]?.text ?? ""), {
    model: "m",
    input: [{ role: "user", content: "weather?" }],
    tools: [{ type: "web_search" }],
    tool_choice: "required",
    store: true,
    prompt: { id: "p1", variables: { city: "Lyon" } },
  });
});

/** What the API gives for an image, whether it is downloaded, and the stored content. */
const IMAGES:
  readonly (readonly [image: (url: string) => JsonObject, download: boolean, stored: string | undefined])[] =
    [
      [() => ({ b64_json: btoa("png") }), false, "png"],
      [(url) => ({ url: `${url}/image.png` }), true, "bytes"],
      [(url) => ({ url: `${url}/image.png` }), false, undefined],
    ];

for (const [image, download, stored] of IMAGES) {
  Deno.test(`CreateImage with download ${download} gives ${stored === undefined ? "an address" : "a stored file"}`, async () => {
    await using stub = new ApiStub(({ path }, { url }) =>
      path === "/image.png" ? new Response("bytes") : { data: [image(url)] }
    );
    const { outputs, files } = await run(openAiCreateImage, stub, {
      prompt: "a",
      size: "SMALL",
      quality: "LOW",
      download,
    });
    const [first] = outputs.images as string[];
    assertEquals(files.get(first ?? ""), stored);
    if (stored === undefined) assertEquals(first, `${stub.url}/image.png`);
    assertEquals(JSON.parse(stub.requests[0]?.text ?? ""), {
      model: "gpt-image-1",
      prompt: "a",
      size: "256x256",
      quality: "low",
    });
  });
}

Deno.test("UploadFile sends a form with the file and its purpose", async () => {
  await using stub = openAiStub("/v1/files", { id: "file-1", object: "file" });
  const properties = { from: "kestra:///data.jsonl", purpose: "batch" };
  const { outputs } = await run(openAiUploadFile, stub, properties, {
    files: { "kestra:///data.jsonl": "{}\n" },
  });
  assertEquals(outputs, { fileId: "file-1" });
  const [request] = stub.requests;
  const type = request?.headers["content-type"] ?? "";
  const form = await new Response(request?.bytes, { headers: { "content-type": type } }).formData();
  const file = form.get("file") as File;
  assertEquals([form.get("purpose"), await file.text()], ["batch", "{}\n"]);
  assertStringIncludes(file.name, "data.jsonl");

  // A file that holds the form of an earlier upload is not cut.
  const earlier = request?.text ?? "";
  await run(openAiUploadFile, stub, properties, { files: { "kestra:///data.jsonl": earlier } });
  const [, second] = stub.requests;
  const headers = { "content-type": second?.headers["content-type"] ?? "" };
  const again = (await new Response(second?.bytes, { headers }).formData()).get("file") as File;
  assertEquals(await again.text(), earlier);
});
