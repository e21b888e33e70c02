/** Requests as data and as bytes; nothing in them needs to be valid HTTP. */
import { Buffer } from "node:buffer";
import { joinBytes } from "../../../src/base/bytes.ts";

/** A header of a request as sent. */
export type HeaderLine = readonly [name: string, value: string];

/** A request that the fuzzer sends. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query as sent; characters beyond ASCII become raw UTF-8. */
  readonly target: string;
  readonly headers: readonly HeaderLine[];
  /** Absent: no body and no length. */
  readonly body?: Uint8Array<ArrayBuffer>;
  /** The body is sent in chunks, without a declared length. */
  readonly isChunked?: boolean;
  /** The whole message, instead of all of the above: bytes that need not be HTTP. */
  readonly raw?: Uint8Array<ArrayBuffer>;
}

/** A request as JSON. */
export interface StoredRequest extends Omit<FuzzRequest, "body" | "raw"> {
  /** Base64. */
  readonly body?: string;
  readonly raw?: string;
}

const encoder = new TextEncoder();
const FIRST_CHUNK = 7;

/** The bytes of a request. */
export function messageOf(request: FuzzRequest): Uint8Array<ArrayBuffer> {
  if (request.raw) return request.raw;
  const { body } = request;
  const lines = request.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const framing = body === undefined
    ? ""
    : request.isChunked
    ? "transfer-encoding: chunked\r\n"
    : `content-length: ${body.length}\r\n`;
  const head = encoder.encode(`${request.method} ${request.target} HTTP/1.1\r\n${lines}${framing}\r\n`);
  if (body === undefined) return head;
  return joinBytes(request.isChunked ? [head, ...chunksOf(body)] : [head, body]);
}

/** A first small chunk, then the rest. */
function chunksOf(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const parts = [body.subarray(0, FIRST_CHUNK), body.subarray(FIRST_CHUNK)].filter(({ length }) =>
    length > 0
  );
  const chunks = parts.flatMap((part) => [
    encoder.encode(`${part.length.toString(16)}\r\n`),
    part,
    encoder.encode("\r\n"),
  ]);
  return [...chunks, encoder.encode("0\r\n\r\n")];
}

/** The request as JSON. */
export function storedRequest({ body, raw, ...rest }: FuzzRequest): StoredRequest {
  return {
    ...rest,
    ...(body && { body: Buffer.from(body).toString("base64") }),
    ...(raw && { raw: Buffer.from(raw).toString("base64") }),
  };
}

/** The request of a JSON value. */
export function readRequest({ body, raw, ...rest }: StoredRequest): FuzzRequest {
  return {
    ...rest,
    ...(body !== undefined && { body: new Uint8Array(Buffer.from(body, "base64")) }),
    ...(raw !== undefined && { raw: new Uint8Array(Buffer.from(raw, "base64")) }),
  };
}

/** The value of the first header of that name. */
export function headerOf({ headers }: FuzzRequest, name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1];
}
