/** Compression of what is text and longer than a packet, for callers who accept gzip. */

import { joinBytes } from "../../base/bytes.ts";

type Chunk = Uint8Array<ArrayBuffer>;
type Body = ReadableStream<Chunk>;

/** Shorter bodies fit into one packet anyhow. */
const MIN_BYTES = 1_024;

const TEXT_TYPE =
  /^(?:text\/(?!event-stream)|application\/(?:json|problem\+json|x-ndjson|javascript|manifest\+json|xml|x-yaml|yaml)|image\/svg\+xml)/;

/** True when the caller takes gzip. */
export function acceptsGzip(request: Request): boolean {
  const accepted = request.headers.get("accept-encoding");
  return accepted !== null && /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/i.test(accepted);
}

/** The answer, compressed when that pays. Only for answers to GET from callers that accept gzip. */
export function gzipResponse(response: Response): Response | Promise<Response> {
  const { headers, body } = response;
  const isPlainText = TEXT_TYPE.test(headers.get("content-type") ?? "") && !headers.has("content-encoding") &&
    !headers.has("content-range") && !(headers.get("cache-control") ?? "").includes("no-transform");
  if (body === null || !isPlainText) return response;
  const length = headers.get("content-length");
  if (length !== null && Number(length) < MIN_BYTES) return response;
  return compress(response, body);
}

async function compress(response: Response, body: Body): Promise<Response> {
  const reader = body.getReader();
  const start: Chunk[] = [];
  let length = 0;
  let isWhole = false;
  while (length < MIN_BYTES && !isWhole) {
    const { done, value } = await reader.read();
    isWhole = done;
    if (value) start.push(value);
    length += value?.length ?? 0;
  }
  const headers = new Headers(response.headers);
  headers.append("vary", "accept-encoding");
  const { status, statusText } = response;
  if (isWhole) return new Response(joinBytes(start), { status, statusText, headers });
  headers.set("content-encoding", "gzip");
  headers.delete("content-length");
  const etag = headers.get("etag");
  if (etag?.startsWith('"')) headers.set("etag", `W/${etag}`);
  const zipped = joined(start, reader).pipeThrough(new CompressionStream("gzip"));
  return new Response(zipped, { status, statusText, headers });
}

/** What was read already, and the rest. */
function joined(start: Chunk[], reader: ReadableStreamDefaultReader<Chunk>): Body {
  return new ReadableStream({
    async pull(controller) {
      const first = start.shift();
      if (first) return controller.enqueue(first);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
