/** Previews of files: the beginning of a file in a displayable form. */
import { joinBytes } from "../../base/bytes.ts";
import { type JsonValue, stringifyJson } from "../../base/json.ts";
import { illegalArgument } from "../../model/errors.ts";
import { IonError, parseIon } from "../../languages/ion/mod.ts";

interface PreviewedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Opens the content, which must be read to the end or cancelled. */
  open(): ReadableStream<Uint8Array>;
}

/** Options of a preview. */
export interface PreviewOptions {
  /** Lines of a text or items of a list. */
  readonly maxRows: number;
  /** Label of a text encoding. */
  readonly encoding: string;
}

/** Lines by default. */
export const DEFAULT_PREVIEW_ROWS = 100;
/** Largest number of lines. */
export const MAX_PREVIEW_ROWS = 5_000;
/** Of a text no more is shown. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;
/** Larger images and PDFs, which cannot be truncated, are refused. */
const MAX_WHOLE_BYTES = 10 * 1024 * 1024;

/** Bytes of an image, or characters of a text, that become JSON together. */
const PIECE_LENGTH = 49_152;

const LINE_BREAK = /\r\n?|\n/;
const LINE_BREAKS = new RegExp(LINE_BREAK, "g");

type PreviewType = "TEXT" | "LIST" | "IMAGE" | "MARKDOWN" | "PDF";

const TYPES: ReadonlyMap<string, PreviewType> = new Map<string, PreviewType>([
  ["ion", "LIST"],
  ["md", "MARKDOWN"],
  ["markdown", "MARKDOWN"],
  ["pdf", "PDF"],
  ...["png", "jpg", "jpeg", "gif", "svg", "bmp", "webp", "ico"].map((name) => [name, "IMAGE"] as const),
]);

/**
 * The JSON text of `extension`, `type`, `content`, `maxLine` and `truncated`, in pieces. An image is read piece by piece: the text of a
 * large one would be 13 MiB for each client that reads slowly.
 * @throws DomainError invalid_argument
 */
export async function previewOf(
  file: PreviewedFile,
  options: PreviewOptions,
): Promise<AsyncGenerator<string>> {
  const dot = file.name.lastIndexOf(".");
  const extension = dot < 0 ? "" : file.name.slice(dot + 1);
  const type = TYPES.get(extension.toLowerCase()) ?? "TEXT";
  const shown = type === "IMAGE" || type === "PDF"
    ? { content: wholeOf(file), isTruncated: false }
    : await beginningOf(file, type, options);
  const before = stringifyJson({ extension, type }).slice(0, -1);
  const after = stringifyJson({ maxLine: options.maxRows, truncated: shown.isTruncated }).slice(1);
  return joined(`${before},"content":`, shown.content, `,${after}`);
}

async function* joined(before: string, content: Shown["content"], after: string): AsyncGenerator<string> {
  yield before;
  yield* content;
  yield after;
}

interface Shown {
  /** Its JSON text, in pieces. */
  readonly content: AsyncIterable<string> | Iterable<string>;
  readonly isTruncated: boolean;
}

function wholeOf(file: PreviewedFile): AsyncIterable<string> {
  if (file.size <= MAX_WHOLE_BYTES) return base64Of(file);
  throw illegalArgument(
    `the file has ${file.size} bytes, and at most ${MAX_WHOLE_BYTES} can be shown; download it`,
  );
}

/** Three bytes become four characters; those that are left over wait for the next piece. */
async function* base64Of(file: PreviewedFile): AsyncGenerator<string> {
  yield '"';
  let rest = new Uint8Array();
  for await (const chunk of file.open()) {
    for (let at = 0; at < chunk.length; at += PIECE_LENGTH) {
      const bytes = joinBytes([rest, chunk.subarray(at, at + PIECE_LENGTH)]);
      const end = bytes.length - bytes.length % 3;
      yield bytes.subarray(0, end).toBase64();
      rest = bytes.slice(end);
    }
  }
  yield `${rest.toBase64()}"`;
}

function* textOf(text: string): Generator<string> {
  yield '"';
  for (let at = 0; at < text.length; at += PIECE_LENGTH) {
    yield stringifyJson(text.slice(at, at + PIECE_LENGTH)).slice(1, -1);
  }
  yield '"';
}

function* listOf(items: readonly JsonValue[]): Generator<string> {
  yield "[";
  for (const [index, item] of items.entries()) yield `${index > 0 ? "," : ""}${stringifyJson(item)}`;
  yield "]";
}

async function beginningOf(
  file: PreviewedFile,
  type: PreviewType,
  { maxRows, encoding }: PreviewOptions,
): Promise<Shown> {
  const decoder = decoderOf(encoding);
  let text = "";
  let readBytes = 0;
  for await (const chunk of file.open()) {
    const shown = chunk.subarray(0, MAX_TEXT_BYTES - readBytes);
    readBytes += shown.length;
    text += decoder.decode(shown, { stream: true });
    if (readBytes >= MAX_TEXT_BYTES || hasMoreLines(text, maxRows)) break;
  }
  if (readBytes >= file.size) text += decoder.decode();
  const lines = text.split(LINE_BREAK);
  if (lines.at(-1) === "") lines.pop();
  const isTruncated = readBytes < file.size || lines.length > maxRows;
  const shown = lines.slice(0, maxRows);
  if (type !== "LIST") return { content: textOf(shown.join("\n")), isTruncated };
  return { content: listOf(shown.filter((line) => line.trim() !== "").map(itemOf)), isTruncated };
}

function hasMoreLines(text: string, count: number): boolean {
  let lines = 0;
  for (const _ of text.matchAll(LINE_BREAKS)) {
    if (++lines > count) return true;
  }
  return false;
}

/** A line that is not a value is shown as text. */
function itemOf(line: string): JsonValue {
  try {
    return parseIon(line, { isProseAllowed: true }).value;
  } catch (error) {
    if (error instanceof IonError) return line;
    throw error;
  }
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw illegalArgument(`unable to preview using encoding '${encoding}'`);
  }
}
