/**
 * Reads `multipart/form-data` (RFC 7578) and url-encoded forms from a request. File parts are streams and never held; the
 * declared content type alone says which parser reads.
 */
import { DomainError } from "../../model/errors.ts";
import { MAX_INPUT_VALUE_BYTES, MAX_MULTIPART_PARTS } from "../../model/limits.ts";
import { DelimitedReader, malformed } from "./delimited_reader.ts";
import { parsePartHeader, type PartHeader } from "./part_header.ts";

/** Bounds of a form. */
export interface MultipartLimits {
  /** Of the whole body. */
  readonly maxBytes: number;
  readonly maxParts?: number;
  /** Of a value that is held in memory. */
  readonly maxFieldBytes?: number;
}

/** A part of a form; its content can be read once, until the next part is asked for. */
export interface Part extends PartHeader {
  /** The content as it arrives. */
  stream(): ReadableStream<Uint8Array>;
  /** The whole content. @throws DomainError too_large: more than `maxBytes`, by default the limit of fields */
  bytes(maxBytes?: number): Promise<Uint8Array<ArrayBuffer>>;
  /** The whole content as text. @throws DomainError too_large; invalid_argument: it is not UTF-8 */
  text(): Promise<string>;
}

/** A value of a form; of a file part it is what `saveFile` made of it. */
interface FormField {
  readonly name: string;
  readonly value: string;
  readonly fileName?: string;
  readonly contentType?: string;
}

/** What becomes of a file part: the text that stands for it. */
type SaveFile = (part: Part) => Promise<string>;

const encoder = new TextEncoder();
const CRLF = encoder.encode("\r\n");
const DASHES = encoder.encode("--");
/** Text before the first boundary is allowed by the RFC and sent by nobody. */
const MAX_PREAMBLE_BYTES = 4_096;
const MAX_PADDING_BYTES = 256;
/** Of all lines of a part's header. */
const MAX_HEADER_BYTES = 8_192;
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/**
 * The parts of a multipart body in their order. An empty body, or one with the closing boundary alone, has none.
 * @throws DomainError unsupported_media_type: it is declared as something else; invalid_argument: it is malformed or has too
 * many parts; too_large; bad_request: it broke off
 */
export async function* readMultipart(request: Request, limits: MultipartLimits): AsyncGenerator<Part> {
  const { body } = request;
  const boundary = readBoundary(request.headers.get("content-type"));
  if (body === null) return;
  await refuseTooLarge(request, limits.maxBytes);
  // The first delimiter has no line before it; so one is put there.
  const reader = new DelimitedReader(body, limits.maxBytes, CRLF);
  try {
    if (await reader.isEmpty()) return;
    const delimiter = encoder.encode(`\r\n--${boundary}`);
    await reader.readTo(delimiter, MAX_PREAMBLE_BYTES, "the text before the first part");
    for (let count = 1; !await reader.accept(DASHES); count++) {
      if (count > (limits.maxParts ?? MAX_MULTIPART_PARTS)) throw malformed("it has too many parts");
      const part = new BodyPart(await readHeader(reader), reader, delimiter, limits);
      yield part;
      await part.skipRest();
    }
  } finally {
    await reader.close();
  }
}

/**
 * The fields of a form in their order: multipart, url-encoded, or none when there is neither body nor form. A file part
 * without `saveFile` is read like a field.
 * @throws DomainError as {@link readMultipart}
 */
export async function readForm(
  request: Request,
  limits: MultipartLimits,
  saveFile?: SaveFile,
): Promise<FormField[]> {
  const type = mediaType(request.headers.get("content-type"));
  if (type === "application/x-www-form-urlencoded") return await readUrlEncoded(request, limits);
  if (type !== "multipart/form-data") return await expectNoBody(request, type);
  const fields: FormField[] = [];
  for await (const part of readMultipart(request, limits)) {
    const { name, fileName, contentType } = part;
    const value = fileName !== undefined && saveFile ? await saveFile(part) : await part.text();
    fields.push({
      name,
      value,
      ...(fileName !== undefined && { fileName }),
      ...(contentType !== undefined && { contentType }),
    });
  }
  return fields;
}

