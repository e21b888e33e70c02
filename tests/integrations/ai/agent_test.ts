/** Agents: rounds with tools, retrievers, memory and rules, and the requests that they send. */
import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { aiAgent } from "../../../src/integrations/ai/agent_task.ts";
import { type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { type DefinitionRunOptions, runDefinition } from "../../support/flows/definition_run.ts";
import { apiOf, APIS, bodiesOf, type ModelApi, modelStub, providerOf } from "./model_stub.ts";

const OPENAI = apiOf("OpenAI");

function agent(
  stub: ApiStub,
  further: JsonObject,
  options: DefinitionRunOptions = {},
  api: ModelApi = OPENAI,
) {
  const origins = { [api.origin]: stub.url, ...options.origins };
  return runDefinition(aiAgent, { provider: providerOf(api), prompt: "hi", ...further }, {
    ...options,
    origins,
  });
}

/** Searches of the web, by the key `t`. Shape: docs.tavily.com. */
function tavilyStub(): ApiStub {
  return new ApiStub(({ method, path, headers }) =>
    method === "POST" && path === "/search" && headers.authorization === "Bearer t"
      ? {
        query: "x",
        results: [{ title: "Rain", url: "https://w.example.com", content: "It rains", score: 0.9 }],
      }
      : Response.json({ detail: { error: "Unauthorized: t" } }, { status: 401 })
  );
}

const TAVILY = "https://api.tavily.com";
const SEARCH = { type: "io.kestra.plugin.ai.tool.TavilyWebSearch", apiKey: "t" };

for (const api of APIS) {
  Deno.test(`${api.provider}: a tool that the model calls is called, and its result is sent back`, async () => {
    await using web = tavilyStub();
    await using stub = modelStub(api, [{ call: "searchWeb", given: { query: "weather" } }, {
      text: "It rains",
    }]);
    const { outputs, metrics } = await agent(
      stub,
      { tools: [SEARCH] },
      { origins: { [TAVILY]: web.url } },
      api,
    );
    assertEquals([outputs.textOutput, outputs.finishReason], ["It rains", "STOP"]);
    assertEquals(JSON.parse(web.requests[0]?.text ?? ""), { query: "weather", max_results: 5 });
    const [made = {}] = outputs.toolExecutions as JsonObject[];
    assertEquals([made.requestName, made.requestArguments], ["searchWeb", { query: "weather" }]);
    assertStringIncludes(String(made.result), "https://w.example.com");
    const [earlier = {}] = outputs.intermediateResponses as JsonObject[];
    assertEquals([earlier.finishReason, (earlier.toolExecutionRequests as JsonObject[])[0]?.name], [
      "TOOL_EXECUTION",
      "searchWeb",
    ]);
    assertEquals(outputs.tokenUsage, { inputTokenCount: 20, outputTokenCount: 4, totalTokenCount: 24 });
    assertEquals([metrics["total.token.count"], metrics["ai.agent.tool.calls"]], [24, 1]);
    const [first = {}, second = {}] = bodiesOf(stub);
    assertEquals(api.tools(first), ["searchWeb"]);
    assertStringIncludes(JSON.stringify(second), "It rains");
  });
}

/** A provider, and the messages after a call of a tool. */
const HISTORIES:
  readonly (readonly [provider: string, history: (body: JsonObject) => unknown, expected: unknown])[] = [
    ["OpenAI", ({ messages }) => (messages as JsonObject[]).slice(1), [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "no", arguments: '{"a":1}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: 'There is no tool "no". Tools are: searchWeb' },
    ]],
    ["Anthropic", ({ messages }) => (messages as JsonObject[]).slice(1), [
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "no", input: { a: 1 } }] },
      {
        role: "user",
        content: [{
          type: "tool_result",
          tool_use_id: "c1",
          content: 'There is no tool "no". Tools are: searchWeb',
        }],
      },
    ]],
    ["GoogleGemini", ({ contents }) => (contents as JsonObject[]).slice(1), [
      { role: "model", parts: [{ functionCall: { name: "no", args: { a: 1 } }, thoughtSignature: "sign" }] },
      {
        role: "user",
        parts: [{
          functionResponse: {
            name: "no",
            response: { result: 'There is no tool "no". Tools are: searchWeb' },
          },
        }],
      },
    ]],
  ];

for (const [provider, history, expected] of HISTORIES) {
  Deno.test(`${provider}: a call of an unknown tool gets the list of tools as its result, and signatures are sent back`, async () => {
    const api = apiOf(provider);
    await using stub = modelStub(api, [{ call: "no", given: { a: 1 } }, { text: "ok" }]);
    await agent(stub, { tools: [SEARCH] }, {}, api);
    assertEquals(history(bodiesOf(stub)[1] ?? {}), expected);
  });
}

