/**
 * Reads `multipart/form-data` (RFC 7578) and url-encoded forms from a request. File parts are streams and never held in
 * memory; the declared content type alone selects the parser.
 */
import { DomainError } from "../../model/errors.ts";
import { MAX_INPUT_VALUE_BYTES, MAX_MULTIPART_PARTS } from "../../model/limits.ts";
import { BodyReader } from "./body_reader.ts";
import { bodyTooLarge, collectBytes, mediaTypeOf, readRequestBytes } from "./body.ts";
import { DelimitedReader, malformed } from "./delimited_reader.ts";
import { HeldBody } from "./held_bytes.ts";
import { parsePartHeader, type PartHeader } from "./part_header.ts";
import { invalidArgument } from "../refusals.ts";

/** Limits of a form. */
export interface MultipartLimits {
  /** Of the whole body. */
  readonly maxBytes: number;
  readonly maxParts?: number;
  /** Of one value, which is held in memory. */
  readonly maxFieldBytes?: number;
}

/** A part of a form; its content can be read once, before the next part is read. */
export interface Part extends PartHeader {
  /** The content as it arrives. */
  stream(): ReadableStream<Uint8Array>;
  /** The whole content. @throws DomainError too_large: more than `maxBytes`, by default the limit of fields */
  bytes(maxBytes?: number): Promise<Uint8Array<ArrayBuffer>>;
  /** The whole content as text. @throws DomainError too_large: this value, or all of the form; invalid_argument: it is not UTF-8 */
  text(): Promise<string>;
}

/** A field of a form; of a file part, its content as text. */
interface FormField extends PartHeader {
  readonly value: string;
}

const encoder = new TextEncoder();
const CRLF = encoder.encode("\r\n");
const DASHES = encoder.encode("--");
/** The RFC allows text before the first boundary; no known client sends any. */
const MAX_PREAMBLE_BYTES = 4_096;
const MAX_PADDING_BYTES = 256;
/** All header lines of a part. */
const MAX_HEADER_BYTES = 8_192;
/** All values of a form that are no streamed files. They are held in memory, in several copies. */
const MAX_VALUES_BYTES = 16 * 1024 * 1024;
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/**
 * The parts of a multipart body in order. An empty body, or one with only the closing boundary, has none.
 * @throws DomainError unsupported_media_type: another type is declared; invalid_argument: malformed, or too many parts;
 * too_large; bad_request: the body broke off; request_timeout: it stalled; too_many_requests, unavailable: bodies hold too much
 */
export async function* readMultipart(request: Request, limits: MultipartLimits): AsyncGenerator<Part> {
  const { body } = request;
  const boundary = readBoundary(request);
  if (body === null) return;
  await refuseTooLarge(request, limits.maxBytes);
  // The first delimiter follows no line; the prefix adds the line break.
  const reader = new DelimitedReader(new BodyReader(request, body), limits.maxBytes, CRLF);
  // Until the form ends: its values are held while the next parts arrive.
  using held = new HeldBody(request);
  let valueBytes = 0;
  const countValue = (bytes: number) => {
    valueBytes += bytes;
    if (valueBytes <= MAX_VALUES_BYTES) return;
    throw new DomainError(
      "too_large",
      `Cannot take the form: its values have more than ${MAX_VALUES_BYTES} bytes`,
    );
  };
  try {
    if (await reader.isEmpty()) return;
    const delimiter = encoder.encode(`\r\n--${boundary}`);
    await reader.readTo(delimiter, MAX_PREAMBLE_BYTES, "the text before the first part");
    for (let count = 1; !await reader.accept(DASHES); count++) {
      if (count > (limits.maxParts ?? MAX_MULTIPART_PARTS)) throw malformed("it has too many parts");
      const part = new BodyPart(await readHeader(reader), reader, delimiter, { ...limits, countValue, held });
      yield part;
      await part.skipRest();
    }
  } finally {
    await reader.close();
  }
}

/**
 * The fields of a form in order: multipart, url-encoded, or none for a request without a body. A file part is read like a
 * field.
 * @throws DomainError as {@link readMultipart}
 */
export async function readForm(request: Request, limits: MultipartLimits): Promise<FormField[]> {
  const type = mediaTypeOf(request);
  if (type === "application/x-www-form-urlencoded") return await readUrlEncoded(request, limits);
  if (type !== "multipart/form-data") return await expectNoBody(request, type);
  const fields: FormField[] = [];
  for await (const part of readMultipart(request, limits)) {
    const { name, fileName, contentType } = part;
    fields.push({
      name,
      value: await part.text(),
      ...(fileName !== undefined && { fileName }),
      ...(contentType !== undefined && { contentType }),
    });
  }
  return fields;
}

