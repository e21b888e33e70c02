/** Content that flows and users decide, which browsers must never show as a page of the server. */
import type { Context } from "hono";
import type { AppEnv } from "../env.ts";
import { watchedStream } from "../streams/watched_stream.ts";

/** Media types that browsers show as they are, without scripts. */
const INERT_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/problem+json",
  "application/x-ndjson",
  "text/plain",
  "text/csv",
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

/** True if a browser may show content of that type; of any other type it must be a download. Of a list browsers take the last type. */
export function isInertType(contentType: string): boolean {
  if (contentType.includes(",")) return false;
  const end = contentType.indexOf(";");
  return INERT_TYPES.has((end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase());
}

/** Headers of a download with that name. */
export function attachmentHeaders(fileName: string): Headers {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  );
  return new Headers({
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    "x-content-type-options": "nosniff",
  });
}

/** A streamed download. HEAD, which runs the GET handler, reads nothing of it. */
export async function streamResponse(
  c: Context<AppEnv>,
  stream: ReadableStream<Uint8Array>,
  headers: Headers | Record<string, string>,
): Promise<Response> {
  if (c.req.raw.method !== "HEAD") return new Response(watchedStream(c.req.raw, stream), { headers });
  await stream.cancel();
  return new Response(null, { headers });
}