Deno.test("an agent that calls tools in too many rounds fails", async () => {
  const call = { call: "no", given: {} };
  await using stub = modelStub(OPENAI, [call, call, call, call]);
  const run = agent(stub, { tools: [SEARCH], maxSequentialToolsInvocations: 2 });
  await assertRejects(() => run, Error, "more than 2 rounds; see maxSequentialToolsInvocations");
  assertEquals(stub.requests.length, 3);
});

Deno.test("a refused search fails the task without its key", async () => {
  await using web = tavilyStub();
  await using stub = modelStub(OPENAI, [{ call: "searchWeb", given: { query: "a" } }]);
  const tools = [{ ...SEARCH, apiKey: "secret-key" }];
  const error = await assertRejects(() => agent(stub, { tools }, { origins: { [TAVILY]: web.url } }), Error);
  assertMatch(error.message, /^Cannot search the web at "api\.tavily\.com": the response was 401: /);
  assertEquals(error.message.includes("secret-key"), false);
});

Deno.test("two tools of one name are refused", async () => {
  await using stub = modelStub(OPENAI, []);
  await assertRejects(
    () => agent(stub, { tools: [SEARCH, SEARCH] }),
    Error,
    'There are two tools "searchWeb"',
  );
});

const GOOGLE_RESULT = { items: [{ title: "Rain", link: "https://w.example.com", snippet: "It rains" }] };

/** Retrievers, and the stub of their service. */
const RETRIEVERS: readonly (readonly [retriever: JsonObject, origin: string, stub: () => ApiStub])[] = [
  [{ type: "io.kestra.plugin.ai.retriever.TavilyWebSearch", apiKey: "t" }, TAVILY, tavilyStub],
  [
    { type: "io.kestra.plugin.ai.retriever.GoogleCustomWebSearch", apiKey: "g", csi: "c", maxResults: 2 },
    "https://www.googleapis.com",
    () =>
      new ApiStub(({ path, query, headers }) => {
        const isFine = path === "/customsearch/v1" && headers["x-goog-api-key"] === "g" && query.cx === "c" &&
          query.q === "hi" && query.num === "2";
        return isFine ? GOOGLE_RESULT : undefined;
      }),
  ],
];

for (const [retriever, origin, service] of RETRIEVERS) {
  Deno.test(`what ${retriever.type} finds is added to the prompt and to the outputs`, async () => {
    await using web = service();
    await using stub = modelStub(OPENAI, [{ text: "ok" }]);
    const { outputs } = await agent(stub, { contentRetrievers: [retriever] }, {
      origins: { [origin]: web.url },
    });
    assertEquals(outputs.sources, [{
      content: "Rain\nIt rains",
      metadata: { url: "https://w.example.com" },
    }]);
    const [{ messages } = {}] = bodiesOf(stub);
    assertEquals(messages, [{
      role: "user",
      content: "hi\n\nAnswer with this information:\nRain\nIt rains",
    }]);
  });
}

const MEMORY = { type: "io.kestra.plugin.ai.memory.KestraKVStore", memoryId: "chat" };

Deno.test("a memory has the messages of earlier executions, in the form of other servers", async () => {
  const kvPairs = new Map<string, string>();
  await using stub = modelStub(OPENAI, [{ text: "hello" }, { text: "again" }]);
  await agent(stub, { memory: MEMORY }, { kvPairs });
  assertEquals(JSON.parse(kvPairs.get("chat") ?? ""), [
    { contents: [{ text: "hi", type: "TEXT" }], type: "USER" },
    { text: "hello", type: "AI" },
  ]);
  await agent(stub, { memory: { ...MEMORY, messages: 2 }, prompt: "more" }, { kvPairs });
  assertEquals(bodiesOf(stub)[1]?.messages, [
    { role: "user", content: "hi" },
    { role: "assistant", content: "hello" },
    { role: "user", content: "more" },
  ]);
  assertEquals(JSON.parse(kvPairs.get("chat") ?? "").length, 2);
});

/** When a memory is dropped: what the model gets of it, and what is left. */
const DROPS: readonly (readonly [drop: string, sent: number, isLeft: boolean])[] = [
  ["BEFORE_TASKRUN", 1, true],
  ["AFTER_TASKRUN", 3, false],
];

for (const [drop, sent, isLeft] of DROPS) {
  Deno.test(`a memory with drop ${drop}`, async () => {
    const kvPairs = new Map([["chat", '[{"text":"a","type":"USER"},{"text":"b","type":"AI"}]']]);
    await using stub = modelStub(OPENAI, [{ text: "ok" }]);
    await agent(stub, { memory: { ...MEMORY, drop } }, { kvPairs });
    assertEquals([(bodiesOf(stub)[0]?.messages as JsonObject[]).length, kvPairs.has("chat")], [sent, isLeft]);
  });
}

