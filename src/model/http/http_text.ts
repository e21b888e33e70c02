/** Texts of HTTP requests and responses in the character sets that their content types name. */
import { ByteCollector } from "../../base/bytes.ts";
import { headerOf, type HttpResponse } from "../ports/http.ts";

/** Bytes of an error response that are read for a message. */
const MAX_FAILED_BYTES = 64 * 1024;
/** Characters of an error response in a message. */
const MAX_SHOWN_CHARS = 200;

const ASCII: ReadonlySet<string> = new Set(["us-ascii", "ascii"]);
/** Encodings of the Encoding Standard with one byte a character. */
const SINGLE_BYTE = /^(?:windows-|iso-8859-|koi8-|ibm866|macintosh|x-mac-)/;
/** What a decoder gives for a byte without a character. */
const UNMAPPED = 0xfffd;

const encoder = new TextEncoder();

/** The whole body. @throws HttpError it ends early or is too large */
export async function responseText(response: HttpResponse, defaultCharset = "UTF-8"): Promise<string> {
  return decoderOf(response, defaultCharset).decode(await new Response(response.body).arrayBuffer());
}

/** The beginning of a body for a message; the rest is cancelled. */
export async function shownResponse(response: HttpResponse, defaultCharset = "UTF-8"): Promise<string> {
  const collected = new ByteCollector();
  for await (const bytes of response.body) {
    collected.add(bytes);
    if (collected.size >= MAX_FAILED_BYTES) break;
  }
  const text = decoderOf(response, defaultCharset).decode(collected.take()).trim();
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}

/** The bytes of the body of a request; UTF-8 if its content type names no character set. @throws Error a character is not in the set */
export function encodedText(text: string, contentType: string): Uint8Array<ArrayBuffer> {
  const charset = charsetOf(contentType);
  const decoder = charset === undefined ? undefined : decoderNamed(charset);
  if (charset === undefined || decoder?.encoding === "utf-8") return encoder.encode(text);
  const known = decoder ? bytesByCode(charset.toLowerCase(), decoder) : new Map<number, number>();
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const byte = known.get(text.charCodeAt(index));
    if (byte === undefined) {
      throw new Error(
        `Cannot send the body as "${charset}": it has characters that are not in it; use UTF-8`,
      );
    }
    bytes[index] = byte;
  }
  return bytes;
}

/** The characters of a set that are one byte each: all, or ASCII of a set with longer ones; none of UTF-16. */
function bytesByCode(charset: string, decoder: TextDecoder): Map<number, number> {
  const isAscii = ASCII.has(charset) || !SINGLE_BYTE.test(decoder.encoding);
  const size = decoder.encoding.startsWith("utf-16") ? 0 : isAscii ? 128 : 256;
  const all = Uint8Array.from({ length: size }, (_, byte) => byte);
  // The standard decodes Latin sets as those of Windows, which have letters in place of control characters.
  const isLatin = decoder.encoding.startsWith("windows") && !/^(?:windows|x-cp|cp)/.test(charset);
  const codes = new Map<number, number>();
  for (const [byte, char] of [...decoder.decode(all)].entries()) {
    const isControl = isLatin && byte >= 0x80 && byte < 0xa0;
    codes.set(isControl ? byte : char.charCodeAt(0), byte);
  }
  codes.delete(UNMAPPED);
  return codes;
}

/** The character set that a content type names. */
function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1];
}

function decoderOf({ headers }: HttpResponse, fallback: string): TextDecoder {
  const named = charsetOf(headerOf(headers, "content-type") ?? "");
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
