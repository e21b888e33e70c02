/** Texts with several documents. */
import { illegalArgument } from "../../model/errors.ts";

/** Documents of a text: each is checked, and the response says of each what is wrong. */
const MAX_DOCUMENTS = 10_000;

const MARKER = /^---(?=[ \t\r]|$)/;
/** Between two documents, text may follow at once: no member of a flow begins so. */
const MARKER_WITH_TEXT = /^---(?!-)/;
/** Documents may be joined by a marker and a line break. */
const MARKER_AFTER_TEXT = /(?<=[^\s-])---[ \t\r]*$/;
const ID_LINE = /^id[ \t]*:/;
const BLANK = /^\s*(?:#.*)?$/;

/** As {@link documentsIn}, all at once. @throws DomainError invalid_argument: too many */
export function splitDocuments(text: string): string[] {
  return [...documentsIn(text)];
}

/**
 * The documents of a text, split at lines that start with `---`, and at a marker behind the last line of a flow; each verbatim without
 * its marker. Documents of nothing but white space and comments are left out.
 * @throws DomainError invalid_argument: too many
 */
export function* documentsIn(text: string): Generator<string> {
  let count = 0;
  for (const document of partsOf(text)) {
    if (!document.isFilled) continue;
    if (++count > MAX_DOCUMENTS) {
      const limit = MAX_DOCUMENTS.toLocaleString("en");
      throw illegalArgument(`the text has more than ${limit} documents: send it in several parts`);
    }
    yield text.slice(document.start, document.end);
  }
}

/** A document whose lines are being read. */
interface Document {
  readonly start: number;
  end: number;
  /** Whether a line is more than white space and a comment. */
  isFilled: boolean;
  hasId: boolean;
  lastLine: string;
}

function* partsOf(text: string): Generator<Document> {
  let document = begun(0);
  for (let start = 0, end = 0; start <= text.length; start = end + 1) {
    end = endOfLine(text, start);
    const line = text.slice(start, end);
    if (isSecondId(line, document)) {
      document.end -= document.lastLine.match(MARKER_AFTER_TEXT)?.[0].length ?? 0;
      yield document;
      document = begun(start);
      add(document, line, end);
    } else if (isMarker(line, document)) {
      yield document;
      const rest = line.slice(3).trimStart();
      const isBlank = BLANK.test(rest);
      document = begun(isBlank ? end + 1 : end - rest.length);
      if (!isBlank) add(document, rest, end);
    } else add(document, line, end);
  }
  yield document;
}

function isMarker(line: string, { isFilled }: Document): boolean {
  return line.startsWith("-") && (MARKER.test(line) || MARKER_WITH_TEXT.test(line) && isFilled);
}

function begun(start: number): Document {
  return { start, end: start, isFilled: false, hasId: false, lastLine: "" };
}

function add(document: Document, line: string, end: number): void {
  document.end = end;
  document.lastLine = line;
  document.isFilled ||= line !== "" && !BLANK.test(line);
  document.hasId ||= line.startsWith("i") && ID_LINE.test(line);
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}

/**
 * Whether another flow begins after a text whose last line break is missing, so that the marker is at the end of that line. In one
 * document the second id would be an error.
 */
function isSecondId(line: string, { hasId, lastLine }: Document): boolean {
  return hasId && ID_LINE.test(line) && MARKER_AFTER_TEXT.test(lastLine);
}
