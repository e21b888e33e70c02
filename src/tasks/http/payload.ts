/** Request bodies: texts, and multipart forms (RFC 7578) whose files are streamed from the storage. */
import type { HttpPayload, MultipartPart } from "../../model/http/http_request.ts";
import { encodedText } from "../../model/http/http_text.ts";
import type { HttpBody } from "../../model/ports/http.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { isStorageUri } from "../../model/namespaces/storage_uri.ts";

/** A piece of a multipart body. */
interface Piece {
  readonly size: number;
  open(): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
}

const encoder = new TextEncoder();

/** The body of a payload. @throws DomainError, Error a file cannot be read */
export async function payloadBody(
  payload: HttpPayload | undefined,
  context: RunContext,
): Promise<HttpBody | undefined> {
  if (!payload) return undefined;
  if (payload.type === "text") {
    const bytes = encodedText(payload.text, payload.contentType);
    return { contentType: payload.contentType, size: bytes.length, open: () => once(bytes) };
  }
  const boundary = `----sluice-${context.taskRunId}-${context.attemptNumber}`;
  const pieces: Piece[] = [];
  for (const part of payload.parts) {
    pieces.push(textPiece(`--${boundary}\r\n${partHead(part)}\r\n\r\n`));
    pieces.push(await contentPiece(part, context), textPiece("\r\n"));
  }
  pieces.push(textPiece(`--${boundary}--\r\n`));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    size: pieces.reduce((size, piece) => size + piece.size, 0),
    open: () => joined(pieces),
  };
}

function partHead(part: MultipartPart): string {
  const name = `Content-Disposition: form-data; name="${quoted(part.name)}"`;
  if ("text" in part) return `${name}\r\nContent-Type: text/plain; charset=UTF-8`;
  const contentType = part.contentType.replace(/[\r\n]/g, "");
  return `${name}; filename="${quoted(part.fileName)}"\r\nContent-Type: ${contentType}`;
}

/** Percent-encoding as in browsers, since many servers do not support escapes with a backslash. */
function quoted(name: string): string {
  return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}

async function contentPiece(part: MultipartPart, context: RunContext): Promise<Piece> {
  const content = "text" in part ? part.text : part.content;
  if ("text" in part || !isStorageUri(content)) return textPiece(content);
  const { storage } = context.ports;
  const size = await storage.size(context, content);
  if (size === undefined) throw missing(content);
  return {
    size,
    open: async () => {
      const file = await storage.open(context, content);
      if (!file) throw missing(content);
      return file.content;
    },
  };
}

function missing(uri: string): Error {
  return new Error(`Cannot send "${uri}": there is no such file`);
}

function textPiece(text: string): Piece {
  const bytes = encoder.encode(text);
  return { size: bytes.length, open: () => once(bytes) };
}

async function* joined(pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield* await piece.open();
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
