/** Compresses text responses longer than a packet, for callers that accept gzip. */
import { joinBytes } from "../../base/bytes.ts";

type Chunk = Uint8Array<ArrayBuffer>;
type Body = ReadableStream<Chunk>;

/** Shorter bodies fit into one packet. */
const MIN_BYTES = 1_024;

const TEXT_TYPE =
  /^(?:text\/(?!event-stream)|application\/(?:json|problem\+json|x-ndjson|javascript|manifest\+json|xml|x-yaml|yaml)|image\/svg\+xml)/;

/** True when the caller accepts gzip. */
export function acceptsGzip(request: Request): boolean {
  const accepted = request.headers.get("accept-encoding");
  return accepted !== null && /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/i.test(accepted);
}

/** The response, compressed if it is long text. Only for responses to GET from callers that accept gzip. */
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
  let isComplete = false;
  while (length < MIN_BYTES && !isComplete) {
    const { done, value } = await reader.read();
    isComplete = done;
    if (value) start.push(value);
    length += value?.length ?? 0;
  }
  const headers = new Headers(response.headers);
  headers.append("vary", "accept-encoding");
  const { status, statusText } = response;
  if (isComplete) return new Response(joinBytes(start), { status, statusText, headers });
  headers.set("content-encoding", "gzip");
  headers.delete("content-length");
  const etag = headers.get("etag");
  if (etag?.startsWith('"')) headers.set("etag", `W/${etag}`);
  const zipped = concatenated(start, reader).pipeThrough(new CompressionStream("gzip"));
  return new Response(zipped, { status, statusText, headers });
}

/** The chunks already read, then the rest. */
function concatenated(start: Chunk[], reader: ReadableStreamDefaultReader<Chunk>): Body {
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
