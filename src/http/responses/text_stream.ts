/** Long texts as responses: produced while the client reads them, so that a slow client holds no memory. */
import type { Context } from "hono";
import type { AppEnv } from "../env.ts";
import { streamResponse } from "./attachment.ts";

const JSON_HEADERS: Readonly<Record<string, string>> = { "content-type": "application/json" };
/** Texts up to so many characters are sent as one. */
const MAX_WHOLE_CHARS = 1024 * 1024;

/** 200 with one page of a list, from pieces with the JSON texts of its items. */
export function streamedPageResponse(
  c: Context<AppEnv>,
  pieces: AsyncGenerator<readonly string[]>,
  total: number,
): Promise<Response> {
  return textResponse(c, listText(pieces, { before: '{"results":[', after: `],"total":${total}}` }));
}

/** The text of a list from pieces with the JSON texts of its items. */
export async function* listText(
  pieces: AsyncGenerator<readonly string[]>,
  { before, after }: { readonly before: string; readonly after: string },
): AsyncGenerator<string> {
  let separator = before;
  for await (const piece of pieces) {
    if (piece.length === 0) continue;
    yield separator + piece.join(",");
    separator = ",";
  }
  yield separator === before ? before + after : after;
}

/** 200 with a text of chunks: as one body if it is short, else chunk by chunk, each produced when the client reads it. */
export async function textResponse(
  c: Context<AppEnv>,
  chunks: AsyncGenerator<string>,
  headers = JSON_HEADERS,
): Promise<Response> {
  let text = "";
  while (text.length <= MAX_WHOLE_CHARS) {
    const { done, value } = await chunks.next();
    if (done) return new Response(text, { headers });
    text += value;
  }
  return await streamResponse(c, streamOf(text, chunks), headers);
}

function streamOf(start: string, chunks: AsyncGenerator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let first: string | undefined = start;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = first === undefined ? await chunks.next() : { done: false, value: first };
      first = undefined;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await chunks.return(undefined);
    },
  }, { highWaterMark: 0 });
}
