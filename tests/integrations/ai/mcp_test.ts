/** Servers of the Model Context Protocol: both transports, as tools of agents and as tasks. Shapes: modelcontextprotocol.io/specification. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { aiAgent } from "../../../src/integrations/ai/agent_task.ts";
import { callTool, listTools } from "../../../src/integrations/ai/mcp_tasks.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { apiOf, bodiesOf, modelStub, providerOf } from "./model_stub.ts";

const ADD: JsonObject = {
  name: "add",
  description: "Adds",
  inputSchema: { type: "object", properties: { a: { type: "number" } } },
};
const MORE: JsonObject = { name: "fail", description: "Fails", inputSchema: { type: "object" } };

/** The result of a request, as a server gives it. */
function resultOf({ method, params }: JsonObject): JsonObject {
  const given = (params ?? {}) as JsonObject;
  switch (method) {
    case "initialize":
      return {
        protocolVersion: given.protocolVersion ?? null,
        capabilities: { tools: {} },
        serverInfo: { name: "s" },
      };
    case "tools/list":
      return given.cursor === "2" ? { tools: [MORE] } : { tools: [ADD], nextCursor: "2" };
    default:
      return given.name === "fail" ? { content: [{ type: "text", text: "broken" }], isError: true } : {
        content: [{ type: "text", text: JSON.stringify(given.arguments) }],
        structuredContent: { sum: 3 },
      };
  }
}

interface HttpOptions {
  /** Responses are events, with a notification before them. */
  readonly isStreamed: boolean;
}

