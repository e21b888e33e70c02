/** Sends the requests of defined tasks by the client of the server. */
import { headerOf, type HttpBody, type HttpClientPort, HttpError } from "../../model/ports/http.ts";
import { isContentType } from "../../model/http/http_request.ts";
import type { TaskRequest, TaskResponse } from "../../model/tasks/task_definition.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;

/** The response, whatever its status. @throws Error no response; the URL of a webhook is a credential, so only its host is named */
export async function sendRequest(
  request: TaskRequest,
  { http, signal }: { readonly http: HttpClientPort; readonly signal: AbortSignal },
): Promise<TaskResponse> {
  const { url, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES } = request;
  const body = bodyOf(request);
  const method = (request.method ?? (body ? "POST" : "GET")).toUpperCase();
  const headers = Object.entries(request.headers ?? {});
  const host = hostOf(url);
  try {
    const response = await http.send({
      method,
      uri: url,
      headers,
      body,
      options: {
        connectTimeoutMs: timeoutMs,
        readIdleTimeoutMs: timeoutMs,
        isInsecure: false,
        followRedirects: true,
        maxBytes,
      },
      signal,
    });
    const bytes = new Uint8Array(await new Response(response.body).arrayBuffer());
    const charset = /charset="?([\w-]+)/i.exec(headerOf(response.headers, "content-type") ?? "")?.[1];
    return {
      status: response.code,
      headers: headersOf(response.headers),
      bytes,
      text: decode(bytes, charset),
    };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const reason = error.message.replace(/^Cannot \S+ ".*?": /s, "");
    throw new Error(`Cannot ${method} to "${host}": ${reason}`);
  }
}

function hostOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed.host;
  throw new Error("Cannot send a request: the URL must begin with http:// or https://");
}

function bodyOf({ body, json, headers = {} }: TaskRequest): HttpBody | undefined {
  if (body === undefined && json === undefined) return undefined;
  const named = Object.entries(headers).find(isContentType)?.[1];
  const text = json === undefined ? body : JSON.stringify(json);
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text ?? new Uint8Array();
  const contentType = named ?? (json === undefined ? "text/plain; charset=utf-8" : "application/json");
  return {
    contentType,
    size: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}

function headersOf(headers: ReadonlyMap<string, readonly string[]>): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, values]) => [name.toLowerCase(), values.join(", ")]));
}

function decode(bytes: Uint8Array, charset = "utf-8"): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder().decode(bytes); // Unknown character set.
    throw error;
  }
}
