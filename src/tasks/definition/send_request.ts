/** Sends the requests of defined types by the client of the server. */
import { ByteCollector, releaseBytes } from "../../base/bytes.ts";
import { systemClock } from "../../base/time/clock.ts";
import {
  headerOf,
  type HttpBody,
  type HttpClientPort,
  HttpError,
  type HttpResponse,
} from "../../model/ports/http.ts";
import { isContentType } from "../../model/http/http_request.ts";
import type { FilePart, OpenedFile } from "../../model/ports/storage.ts";
import { isStorageUri } from "../../model/namespaces/storage_uri.ts";
import type { StreamedResponse } from "../../model/tasks/server_task.ts";
import type { ConnectAddress, TaskRequest, TaskResponse } from "../../model/tasks/task_definition.ts";
import { writeLocalFile } from "../local_files.ts";
import { openOwnFile } from "./own_files.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
/** Longest time that a request takes after a stop. */
const LAST_REQUEST_MS = 5_000;
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;

/** What sends the requests of an attempt. */
export interface Sender {
  readonly http: HttpClientPort;
  readonly signal: AbortSignal;
  /** The directory of the attempt. */
  readonly directory: () => Promise<string>;
  /** Bytes of the largest file that is written there; default is any. */
  readonly maxFileBytes?: number;
  /** Opens a stored file; `undefined` if it does not exist. Absent: there are none here. */
  readonly openStored?: (uri: string, part?: FilePart) => Promise<OpenedFile | undefined>;
}

/** The response, whatever its status. @throws Error no response; the URL of a webhook is a credential, so only its host is named */
export async function sendRequest(request: TaskRequest, sender: Sender): Promise<TaskResponse> {
  return await exchange(request, sender, (response) => received(response, request, sender));
}

/** As {@link sendRequest}, but a stop of the work does not stop it. */
export async function sendLastRequest(
  request: TaskRequest,
  sender: Omit<Sender, "signal">,
): Promise<TaskResponse> {
  const late = new AbortController();
  const cancel = systemClock.setTimer(LAST_REQUEST_MS, () => late.abort());
  try {
    return await sendRequest(request, { ...sender, signal: late.signal });
  } finally {
    cancel();
  }
}

/** The response, whatever its status, with a body that arrives later. @throws Error no response, as {@link sendRequest} */
export async function streamRequest(request: TaskRequest, sender: Sender): Promise<StreamedResponse> {
  return await exchange(request, sender, ({ code, headers, body }) => ({
    status: code,
    headers: headersOf(headers),
    body,
  }));
}

async function exchange<T>(
  request: TaskRequest,
  sender: Sender,
  read: (response: HttpResponse) => T | Promise<T>,
): Promise<T> {
  const { url, timeoutMs = DEFAULT_TIMEOUT_MS, tls: { isInsecure = false, ...tls } = {} } = request;
  // Another host must not get the certificate of the client.
  const followRedirects = request.tls === undefined && (request.followRedirects ?? true);
  const body = await bodyOf(request, sender);
  const method = (request.method ?? (body ? "POST" : "GET")).toUpperCase();
  const headers = Object.entries(request.headers ?? {});
  const host = hostOf(url);
  try {
    const response = await sender.http.send({
      method,
      uri: url,
      headers,
      body,
      options: {
        connectTimeoutMs: timeoutMs,
        readIdleTimeoutMs: timeoutMs,
        isInsecure,
        tls,
        followRedirects,
      },
      signal: sender.signal,
    });
    return await read(response);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const reason = error.message.replace(/^Cannot \S+ ".*?": /s, "");
    throw new Error(`Cannot ${method} to "${host}": ${reason}`);
  }
}

/** A checked address of a host. @throws Error as {@link HttpClientPort.addressOf}; it names the host */
export async function connectAddress(
  host: string,
  port: number,
  { http, signal }: Pick<Sender, "http" | "signal">,
): Promise<ConnectAddress> {
  try {
    return { hostname: await http.addressOf({ host, port }, signal), port };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    throw new Error(`Cannot connect to "${host}:${port}": ${error.message}`);
  }
}

async function received(
  response: HttpResponse,
  { saveTo, maxBytes = DEFAULT_MAX_BYTES }: TaskRequest,
  { directory, maxFileBytes = Infinity }: Sender,
): Promise<TaskResponse> {
  const { code: status } = response;
  const headers = headersOf(response.headers);
  if (saveTo !== undefined && status >= 200 && status < 300) {
    const folder = await directory();
    const path = `${folder}/${await writeLocalFile(folder, saveTo, response.body, maxFileBytes)}`;
    return { status, headers, bytes: new Uint8Array(), text: "", path, size: (await Deno.stat(path)).size };
  }
  const bytes = await readLimited(response.body, maxBytes);
  const charset = /charset="?([\w-]+)/i.exec(headerOf(response.headers, "content-type") ?? "")?.[1];
  return { status, headers, bytes, text: decode(bytes, charset) };
}

async function readLimited(body: HttpResponse["body"], maxBytes: number): Promise<Uint8Array> {
  const collected = new ByteCollector();
  for await (const part of body) {
    if (collected.size + part.length > maxBytes) {
      throw new HttpError(`the response is larger than ${maxBytes} bytes`);
    }
    collected.add(part);
  }
  return collected.take();
}

function hostOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed.host;
  throw new Error("Cannot send a request: the URL must begin with http:// or https://");
}

async function bodyOf(
  { body, bodyFile, bodyPart, json, headers = {} }: TaskRequest,
  sender: Sender,
): Promise<HttpBody | undefined> {
  const named = Object.entries(headers).find(isContentType)?.[1];
  if (bodyFile !== undefined) {
    const file = isStorageUri(bodyFile)
      ? await storedFile(bodyFile, bodyPart, sender)
      : await openOwnFile(bodyFile, await sender.directory(), bodyPart);
    return { contentType: named ?? "application/octet-stream", ...file };
  }
  if (body === undefined && json === undefined) return undefined;
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

/** A stored file, which is opened anew each time. @throws Error it does not exist */
async function storedFile(
  uri: string,
  part: FilePart | undefined,
  { openStored }: Sender,
): Promise<Pick<HttpBody, "size" | "open">> {
  const opened = async () => {
    const file = await openStored?.(uri, part);
    if (file) return file;
    throw new Error(`Cannot read "${uri}": there is no such file`);
  };
  const { size, content } = await opened();
  await content.cancel();
  return {
    size,
    async *open() {
      for await (const piece of (await opened()).content) {
        yield piece;
        releaseBytes(piece);
      }
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
