/** Requests and responses of `node:http` in the form of the Fetch API. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";

/** Headers of the connection, not of the request: nothing is upgraded. */
const DROPPED: ReadonlySet<string> = new Set(["connection", "upgrade", "http2-settings", "keep-alive"]);

/** Methods that the Fetch API has no requests for. */
const FORBIDDEN: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/** The request; its signal is aborted when the connection breaks before the response is sent. A text says why it is malformed. */
export function requestOf(message: IncomingMessage, response: ServerResponse): Request | string {
  const { method = "GET", url: target = "/" } = message;
  const { localAddress = "", localPort } = message.socket;
  const local = `${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
  // With an empty host the first segment of the path would become the host.
  const origin = `http://${message.headers.host || local}`;
  const url = target.startsWith("/") ? origin + target : target;
  if (!/^https?:/.test(url) || !URL.canParse(url)) return "Bad Request: the address is malformed\n";
  if (FORBIDDEN.has(method)) return `Bad Request: the method ${method} is not served\n`;
  const abort = new AbortController();
  response.once("close", () => response.writableFinished || abort.abort());
  const headers = headersOf(message);
  const { signal } = abort;
  return new Request(url, { method, headers, signal, body: bodyOf(message, method) });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = "", value = ""] = [rawHeaders[i], rawHeaders[i + 1]];
    if (!DROPPED.has(name.toLowerCase())) headers.append(name, value);
  }
  return headers;
}

/** `null` without a body: then a content type need not fit. */
function bodyOf(message: IncomingMessage, method: string): ReadableStream<Uint8Array> | null {
  const { "content-length": length, "transfer-encoding": coding } = message.headers;
  const isEmpty = coding === undefined && (length === undefined || Number(length) === 0);
  if (isEmpty || method === "GET" || method === "HEAD") return null;
  return Readable.toWeb(message) as unknown as ReadableStream<Uint8Array>;
}

/** Sends a response; settles when it was handed to the system. @throws Error its body or the connection failed */
export async function respond(target: ServerResponse, { status, headers, body }: Response): Promise<void> {
  target.statusCode = status;
  for (const [name, value] of headers) {
    if (name === "set-cookie") target.appendHeader(name, value);
    else target.setHeader(name, value);
  }
  if (body === null) return void target.end();
  target.flushHeaders();
  await pipeline(Readable.fromWeb(body as unknown as NodeStream), target);
}