/** A part whose content is read from the body when it is asked for. */
class BodyPart implements Part {
  readonly name: string;
  readonly fileName?: string;
  readonly contentType?: string;
  readonly #reader: DelimitedReader;
  readonly #delimiter: Uint8Array;
  readonly #maxFieldBytes: number;
  #isRead = false;

  constructor(header: PartHeader, reader: DelimitedReader, delimiter: Uint8Array, limits: MultipartLimits) {
    this.name = header.name;
    this.fileName = header.fileName;
    this.contentType = header.contentType;
    this.#reader = reader;
    this.#delimiter = delimiter;
    this.#maxFieldBytes = limits.maxFieldBytes ?? MAX_INPUT_VALUE_BYTES;
  }

  stream(): ReadableStream<Uint8Array> {
    return ReadableStream.from(this.#content());
  }

  async bytes(maxBytes = this.#maxFieldBytes): Promise<Uint8Array<ArrayBuffer>> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for await (const piece of this.#content()) {
      size += piece.length;
      if (size > maxBytes) {
        throw new DomainError(
          "too_large",
          `Cannot take part ${shown(this.name)}: it is larger than ${maxBytes} bytes`,
        );
      }
      pieces.push(piece as Uint8Array<ArrayBuffer>);
    }
    return await new Blob(pieces).bytes();
  }

  async text(): Promise<string> {
    return decodeText(await this.bytes(), this.name);
  }

  /** Reads what has not been read, so that the next part can be. */
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

/** What is announced to be too large is not read at all. */
async function refuseTooLarge(request: Request, maxBytes: number): Promise<void> {
  if (Number(request.headers.get("content-length") ?? 0) <= maxBytes) return;
  await request.body?.cancel();
  throw new DomainError("too_large", `Cannot take the body: it is larger than ${maxBytes} bytes`);
}

async function readUrlEncoded(request: Request, limits: MultipartLimits): Promise<FormField[]> {
  const { maxBytes, maxParts = MAX_MULTIPART_PARTS, maxFieldBytes = MAX_INPUT_VALUE_BYTES } = limits;
  const fields = [
    ...new URLSearchParams(await readWhole(request, Math.min(maxBytes, maxParts * maxFieldBytes))),
  ];
  if (fields.length > maxParts) {
    throw new DomainError("invalid_argument", `Illegal argument: the form has more than ${maxParts} fields`);
  }
  return fields.map(([name, value]) => ({ name, value }));
}

/** Clients announce JSON and send nothing; whatever is announced, nothing is an empty form. */
async function expectNoBody(request: Request, type: string): Promise<FormField[]> {
  const text = await readWhole(request, 1_024, type);
  if (text.trim() === "") return [];
  throw unsupported(type);
}

async function readWhole(request: Request, maxBytes: number, unsupportedType?: string): Promise<string> {
  if (request.body === null) return "";
  const reader = new DelimitedReader(request.body, Infinity);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for await (const piece of reader.readAll()) {
      size += piece.length;
      if (size > maxBytes) {
        throw unsupportedType === undefined
          ? new DomainError("too_large", `Cannot take the body: it is larger than ${maxBytes} bytes`)
          : unsupported(unsupportedType);
      }
      pieces.push(piece as Uint8Array<ArrayBuffer>);
    }
  } finally {
    await reader.close();
  }
  return decodeText(await new Blob(pieces).bytes(), "the body");
}

function readBoundary(contentType: string | null): string {
  const type = mediaType(contentType);
  if (type !== "multipart/form-data") throw unsupported(type);
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]*))/i.exec(contentType ?? "") ?? [];
  const boundary = quoted ?? plain ?? "";
  if (BOUNDARY.test(boundary)) return boundary;
  throw malformed("its content type names no boundary");
}

function mediaType(contentType: string | null): string {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
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
