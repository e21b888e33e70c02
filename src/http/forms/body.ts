/** Reading of request bodies, never more than the route allows. */
import type { Context } from "hono";
import { joinBytes } from "../../base/bytes.ts";
import { type JsonValue, parseJson } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import { MAX_JSON_BODY_BYTES } from "../../model/limits.ts";
import type { AppEnv } from "./env.ts";

/** The body as text, empty when there is none. @throws DomainError too_large naming the cap; bad_request when it breaks off */
export async function readText(c: Context<AppEnv>, maxBytes: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(c, maxBytes));
}

/** The body as bytes, empty when there is none. @throws DomainError too_large naming the cap; bad_request when it breaks off */
export async function readBytes(c: Context<AppEnv>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  return await readRequestBytes(c.req.raw, maxBytes);
}

/** As {@link readBytes}, of a request that need not be the one under way. */
export async function readRequestBytes(
  { body, headers }: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const declared = headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of guarded(body)) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return joinBytes(chunks);
}

/** The body as JSON, with number kinds. @throws DomainError invalid_json (an empty body too), too_large, bad_request */
export async function readJson(c: Context<AppEnv>, maxBytes = MAX_JSON_BODY_BYTES): Promise<JsonValue> {
  const value = await readOptionalJson(c, maxBytes);
  if (value === undefined) throw new DomainError("invalid_json", "Invalid json: the body is empty");
  return value;
}

/** As {@link readJson}; `undefined` for an empty body: many clients announce JSON and send nothing. */
export async function readOptionalJson(
  c: Context<AppEnv>,
  maxBytes = MAX_JSON_BODY_BYTES,
): Promise<JsonValue | undefined> {
  const text = await readText(c, maxBytes);
  if (text.trim() === "") return undefined;
  try {
    return parseJson(text);
  } catch (cause) {
    throw new DomainError("invalid_json", `Invalid json: ${(cause as Error).message}`, { cause });
  }
}

/** Refuses a body of another media type than these; none declared is accepted. @throws DomainError unsupported_media_type */
export function requireMediaType(c: Context<AppEnv>, ...types: readonly string[]): void {
  const declared = c.req.raw.headers.get("content-type");
  if (declared === null) return;
  const type = declared.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "" || types.includes(type)) return;
  throw new DomainError(
    "unsupported_media_type",
    `Unsupported Media Type: the body is "${type}", but must be ${types.join(" or ")}`,
  );
}

/** The stream's chunks; a connection that breaks off is the caller's doing, not a bug. */
async function* guarded(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw new DomainError("bad_request", "Bad Request: the body broke off", { cause });
      });
      isDone = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => undefined);
  }
}

function tooLarge(maxBytes: number): DomainError {
  return new DomainError("too_large", `Cannot take the body: it is larger than ${maxBytes} bytes`);
}