/** A part whose content is read from the body on demand. */
class BodyPart implements Part {
  readonly name: string;
  readonly fileName?: string;
  readonly contentType?: string;
  readonly #reader: DelimitedReader;
  readonly #delimiter: Uint8Array;
  readonly #maxFieldBytes: number;
  readonly #countValue: (bytes: number) => void;
  readonly #held: HeldBody;
  #isRead = false;

  constructor(
    header: PartHeader,
    reader: DelimitedReader,
    delimiter: Uint8Array,
    limits: MultipartLimits & { readonly countValue: (bytes: number) => void; readonly held: HeldBody },
  ) {
    this.name = header.name;
    this.fileName = header.fileName;
    this.contentType = header.contentType;
    this.#reader = reader;
    this.#delimiter = delimiter;
    this.#maxFieldBytes = limits.maxFieldBytes ?? MAX_INPUT_VALUE_BYTES;
    this.#countValue = limits.countValue;
    this.#held = limits.held;
  }

  stream(): ReadableStream<Uint8Array> {
    return ReadableStream.from(this.#content());
  }

  async bytes(maxBytes = this.#maxFieldBytes): Promise<Uint8Array<ArrayBuffer>> {
    const refusal = () => {
      const message = `Cannot take part ${shown(this.name)}: it is larger than ${maxBytes} bytes`;
      return new DomainError("too_large", message);
    };
    return await collectBytes(this.#content(), this.#held, { maxBytes, refusal });
  }

  async text(): Promise<string> {
    const bytes = await this.bytes();
    this.#countValue(bytes.length);
    return decodeText(bytes, this.name);
  }

  /** Skips unread content, up to the next part. */
  async skipRest(): Promise<void> {
    for await (const _ of this.#content()) continue;
  }

  async *#content(): AsyncGenerator<Uint8Array> {
    if (this.#isRead) return;
    yield* this.#reader.readUntil(this.#delimiter);
    this.#isRead = true;
  }
}

async function readHeader(reader: DelimitedReader): Promise<PartHeader> {
  const padding = await reader.readTo(CRLF, MAX_PADDING_BYTES, "a boundary");
  if (padding.some((byte) => byte !== 32 && byte !== 9)) {
    throw malformed("a boundary is followed by other text");
  }
  const lines: string[] = [];
  for (let left = MAX_HEADER_BYTES;;) {
    const line = await reader.readTo(CRLF, left, "the header of a part");
    if (line.length === 0) return parsePartHeader(lines);
    left -= line.length;
    lines.push(decodeText(line, "the header of a part"));
    if (lines.length > 100) throw malformed("the header of a part has too many lines");
  }
}

/** Refuses by the declared length, before anything is read. */
async function refuseTooLarge(request: Request, maxBytes: number): Promise<void> {
  if (Number(request.headers.get("content-length") ?? 0) <= maxBytes) return;
  await request.body?.cancel();
  throw bodyTooLarge(maxBytes);
}

async function readUrlEncoded(request: Request, limits: MultipartLimits): Promise<FormField[]> {
  const { maxBytes, maxParts = MAX_MULTIPART_PARTS } = limits;
  const bytes = await readRequestBytes(request, Math.min(maxBytes, MAX_VALUES_BYTES));
  const text = decodeText(bytes, "the body");
  // Counted before they are read: a body can have millions of them.
  if (text.split("&", maxParts + 1).length > maxParts) {
    throw invalidArgument(`the form has more than ${maxParts} fields`);
  }
  return Array.from(new URLSearchParams(text), ([name, value]) => ({ name, value }));
}

/** Some clients declare JSON and send nothing: an empty body is an empty form, whatever its type. */
async function expectNoBody(request: Request, type: string): Promise<FormField[]> {
  const bytes = await readRequestBytes(request, 1_024, () => unsupported(type));
  if (decodeText(bytes, "the body").trim() === "") return [];
  throw unsupported(type);
}

function readBoundary(request: Request): string {
  const type = mediaTypeOf(request);
  if (type !== "multipart/form-data") throw unsupported(type);
  const contentType = request.headers.get("content-type") ?? "";
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]*))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain ?? "";
  if (BOUNDARY.test(boundary)) return boundary;
  throw malformed("its content type names no boundary");
}

function unsupported(type: string): DomainError {
  return new DomainError(
    "unsupported_media_type",
    `Unsupported Media Type: the body is ${shown(type || "undeclared")}, but must be multipart/form-data`,
  );
}

function decodeText(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new DomainError("invalid_argument", `Illegal argument: ${shown(what)} is not UTF-8`, { cause });
  }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