/** Rules, the number of requests, and the message of the output. */
const RULES: readonly (readonly [guardrails: JsonObject, requests: number, message: string | undefined])[] = [
  [
    { input: [{ expression: "{{ (message | length) > 5 }}", message: "Too short" }] },
    0,
    "Input guardrail: Too short",
  ],
  [
    { output: [{ expression: "{{ not (response contains 'SECRET') }}", message: "Secret" }] },
    1,
    "Output guardrail: Secret",
  ],
  [
    { output: [{ expression: "{{ finishReason == 'STOP' and outputTokenCount == 2 }}", message: "No" }] },
    1,
    undefined,
  ],
];

for (const [guardrails, requests, message] of RULES) {
  Deno.test(`guardrails ${JSON.stringify(guardrails)}`, async () => {
    await using stub = modelStub(OPENAI, [{ text: "a SECRET" }]);
    const { outputs } = await agent(stub, { guardrails });
    assertEquals([stub.requests.length, outputs.guardrailViolated, outputs.guardrailViolationMessage], [
      requests,
      message !== undefined,
      message,
    ]);
    assertEquals(outputs.textOutput === undefined, message !== undefined);
  });
}

Deno.test("an agent is a tool of another one", async () => {
  await using stub = modelStub(OPENAI, [
    { call: "kestra_agent_tool", given: { prompt: "compute" } },
    { text: "42" },
    { text: "it is 42" },
  ]);
  const tool = {
    type: "io.kestra.plugin.ai.tool.AIAgent",
    description: "Computes",
    provider: providerOf(OPENAI),
  };
  const { outputs } = await agent(stub, { tools: [tool] });
  assertEquals([outputs.textOutput, (outputs.toolExecutions as JsonObject[])[0]?.result], ["it is 42", "42"]);
  assertEquals(bodiesOf(stub)[1]?.messages, [{ role: "user", content: "compute" }]);
});

/** A server of this language with one flow. Shapes: those of our own API. */
function flowStub(): ApiStub {
  return new ApiStub(({ method, path, headers }: ApiRequest) => {
    if (headers.authorization !== "Bearer api") return new Response("", { status: 401 });
    if (method === "GET" && path === "/api/v1/main/flows/a.b/greet") {
      return {
        id: "greet",
        namespace: "a.b",
        description: "Greets",
        inputs: [{ id: "name", type: "STRING" }],
      };
    }
    return method === "POST" && path === "/api/v1/main/executions/a.b/greet"
      ? { id: "e9", state: { current: "CREATED" } }
      : undefined;
  });
}

Deno.test("KestraFlow starts a flow with inputs and labels", async () => {
  await using flows = flowStub();
  const given = { inputs: [{ id: "name", value: "Ada" }] };
  await using stub = modelStub(OPENAI, [{ call: "kestra_flow_a_b_greet", given }, { text: "ok" }]);
  const tool = {
    type: "io.kestra.plugin.ai.tool.KestraFlow",
    namespace: "a.b",
    flowId: "greet",
    kestraUrl: flows.url,
    auth: { apiToken: "api" },
    inputs: { city: "Lyon" },
    labels: [{ key: "by", value: "agent" }],
  };
  const { outputs } = await agent(stub, { tools: [tool] });
  assertEquals(JSON.parse(String((outputs.toolExecutions as JsonObject[])[0]?.result)), {
    id: "e9",
    namespace: "a.b",
    flowId: "greet",
    state: "CREATED",
  });
  const [, start] = flows.requests;
  assertEquals(start?.query, { labels: "by:agent" });
  for (const part of ['name="city"\r\n\r\nLyon', 'name="name"\r\n\r\nAda']) {
    assertStringIncludes(start?.text ?? "", part);
  }
  assertMatch(JSON.stringify(bodiesOf(stub)[0]?.tools), /Greets\\nInputs:\\n- name: STRING, required/);
});

/** Tools that cannot be opened, and the error. */
const BAD_FLOWS: readonly (readonly [tool: JsonObject, error: string])[] = [
  [{ namespace: "a.b", flowId: "greet" }, "The tool KestraFlow needs kestraUrl"],
  [{ namespace: "a.b" }, "must have both namespace and flowId, or neither"],
];

for (const [tool, error] of BAD_FLOWS) {
  Deno.test(`KestraFlow: ${error}`, async () => {
    await using stub = modelStub(OPENAI, []);
    const run = agent(stub, { tools: [{ type: "io.kestra.plugin.ai.tool.KestraFlow", ...tool }] });
    await assertRejects(() => run, Error, error);
  });
}
