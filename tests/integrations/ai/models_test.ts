/** Requests to models: address, key, body and reply of each API, and each form of a refusal. */
import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { aiAgent } from "../../../src/integrations/ai/agent_task.ts";
import { chatCompletion } from "../../../src/integrations/ai/chat_completion.ts";
import { classification } from "../../../src/integrations/ai/classification.ts";
import { imageGeneration } from "../../../src/integrations/ai/image_generation.ts";
import { jsonExtraction } from "../../../src/integrations/ai/json_extraction.ts";
import { ApiStub } from "../../support/servers/api_stub.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../../support/processes/self_signed.ts";
import { apiOf, APIS, bodiesOf, type ModelApi, modelStub, providerOf, type Said } from "./model_stub.ts";

const MESSAGES = [{ type: "SYSTEM", content: "be short" }, { type: "USER", content: "hi" }];

function chat(
  api: ModelApi,
  stub: ApiStub,
  configuration: JsonObject = {},
  messages: JsonObject[] = MESSAGES,
) {
  const properties = { provider: providerOf(api), messages, configuration };
  return runDefinition(chatCompletion, properties, { origins: { [api.origin]: stub.url } });
}

for (const api of APIS) {
  Deno.test(`${api.provider}: the text, the tokens and the end of a reply are outputs and metrics`, async () => {
    await using stub = modelStub(api, [{ text: "hello" }]);
    const { outputs, metrics } = await chat(api, stub);
    const { requestDuration, ...rest } = outputs;
    assertEquals(rest, {
      textOutput: "hello",
      aiResponse: "hello",
      tokenUsage: { inputTokenCount: 10, outputTokenCount: 2, totalTokenCount: 12 },
      finishReason: "STOP",
      toolExecutions: [],
      intermediateResponses: [],
      sources: [],
      guardrailViolated: false,
    });
    assertEquals(typeof requestDuration, "number");
    assertEquals([metrics["input.token.count"], metrics["total.token.count"], metrics["ai.provider.calls"]], [
      10,
      12,
      1,
    ]);
  });
}

const OPTIONS = { temperature: 0.5, topP: 0.9, maxToken: 100 };
const SCHEMA = {
  type: "object",
  required: ["a"],
  additionalProperties: false,
  properties: { a: { type: ["string", "null"] } },
};
const JSON_FORMAT = { responseFormat: { type: "JSON", jsonSchema: SCHEMA, strictJson: true } };
const OPENAI_MESSAGES = [{ role: "system", content: "be short" }, { role: "user", content: "hi" }];
const GEMINI_CONTENTS = {
  contents: [{ role: "user", parts: [{ text: "hi" }] }],
  systemInstruction: { parts: [{ text: "be short" }] },
};
const ANTHROPIC_MESSAGES = {
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
  system: "be short",
};

/** A provider, a configuration, and the body of the request. */
const BODIES: readonly (readonly [provider: string, configuration: JsonObject, body: JsonObject])[] = [
  ["OpenAI", { ...OPTIONS, seed: 7 }, {
    model: "m",
    messages: OPENAI_MESSAGES,
    temperature: 0.5,
    top_p: 0.9,
    seed: 7,
    max_completion_tokens: 100,
  }],
  ["MistralAI", { maxToken: 5, seed: 7 }, {
    model: "m",
    messages: OPENAI_MESSAGES,
    random_seed: 7,
    max_tokens: 5,
  }],
  ["OpenAI", JSON_FORMAT, {
    model: "m",
    messages: OPENAI_MESSAGES,
    response_format: { type: "json_schema", json_schema: { name: "output", schema: SCHEMA, strict: true } },
  }],
  ["Anthropic", { ...OPTIONS, topK: 3, promptCaching: true }, {
    ...ANTHROPIC_MESSAGES,
    max_tokens: 100,
    temperature: 0.5,
    top_k: 3,
    top_p: 0.9,
    cache_control: { type: "ephemeral" },
  }],
  ["Anthropic", { thinkingEnabled: true, thinkingBudgetTokens: 2000 }, {
    ...ANTHROPIC_MESSAGES,
    max_tokens: 4096,
    thinking: { type: "enabled", budget_tokens: 2000 },
  }],
  ["GoogleGemini", { ...OPTIONS, topK: 3, seed: 7, thinkingBudgetTokens: 0 }, {
    ...GEMINI_CONTENTS,
    generationConfig: {
      temperature: 0.5,
      topK: 3,
      topP: 0.9,
      seed: 7,
      maxOutputTokens: 100,
      thinkingConfig: { thinkingBudget: 0 },
    },
  }],
];

