/**
 * A client of servers of the Model Context Protocol: JSON-RPC over streamable HTTP, over the older transport with events, or
 * over a transport that the caller gives.
 * Shapes: modelcontextprotocol.io/specification (lifecycle, transports, tools).
 */
import { isJsonObject, type JsonObject, objectsOf, stringifyJson } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import { sseEvents } from "../../../base/network/sse_events.ts";
import type { ServerTaskContext } from "../../../model/tasks/server_task.ts";
import { parsedUrl, refusalOf } from "../../http_calls.ts";
import { objectOf, textIn } from "../models/model_calls.ts";

const VERSION = "2025-06-18";
const ACCEPT = "application/json, text/event-stream";
/** Pages of a list of tools. */
const MAX_PAGES = 100;
/** Longest wait for a server. */
export const DEFAULT_TIMEOUT_MS = 60_000;
/** Largest response; with events, all of a connection. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** Where a server is. */
export interface McpPlace {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest wait for the next bytes of a response. */
  readonly timeoutMs?: number;
  /** The older transport, whose responses come as events of one connection. */
  readonly isSse?: boolean;
}

type McpContext = Pick<ServerTaskContext, "httpStream" | "signal">;

/** Carries messages. */
export interface Transport extends AsyncDisposable {
  /** The response to a request; `undefined` for a notification. @throws Error no response */
  send(message: JsonObject): Promise<JsonObject | undefined>;
}

/** A tool of a server. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** A session with a server. */
export class McpClient implements AsyncDisposable {
  readonly #transport: Transport;
  readonly #name: string;
  #lastId = 0;

  private constructor(transport: Transport, name: string) {
    this.#transport = transport;
    this.#name = name;
  }

  /** Begins a session by HTTP. @throws Error with host and words of the server */
  static async connect(context: McpContext, place: McpPlace): Promise<McpClient> {
    const transport = place.isSse
      ? await EventTransport.open(context, place)
      : new HttpTransport(context, place);
    return await McpClient.begin(transport, parsedUrl(place.url).host);
  }

  /** Begins a session; `name`: what errors name. The transport is closed if that fails. @throws Error with the words of the server */
  static async begin(transport: Transport, name: string): Promise<McpClient> {
    const client = new McpClient(transport, name);
    try {
      await client.#call("start a session", "initialize", {
        protocolVersion: VERSION,
        capabilities: {},
        clientInfo: { name: "sluice", version: "1" },
      });
      await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      return client;
    } catch (error) {
      await transport[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** All tools. @throws Error with host and words of the server */
  async tools(): Promise<McpTool[]> {
    const tools: McpTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await this.#call("list tools", "tools/list", cursor === undefined ? {} : { cursor });
      for (const { name, description, inputSchema } of objectsOf(result.tools)) {
        tools.push({
          name: String(name),
          description: textIn(description) ?? "",
          inputSchema: objectOf(inputSchema),
        });
      }
      cursor = textIn(result.nextCursor);
      if (cursor === undefined) return tools;
    }
    throw new Error(`Cannot list tools at "${this.#name}": there are more than ${MAX_PAGES} pages`);
  }

  /** What a tool returns: `content`, and perhaps `structuredContent` and `isError`. @throws Error with host and words of the server */
  async call(name: string, given: JsonObject): Promise<JsonObject> {
    return await this.#call(`call the tool "${name}"`, "tools/call", { name, arguments: given });
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }

  async #call(operation: string, method: string, params: JsonObject): Promise<JsonObject> {
    const id = ++this.#lastId;
    const response = await this.#transport.send({ jsonrpc: "2.0", id, method, params });
    if (response && isJsonObject(response.result)) return response.result;
    const words = textIn(objectOf(response?.error).message) ?? "the response has no result";
    throw new Error(`Cannot ${operation} at "${this.#name}": ${words}`);
  }
}

/** The texts of a result of a tool; other content as JSON. */
export function resultText({ content, structuredContent }: JsonObject): string {
  const texts = objectsOf(content).map((item) =>
    item.type === "text" ? String(item.text) : stringifyJson(item)
  );
  return texts.length === 0 && structuredContent !== undefined
    ? stringifyJson(structuredContent)
    : texts.join("\n");
}

/** Each message is a POST, whose response is JSON, or events with the response among them. */
class HttpTransport implements Transport {
  readonly #context: McpContext;
  readonly #place: McpPlace;
  #session: string | undefined;