/** A server with streamable HTTP: a session, and the version of the protocol after its begin. */
function httpServer({ isStreamed }: HttpOptions): ApiStub {
  return new ApiStub(({ method, headers, text }: ApiRequest): ApiReply => {
    if (headers["x-key"] !== "k") return new Response("no key", { status: 401 });
    const isLater = headers["mcp-session-id"] === "s1" && headers["mcp-protocol-version"] === "2025-06-18";
    if (method === "DELETE") return new Response(null, { status: isLater ? 200 : 400 });
    const message: JsonObject = JSON.parse(text);
    if (message.method !== "initialize" && !isLater) return new Response("no session", { status: 400 });
    if (message.id === undefined) return new Response(null, { status: 202 });
    const response = { jsonrpc: "2.0", id: message.id, result: resultOf(message) };
    const session = { "mcp-session-id": "s1" };
    if (!isStreamed) return Response.json(response, { headers: session });
    const events = [{ jsonrpc: "2.0", method: "notifications/message", params: {} }, response];
    const body = events.map((event) => `event: message\ndata: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(body, { headers: { ...session, "content-type": "text/event-stream" } });
  });
}

for (const isStreamed of [false, true]) {
  Deno.test(`the tools of a server are those of an agent, with responses as ${isStreamed ? "events" : "JSON"}`, async () => {
    const api = apiOf("OpenAI");
    await using server = httpServer({ isStreamed });
    await using stub = modelStub(api, [
      { call: "add", given: { a: 1 } },
      { call: "fail", given: {} },
      { text: "done" },
    ]);
    const tools = [{
      type: "io.kestra.plugin.ai.tool.StreamableHttpMcpClient",
      url: `${server.url}/mcp`,
      headers: { "X-Key": "k" },
    }];
    const properties = { provider: providerOf(api), prompt: "hi", tools };
    const { outputs } = await runDefinition(aiAgent, properties, { origins: { [api.origin]: stub.url } });
    const results = (outputs.toolExecutions as JsonObject[]).map((
      { requestName, result },
    ) => [requestName, result]);
    assertEquals(results, [["add", '{"a":1}'], ["fail", "broken"]]);
    assertEquals(api.tools(bodiesOf(stub)[0] ?? {}), ["add", "fail"]);
    assertEquals(server.requests.map(({ method }) => method).slice(-2), ["POST", "DELETE"]);
  });
}

/** A server with the older transport: a GET with events, and messages to the address of its first event. */
class EventServer extends ApiStub {
  constructor(endpoint = "/messages?id=1") {
    let send: (event: string) => void = () => {};
    super(({ method, path, text }): ApiReply => {
      if (method === "GET" && path === "/sse") {
        const body = new ReadableStream({
          start(controller) {
            send = (event) => controller.enqueue(new TextEncoder().encode(event));
            send(`event: endpoint\ndata: ${endpoint}\n\n`);
          },
        });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      }
      const message: JsonObject = JSON.parse(text);
      const response = { jsonrpc: "2.0", id: message.id, result: resultOf(message) };
      if (message.id !== undefined) send(`event: message\ndata: ${JSON.stringify(response)}\n\n`);
      return new Response("Accepted", { status: 202 });
    });
  }
}

Deno.test("ListTools lists the tools of a server with the older transport", async () => {
  await using server = new EventServer();
  const { outputs } = await runDefinition(listTools, { url: `${server.url}/sse`, transport: "SSE" });
  const { inputSchema: parameters, ...add } = ADD;
  assertEquals([outputs.count, (outputs.tools as JsonObject[])[0]], [2, { ...add, parameters }]);
  assertEquals(server.calls.slice(0, 2), ["GET /sse", "POST /messages"]);
});

Deno.test("messages and headers are never sent to another server than that of the events", async () => {
  await using server = new EventServer("https://other.example.com/messages");
  await assertRejects(
    () => runDefinition(listTools, { url: `${server.url}/sse`, transport: "SSE" }),
    Error,
    "its first event names no address of the same server",
  );
});

const CALL = (url: string, tool: string): JsonObject => ({
  url,
  tool,
  headers: { "X-Key": "k" },
  arguments: { a: 1 },
});

Deno.test("CallTool gives the result of the tool", async () => {
  await using server = httpServer({ isStreamed: false });
  const { outputs, metrics } = await runDefinition(callTool, CALL(server.url, "add"));
  assertEquals(outputs, { result: '{"a":1}', structuredContent: { sum: 3 }, isError: false });
  assertEquals(metrics, { "mcp.tool.calls": 1 });
});

Deno.test("an error of the tool ends the task FAILED, or is an output", async () => {
  await using server = httpServer({ isStreamed: false });
  const properties = CALL(server.url, "fail");
  await assertRejects(() => runDefinition(callTool, properties), Error, 'The tool "fail" failed: broken');
  const { outputs } = await runDefinition(callTool, { ...properties, failOnToolError: false });
  assertEquals([outputs.isError, outputs.errorMessage], [true, "broken"]);
});

/** Responses to the first message, and the error. */
const REFUSALS: readonly (readonly [reply: () => ApiReply, error: string])[] = [
  [
    () => new Response("no key", { status: 401 }),
    'Cannot use the MCP server at "HOST": the response was 401: no key',
  ],
  [
    () => ({ jsonrpc: "2.0", id: 1, error: { code: -32_602, message: "Unsupported protocol version" } }),
    'Cannot start a session at "HOST": Unsupported protocol version',
  ],
  [() => new Response("<html>"), 'Cannot start a session at "HOST": the response has no result'],
];

for (const [reply, expected] of REFUSALS) {
  Deno.test(`a server that refuses: ${expected}`, async () => {
    await using server = new ApiStub(reply);
    const error = await assertRejects(() => runDefinition(listTools, { url: server.url }), Error);
    assertEquals(error.message.replace(server.host, "HOST"), expected);
  });
}

for (const type of ["application/json", "text/event-stream"]) {
  Deno.test(`an endless response as ${type} ends the task, not the memory of the server`, async () => {
    const piece = new TextEncoder().encode(" ".repeat(1024 * 1024));
    await using server = new ApiStub(() => {
      const body = new ReadableStream({ pull: (controller) => controller.enqueue(piece) });
      return new Response(body, { headers: { "content-type": type } });
    });
    await assertRejects(() => runDefinition(listTools, { url: server.url }), Error, "its response is larger");
  });
}