for (const [provider, configuration, expected] of BODIES) {
  Deno.test(`${provider}: the body of a request with ${Object.keys(configuration)}`, async () => {
    const api = apiOf(provider);
    const isJson = "responseFormat" in configuration;
    await using stub = modelStub(api, [{ text: isJson ? '{"a": null}' : "ok" }]);
    const { outputs } = await chat(api, stub, configuration);
    assertEquals(bodiesOf(stub), [expected]);
    if (isJson) assertEquals([outputs.jsonOutput, outputs.textOutput], [{ a: null }, undefined]);
  });
}

Deno.test("GoogleGemini: a JSON Schema is sent with the members that the API has", async () => {
  const api = apiOf("GoogleGemini");
  await using stub = modelStub(api, [{ text: '{"a": "b"}' }]);
  const { outputs } = await chat(api, stub, JSON_FORMAT);
  const [{ generationConfig } = {}] = bodiesOf(stub);
  assertEquals(generationConfig, {
    responseMimeType: "application/json",
    responseSchema: {
      type: "object",
      required: ["a"],
      properties: { a: { type: "string", nullable: true } },
    },
  });
  assertEquals(outputs.jsonOutput, { a: "b" });
});

Deno.test("Anthropic: JSON of a schema is the input of a forced tool", async () => {
  const api = apiOf("Anthropic");
  await using stub = modelStub(api, [{ call: "reply", given: { a: "b" } }]);
  const { outputs } = await chat(api, stub, JSON_FORMAT);
  const [body = {}] = bodiesOf(stub);
  assertEquals(body.tool_choice, { type: "tool", name: "reply" });
  assertEquals((body.tools as JsonObject[])[0]?.input_schema, SCHEMA);
  assertEquals([outputs.jsonOutput, outputs.finishReason], [{ a: "b" }, "STOP"]);
});

Deno.test("DeepSeek: a schema is described in the system message, and a fenced reply is read", async () => {
  const api = apiOf("DeepSeek");
  await using stub = modelStub(api, [{ text: '```json\n{"a": "b"}\n```' }]);
  const { outputs } = await chat(api, stub, JSON_FORMAT);
  const [{ messages, response_format } = {}] = bodiesOf(stub);
  assertMatch(
    String((messages as JsonObject[])[0]?.content),
    /^be short\n\nReply with one JSON object.*"additionalProperties"/,
  );
  assertEquals([response_format, outputs.jsonOutput], [{ type: "json_object" }, { a: "b" }]);
});

Deno.test("a reply that is no JSON object fails the task", async () => {
  const api = apiOf("OpenAI");
  await using stub = modelStub(api, [{ text: "no" }]);
  await assertRejects(
    () => chat(api, stub, JSON_FORMAT),
    Error,
    "The reply is no JSON object, its end is STOP",
  );
});

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
const IMAGE_BLOCKS: JsonObject[] = [{ type: "IMAGE", uri: "kestra:///a.png" }, { text: "what is it" }];