  constructor(context: McpContext, place: McpPlace) {
    this.#context = context;
    this.#place = place;
  }

  /** @inheritdoc */
  async send(message: JsonObject): Promise<JsonObject | undefined> {
    const { url, headers, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#place;
    const response = await this.#context.httpStream({
      url,
      json: message,
      timeoutMs,
      headers: { Accept: ACCEPT, ...this.#sessionHeaders(), ...headers },
    });
    this.#session ??= response.headers["mcp-session-id"];
    if (response.status >= 300) throw await refused(url, response);
    if (message.id === undefined) {
      await response.body.cancel();
      return undefined;
    }
    if (response.headers["content-type"]?.includes("text/event-stream")) {
      return await responseAmong(sseEvents(limited(response.body)), message.id);
    }
    const body = await tryParseLongJson(await new Response(limited(response.body)).text());
    return isJsonObject(body) ? body : undefined;
  }

  /** Ends the session; a server without this method may refuse it. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#session === undefined || this.#context.signal.aborted) return;
    const { url, headers } = this.#place;
    const request = {
      url,
      method: "DELETE",
      headers: { ...this.#sessionHeaders(), ...headers },
      timeoutMs: 5_000,
    };
    const response = await this.#context.httpStream(request).catch(() => undefined);
    await response?.body.cancel();
  }

  #sessionHeaders(): Record<string, string> {
    if (this.#session === undefined) return {};
    return { "Mcp-Session-Id": this.#session, "MCP-Protocol-Version": VERSION };
  }
}

/** Responses to all messages are events of one GET; its first event names the address for messages. */
class EventTransport implements Transport {
  readonly #context: McpContext;
  readonly #place: McpPlace;
  readonly #events: ReturnType<typeof sseEvents>;
  readonly #target: string;

  private constructor(
    context: McpContext,
    place: McpPlace,
    { events, target }: { readonly events: ReturnType<typeof sseEvents>; readonly target: string },
  ) {
    this.#context = context;
    this.#place = place;
    this.#events = events;
    this.#target = target;
  }

  static async open(context: McpContext, place: McpPlace): Promise<EventTransport> {
    const { url, headers, timeoutMs = DEFAULT_TIMEOUT_MS } = place;
    const request = { url, timeoutMs, headers: { Accept: "text/event-stream", ...headers } };
    const response = await context.httpStream(request);
    if (response.status !== 200) throw await refused(url, response);
    const events = sseEvents(limited(response.body));
    const { value } = await events.next();
    const target = value?.name === "endpoint" ? URL.parse(value.data, url) : undefined;
    // The headers are sent there, too, so it must be the same server.
    if (target?.origin === new URL(url).origin) {
      return new EventTransport(context, place, { events, target: target.href });
    }
    await events.return(undefined);
    const { host } = new URL(url);
    throw new Error(
      `Cannot start a session at "${host}": its first event names no address of the same server`,
    );
  }

  /** @inheritdoc */
  async send(message: JsonObject): Promise<JsonObject | undefined> {
    const { headers, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#place;
    const response = await this.#context.httpStream({ url: this.#target, json: message, timeoutMs, headers });
    if (response.status >= 300) throw await refused(this.#target, response);
    await response.body.cancel();
    return message.id === undefined ? undefined : await responseAmong(this.#events, message.id);
  }

  /** Closes the connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#events.return(undefined);
  }
}

/** Reads events up to the response to a request. Requests of the server are not served. */
async function responseAmong(
  events: ReturnType<typeof sseEvents>,
  id: unknown,
): Promise<JsonObject | undefined> {
  for (let next = await events.next(); !next.done; next = await events.next()) {
    const message = await tryParseLongJson(next.value.data);
    if (isJsonObject(message) && message.id === id) return message;
  }
  return undefined;
}

async function refused(
  url: string,
  { status, body }: Awaited<ReturnType<McpContext["httpStream"]>>,
): Promise<Error> {
  const words = await new Response(limited(body)).text().catch(() => "");
  return refusalOf({ operation: "use the MCP server", url, status, words });
}

/** The bytes of a body, which ends with an error if it is too large. */
function limited(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes <= MAX_RESPONSE_BYTES) controller.enqueue(chunk);
        else {controller.error(
            new Error(`Cannot use the MCP server: its response is larger than ${MAX_RESPONSE_BYTES} bytes`),
          );}
      },
    }),
  );
}
