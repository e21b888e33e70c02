/** Decodes HTTP responses by their character set. */
import { headerOf, type HttpResponse } from "../ports/http.ts";

/** Bytes of an error response that are read for a message. */
const MAX_FAILED_BYTES = 64 * 1024;
/** Characters of an error response in a message. */
const MAX_SHOWN_CHARS = 200;

/** The whole body. @throws HttpError it ends early or is too large */
export async function responseText(response: HttpResponse, defaultCharset = "UTF-8"): Promise<string> {
  return decoderOf(response, defaultCharset).decode(await new Response(response.body).arrayBuffer());
}

/** The beginning of a body for a message; the rest is cancelled. */
export async function shownResponse(response: HttpResponse, defaultCharset = "UTF-8"): Promise<string> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const bytes of response.body) {
    parts.push(bytes);
    size += bytes.length;
    if (size >= MAX_FAILED_BYTES) break;
  }
  const text = decoderOf(response, defaultCharset).decode(await new Blob(parts).arrayBuffer()).trim();
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}

function decoderOf({ headers }: HttpResponse, fallback: string): TextDecoder {
  const named = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headerOf(headers, "content-type") ?? "")?.[1];
  return decoderNamed(named) ?? decoderNamed(fallback) ?? new TextDecoder();
}

function decoderNamed(charset: string | undefined): TextDecoder | undefined {
  if (charset === undefined) return undefined;
  try {
    return new TextDecoder(charset);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // Unknown character set.
    throw error;
  }
}