/** A provider, and how it gets an image and a text. */
const IMAGES:
  readonly (readonly [provider: string, contents: (body: JsonObject) => unknown, expected: unknown])[] = [
    ["OpenAI", ({ messages }) => (messages as JsonObject[])[0]?.content, [
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      { type: "text", text: "what is it" },
    ]],
    ["Anthropic", ({ messages }) => (messages as JsonObject[])[0]?.content, [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      { type: "text", text: "what is it" },
    ]],
    ["GoogleGemini", ({ contents }) => (contents as JsonObject[])[0]?.parts, [
      { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
      { text: "what is it" },
    ]],
  ];

for (const [provider, contents, expected] of IMAGES) {
  Deno.test(`${provider}: an image is sent as base64`, async () => {
    const api = apiOf(provider);
    await using stub = modelStub(api, [{ text: "a lamp" }]);
    const properties = {
      provider: providerOf(api),
      messages: [{ type: "USER", contentBlocks: IMAGE_BLOCKS }],
    };
    const options = { origins: { [api.origin]: stub.url }, files: { "kestra:///a.png": PNG } };
    await runDefinition(chatCompletion, properties, options);
    assertEquals(contents(bodiesOf(stub)[0] ?? {}), expected);
  });
}

Deno.test("ChatCompletion refuses an image with more than 20 MiB", async () => {
  const properties = {
    provider: providerOf(apiOf("OpenAI")),
    messages: [{ type: "USER", contentBlocks: IMAGE_BLOCKS }],
  };
  await assertRejects(
    () =>
      runDefinition(chatCompletion, properties, { files: { "kestra:///a.png": new Uint8Array(20_971_521) } }),
    Error,
    'Cannot read "kestra:///a.png": it has 20971521 bytes, and at most 20971520 are allowed',
  );
});

/** Messages that are refused before a request. */
const BAD_MESSAGES: readonly (readonly [messages: JsonObject[], error: string])[] = [
  [
    [{ type: "USER", content: "a" }, { type: "AI", content: "b" }],
    "Invalid messages: the last one must be of the type USER",
  ],
  [[...MESSAGES, ...MESSAGES], "Invalid messages: there can be only one of the type SYSTEM"],
  [[{ type: "USER", content: "a", contentBlocks: [{ text: "b" }] }], "Give either a text or contentBlocks"],
];

for (const [messages, error] of BAD_MESSAGES) {
  Deno.test(`ChatCompletion refuses messages: ${error}`, async () => {
    await using stub = modelStub(apiOf("OpenAI"), []);
    await assertRejects(() => chat(apiOf("OpenAI"), stub, {}, messages), Error, error);
    assertEquals(stub.calls, []);
  });
}

const json = (status: number, body: object, headers = {}) => () => Response.json(body, { status, headers });

/** A provider, its response, how often it is asked, and the error of the task. */
const REFUSALS:
  readonly (readonly [provider: string, response: () => Response, tries: number, error: string])[] = [
    [
      "OpenAI",
      json(401, { error: { message: "Incorrect API key provided: key-1", type: "invalid_request_error" } }),
      1,
      'Cannot complete the prompt with OpenAI "m" at "HOST": the response was 401: Incorrect API key provided: ***; check the key and what it may use',
    ],
    [
      "Anthropic",
      json(404, { type: "error", error: { type: "not_found_error", message: "model: m" } }),
      1,
      'Cannot complete the prompt with Anthropic "m" at "HOST": the response was 404: model: m; check modelName and the address',
    ],
    [
      "GoogleGemini",
      json(429, { error: { code: 429, message: "Resource exhausted", status: "RESOURCE_EXHAUSTED" } }, {
        "Retry-After": "0",
      }),
      5,
      'Cannot complete the prompt with Gemini "m" at "HOST": the response was 429: Resource exhausted; ' +
      "the limit of requests or the quota is used up; try later, or raise it at the provider",
    ],
    [
      "Anthropic",
      json(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, {
        "Retry-After": "0",
      }),
      5,
      'Cannot complete the prompt with Anthropic "m" at "HOST": the response was 529: Overloaded; the provider has a problem; try later',
    ],
    [
      "MistralAI",
      json(422, { detail: [{ msg: "Input should be greater than 0" }] }),
      1,
      'Cannot complete the prompt with Mistral "m" at "HOST": the response was 422: Input should be greater than 0',
    ],
    [
      "GoogleGemini",
      json(200, { promptFeedback: { blockReason: "SAFETY" } }),
      1,
      'Cannot complete the prompt with Gemini "m": it was refused: SAFETY',
    ],
  ];

for (const [provider, response, tries, expected] of REFUSALS) {
  Deno.test(`${provider}: ${expected}`, async () => {
    const api = apiOf(provider);
    await using stub = modelStub(api, Array.from({ length: 6 }, response));
    const error = await assertRejects(() => chat(api, stub), Error);
    assertEquals(error.message.replace(new URL(api.origin).host, "HOST"), expected);
    assertEquals(stub.requests.length, tries);
  });
}

/** A reply that is cut or refused: what the output and the log say. */
const ENDS: readonly (readonly [provider: string, reply: JsonObject, reason: string, log: RegExp])[] = [
  [
    "OpenAI",
    { choices: [{ message: { content: "ab" }, finish_reason: "length" }] },
    "LENGTH",
    /raise maxToken/,
  ],
  [
    "OpenAI",
    { choices: [{ message: { refusal: "I cannot" }, finish_reason: "stop" }] },
    "CONTENT_FILTER",
    /refused/,
  ],
  ["Anthropic", { content: [], stop_reason: "refusal", usage: {} }, "CONTENT_FILTER", /refused/],
  ["GoogleGemini", { candidates: [{ finishReason: "MAX_TOKENS" }] }, "LENGTH", /raise maxToken/],
];

for (const [provider, reply, reason, log] of ENDS) {
  Deno.test(`${provider}: a reply that ends with ${reason} is a success with a warning`, async () => {
    const api = apiOf(provider);
    await using stub = modelStub(api, [Response.json(reply)]);
    const { outputs, logs } = await chat(api, stub);
    assertEquals(outputs.finishReason, reason);
    assertMatch(logs.join("\n"), log);
  });
}

/** A provider whose address or key has a form of its own: properties, path with query, and headers. */
const PLACES: readonly (readonly [
  provider: string,
  properties: (url: string) => JsonObject,
  path: string,
  headers: JsonObject,
])[] = [
  [
    "AzureOpenAI",
    (url) => ({ endpoint: `${url}/`, apiKey: "k" }),
    "/openai/deployments/m/chat/completions?api-version=2024-10-21",
    {
      "api-key": "k",
    },
  ],
  ["Ollama", (url) => ({ endpoint: url }), "/v1/chat/completions", {}],
  ["LocalAI", (url) => ({ baseUrl: `${url}/v1` }), "/v1/chat/completions", {}],
  ["OpenAI", (url) => ({ baseUrl: `${url}/proxy`, apiKey: "k" }), "/proxy/chat/completions", {
    authorization: "Bearer k",
  }],
  ["GitHubModels", (url) => ({ gitHubToken: "t", baseUrl: url }), "/chat/completions", {
    authorization: "Bearer t",
  }],
  ["WorkersAI", (url) => ({ accountId: "a", apiKey: "k", baseUrl: `${url}/a` }), "/a/chat/completions", {
    authorization: "Bearer k",
  }],
];

for (const [provider, properties, path, headers] of PLACES) {
  Deno.test(`${provider}: the request goes to ${path}`, async () => {
    await using stub = new ApiStub(() => apiOf("OpenAI").reply({ text: "ok" }));
    await runDefinition(aiAgent, {
      provider: { type: `ai.provider.${provider}`, modelName: "m", ...properties(stub.url) },
      prompt: "hi",
    });
    const [request] = stub.requests;
    assertEquals(request?.url.replace(stub.url, ""), path);
    const sent = { authorization: request?.headers.authorization, "api-key": request?.headers["api-key"] };
    assertEquals(sent, { authorization: undefined, "api-key": undefined, ...headers });
  });
}

Deno.test("a provider is asked with the certificates of its properties", async () => {
  const seen: string[] = [];
  const server = createServer(
    { cert: SELF_SIGNED_CERT, key: SELF_SIGNED_KEY, ca: SELF_SIGNED_CERT, requestCert: true },
    (request, response) => {
      seen.push(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN));
      response.end(JSON.stringify(apiOf("OpenAI").reply({ text: "ok" })));
    },
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.address() as { port: number };
  const run = (certificates: JsonObject) =>
    runDefinition(aiAgent, {
      provider: {
        type: "ai.provider.OpenAI",
        modelName: "m",
        apiKey: "k",
        baseUrl: `https://localhost:${port}`,
        ...certificates,
      },
      prompt: "hi",
    });
  try {
    const clientPem = `${SELF_SIGNED_CERT}\n${SELF_SIGNED_KEY}`;
    await run({ caPem: SELF_SIGNED_CERT, clientPem });
    assertEquals(seen, ["localhost"]);
    const refusals: readonly (readonly [JsonObject, RegExp])[] = [
      [{}, /certificate/],
      [{ clientPem }, /certificate/],
      [
        { caPem: SELF_SIGNED_CERT, clientPem: SELF_SIGNED_CERT },
        /Invalid clientPem: it must have a certificate and its key, PEM/,
      ],
    ];
    for (const [certificates, error] of refusals) {
      const { message } = await assertRejects(() => run(certificates), Error);
      assertMatch(message, error);
      assertEquals(message.includes("BEGIN"), false);
    }
    assertEquals(seen, ["localhost"]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

Deno.test("Classification gives the class without white space", async () => {
  const api = apiOf("GoogleGemini");
  await using stub = modelStub(api, [{ text: " positive\n" }]);
  const properties = { provider: providerOf(api), prompt: "great", classes: ["positive", "negative"] };
  const { outputs } = await runDefinition(classification, properties, {
    origins: { [api.origin]: stub.url },
  });
  assertEquals([outputs.classification, outputs.finishReason], ["positive", "STOP"]);
  assertMatch(JSON.stringify(bodiesOf(stub)[0]?.systemInstruction), /positive, negative/);
});

Deno.test("JSONStructuredExtraction requests a schema of texts", async () => {
  const api = apiOf("OpenAI");
  await using stub = modelStub(api, [{ text: '{"name":"Ada"}' }]);
  const properties = {
    provider: providerOf(api),
    prompt: "Ada",
    schemaName: "A person",
    jsonFields: ["name"],
  };
  const { outputs } = await runDefinition(jsonExtraction, properties, {
    origins: { [api.origin]: stub.url },
  });
  assertEquals([outputs.schemaName, outputs.extractedJson], ["A person", '{"name":"Ada"}']);
  const { json_schema } = bodiesOf(stub)[0]?.response_format as JsonObject;
  assertEquals(json_schema, {
    name: "A_person",
    schema: {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
      additionalProperties: false,
    },
  });
});

/** A provider, its response, and the output with the content of the stored file. */
const GENERATED:
  readonly (readonly [provider: string, model: string, path: string, reply: JsonObject, text?: string])[] = [
    ["OpenAI", "dall-e-3", "/v1/images/generations", { data: [{ url: "https://images.example.com/1" }] }],
    ["OpenAI", "gpt-image-1", "/v1/images/generations", { data: [{ b64_json: btoa("image") }] }, "image"],
    ["GoogleGemini", "imagen-4", "/v1beta/models/imagen-4:predict", {
      predictions: [{ bytesBase64Encoded: btoa("image"), mimeType: "image/png" }],
    }, "image"],
    ["GoogleGemini", "gemini-image", "/v1beta/models/gemini-image:generateContent", {
      candidates: [{
        content: {
          parts: [{ text: "Here" }, { inlineData: { data: btoa("image"), mimeType: "image/jpeg" } }],
        },
      }],
    }, "image"],
  ];

for (const [provider, modelName, path, reply, text] of GENERATED) {
  Deno.test(`${provider}: an image of "${modelName}" is an address, or a stored file`, async () => {
    const { origin, header: [name, value] } = apiOf(provider);
    await using stub = new ApiStub((request) =>
      request.path === path && request.headers[name] === value ? reply : undefined
    );
    const properties = { provider: providerOf(apiOf(provider), { modelName }), prompt: "a lamp" };
    const { outputs, files } = await runDefinition(imageGeneration, properties, {
      origins: { [origin]: stub.url },
    });
    if (text === undefined) assertEquals(outputs, { imageUrl: "https://images.example.com/1" });
    else assertEquals(files.get(String(outputs.imageUrl)), text);
  });
}

Deno.test("a stop of the attempt ends the wait for a reply", async () => {
  const api = apiOf("OpenAI");
  const stop = new AbortController();
  const held = Promise.withResolvers<Response>();
  await using stub = new ApiStub(() => {
    stop.abort(new Error("killed"));
    return held.promise;
  });
  const run = runDefinition(aiAgent, { provider: providerOf(api), prompt: "hi" }, {
    origins: { [api.origin]: stub.url },
    signal: stop.signal,
  });
  await assertRejects(() => run, Error);
  held.resolve(new Response(""));
});

Deno.test("a part of another family, which an expression gave, is refused", async () => {
  const said: Said[] = [];
  await using stub = modelStub(apiOf("OpenAI"), said);
  const provider = JSON.stringify({ type: "io.kestra.plugin.ai.tool.KestraFlow" });
  await assertRejects(
    () => runDefinition(aiAgent, { provider, prompt: stub.url }),
    Error,
    'Invalid provider: it must have a type of ai.provider, but its type is "io.kestra.plugin.ai.tool.KestraFlow"',
  );
});
