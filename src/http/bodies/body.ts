/** Reads request bodies, within the size that the route allows. */
import type { Context } from "hono";
import { joinBytes } from "../../base/bytes.ts";
import { type JsonValue, parseJson } from "../../base/json.ts";
import { isNestedDeeper, MAX_DEPTH } from "../../base/json_text.ts";
import { DomainError } from "../../model/errors.ts";
import { MAX_JSON_BODY_BYTES } from "../../model/limits.ts";
import { readChunks } from "./body_reader.ts";
import { checkCaller } from "../caller_check.ts";
import type { AppEnv } from "../env.ts";
import { HeldBody } from "./held_bytes.ts";

/** The body as text, empty without a body. @throws DomainError as {@link readBytes} */
export async function readText(c: Context<AppEnv>, maxBytes: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(c, maxBytes));
}

/**
 * The body as bytes, empty without a body.
 * @throws DomainError too_large with the limit; bad_request: the body broke off; request_timeout; unauthorized: the caller lost
 * its rights while the body arrived; too_many_requests, unavailable: bodies hold too much
 */
export async function readBytes(c: Context<AppEnv>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readRequestBytes(c.req.raw, maxBytes);
  checkCaller(c);
  return bytes;
}

/** As {@link readBytes}, without a context; `refusal` replaces `too_large`. */
export async function readRequestBytes(
  request: Request,
  maxBytes: number,
  refusal: () => DomainError = () => bodyTooLarge(maxBytes),
): Promise<Uint8Array<ArrayBuffer>> {
  const { body, headers } = request;
  const declared = headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) throw refusal();
  if (body === null) return new Uint8Array();
  using held = new HeldBody(request);
  return await collectBytes(readChunks(request, body), held, { maxBytes, refusal });
}

/** All chunks as one; fails with `refusal` once they are longer than `maxBytes`. @throws DomainError as {@link HeldBody.add} */
export async function collectBytes(
  chunks: AsyncIterable<Uint8Array>,
  held: HeldBody,
  { maxBytes, refusal }: { readonly maxBytes: number; readonly refusal: () => DomainError },
): Promise<Uint8Array<ArrayBuffer>> {
  const collected: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw refusal();
    held.add(chunk.length);
    collected.push(chunk as Uint8Array<ArrayBuffer>);
  }
  return joinBytes(collected);
}

/** The body as JSON, number kinds kept. @throws DomainError invalid_json (also for an empty body), too_large, bad_request */
export async function readJson(c: Context<AppEnv>, maxBytes = MAX_JSON_BODY_BYTES): Promise<JsonValue> {
  const value = await readOptionalJson(c, maxBytes);
  if (value === undefined) throw new DomainError("invalid_json", "Invalid json: the body is empty");
  return value;
}

/** As {@link readJson}; `undefined` for an empty body: many clients declare JSON and send nothing. */
export async function readOptionalJson(
  c: Context<AppEnv>,
  maxBytes = MAX_JSON_BODY_BYTES,
): Promise<JsonValue | undefined> {
  const text = await readText(c, maxBytes);
  if (text.trim() === "") return undefined;
  if (isNestedDeeper(text)) {
    const reason = `the body is nested deeper than ${MAX_DEPTH} levels; send flatter values`;
    throw new DomainError("invalid_json", `Invalid json: ${reason}`);
  }
  try {
    return parseJson(text);
  } catch (cause) {
    throw new DomainError("invalid_json", `Invalid json: ${(cause as Error).message}`, { cause });
  }
}

/** Accepts these media types, and a body without a declared one. @throws DomainError unsupported_media_type */
export function requireMediaType(c: Context<AppEnv>, ...types: readonly string[]): void {
  const type = mediaTypeOf(c.req.raw);
  if (type === "" || types.includes(type)) return;
  throw new DomainError(
    "unsupported_media_type",
    `Unsupported Media Type: the body is "${type}", but must be ${types.join(" or ")}`,
  );
}

/** The declared media type without parameters, lower case; empty when none is declared. */
export function mediaTypeOf({ headers }: Request): string {
  return headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** The body is larger than the route allows. */
export function bodyTooLarge(maxBytes: number): DomainError {
  return new DomainError("too_large", `Cannot take the body: it is larger than ${maxBytes} bytes`);
}
