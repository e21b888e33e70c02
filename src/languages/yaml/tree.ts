/** YAML text → syntax tree of the library. Stops early on deep nesting, many errors and a second document. */
import { Composer, type CST, type Document, isMap, isScalar, isSeq, Lexer, Parser, Scalar } from "yaml";

/** Nested maps and lists of the source of a flow. */
export const MAX_YAML_DEPTH = 100;

/** An error between two offsets of the text. */
export interface YamlError {
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

interface TreeOptions {
  readonly maxDepth?: number;
  /** Values; a text with clearly more is not read to its end. */
  readonly maxNodes?: number;
  /** Stops after the first document; else a second one is an error. */
  readonly isFirstOnly?: boolean;
}

/** A composed document, or the errors of the text. */
interface YamlTree {
  readonly document?: Document.Parsed;
  readonly errors: readonly YamlError[];
}

/** The library continues after an error, at 7 µs each; half a million of them fit in one source. */
const MAX_YAML_ERRORS = 100;

const MAX_MESSAGE_CHARS = 300;

type ErrorHandler = (...details: unknown[]) => void;

/** Ends the reading at a limit. */
class Stop extends Error {}

/** Composes exactly one document, or the first of several; YAML 1.2 core schema, integers as `bigint`. */
export function parseYamlTree(
  source: string,
  { maxDepth = MAX_YAML_DEPTH, maxNodes = Infinity, isFirstOnly = false }: TreeOptions = {},
): YamlTree {
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    intAsBigInt: true,
    uniqueKeys: false, // the library takes quadratic time; `readYaml` finds duplicates in linear time
    resolveKnownTags: false,
    prettyErrors: false,
  });
  const documents: Document.Parsed[] = [];
  const errors = collectErrors(composer);
  // The library throws on some malformed texts, even ReferenceError and RangeError.
  try {
    for (
      const document of composer.compose(
        tokens(source, { errors, maxDepth, maxNodes, isFirstOnly }),
        true,
        source.length,
      )
    ) {
      documents.push(document);
      if (documents.length > 1) errors.unshift(secondDocument(document, source));
      if (errors.length > 0) break;
    }
  } catch (error) {
    if (errors.length === 0) errors.push(syntaxError(messageOf(error), 0, 1));
  }
  const [document] = documents;
  if (document) dropAddedBreak(document.contents, isFirstOnly ? source.slice(0, document.range[2]) : source);
  const all = errors.length > 0
    ? errors
    : (document?.errors ?? []).map(({ message, pos }) => syntaxError(message, ...pos));
  return all.length > 0 || !document ? { errors: explainAliases(all) } : { document, errors: [] };
}

/** The library ends a block text with a line break, also one that ends with the source and has none there. */
function dropAddedBreak(contents: unknown, source: string): void {
  const lastLine = source.slice(source.lastIndexOf("\n") + 1).trimStart();
  if (lastLine === "") return;
  const last = lastNode(contents);
  const isBlock = isScalar(last) && (last.type === Scalar.BLOCK_LITERAL || last.type === Scalar.BLOCK_FOLDED);
  if (!isBlock || typeof last.value !== "string" || !last.value.endsWith(`${lastLine}\n`)) return;
  last.value = last.value.slice(0, -1);
}

function lastNode(contents: unknown): unknown {
  let node = contents;
  while (isMap(node) || isSeq(node)) node = isMap(node) ? node.items.at(-1)?.value : node.items.at(-1);
  return node;
}

/** What the library says of `*` where a value is not one alias. */
const ALIAS_ERRORS = ["Alias cannot be an empty string", "Unexpected alias at node end"];
/** Characters between two errors of the same value. */
const MAX_GAP = 3;

/** A cron expression without quotes is read as many aliases, with an error each: the first one says what to do. */
function explainAliases(errors: readonly YamlError[]): YamlError[] {
  const explained: YamlError[] = [];
  let last = -Infinity;
  for (const error of errors) {
    const isAlias = ALIAS_ERRORS.includes(error.message);
    if (isAlias && error.start - last > MAX_GAP) explained.push({ ...error, message: QUOTES_NEEDED });
    else if (!isAlias) explained.push(error);
    if (isAlias) last = error.end;
  }
  return explained;
}

const QUOTES_NEEDED = 'A value that begins with "*" needs quotes, otherwise it is an alias';

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The library quotes whole texts in its messages, up to the rest of the source in each of many errors. */
function syntaxError(text: string, start: number, end: number): YamlError {
  const message = text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text;
  return { code: "yaml_syntax", message, start, end };
}

/** The composer has no hook for its errors, so this wraps its own handler. Ends the reading at the limit. */
function collectErrors(composer: Composer): YamlError[] {
  const errors: YamlError[] = [];
  const handle = Reflect.get(composer, "onError") as ErrorHandler;
  let count = 0;
  const collect: ErrorHandler = (place, code, message, isWarning) => {
    const isFlood = ++count > MAX_YAML_ERRORS;
    if (!isWarning || isFlood) errors.push(syntaxError(String(message), ...offsetsOf(place)));
    if (isFlood) throw new Stop();
    handle(place, code, message, isWarning);
  };
  Reflect.set(composer, "onError", collect);
  return errors;
}

/** A place is an offset, a range, or a token. */
function offsetsOf(place: unknown): [number, number] {
  if (typeof place === "number") return [place, place + 1];
  if (Array.isArray(place)) return [Number(place[0]), Number(place[1])];
  const { offset = 0, source } = place as { offset?: number; source?: string };
  return [offset, offset + (source?.length ?? 1)];
}

interface TokenOptions extends Required<TreeOptions> {
  readonly errors: YamlError[];
}

/** The start of a scalar, and what begins or separates members. A name and its value have three of them, `? a : b` four. */
const VALUE_LEXEMES: ReadonlySet<string> = new Set(["\x1f", "-", "?", ":", ",", "[", "{"]);
const LEXEMES_OF_VALUE = 4;

/** Concrete syntax, one lexeme at a time: the parser takes time quadratic in the depth of the text. */
function* tokens(source: string, { errors, maxDepth, maxNodes, isFirstOnly }: TokenOptions) {
  const parser = new Parser();
  const unexpected: YamlError[] = [];
  let isFirstRead = false;
  let left = maxNodes * LEXEMES_OF_VALUE;
  for (const lexeme of new Lexer().lex(source)) {
    if (VALUE_LEXEMES.has(lexeme) || lexeme.startsWith("*")) left--;
    if (left < 0) {
      errors.unshift(tooLarge(parser.offset, maxNodes));
      throw new Stop();
    }
    for (const token of parser.next(lexeme)) {
      // The composer adds an error for each of them without calling its handler.
      if (token.type === "error" && unexpected.push(unexpectedToken(token)) > MAX_YAML_ERRORS) {
        errors.push(...unexpected);
        throw new Stop();
      }
      if (isFirstRead && token.type === "doc-end") return;
      yield token;
      isFirstRead ||= isFirstOnly && token.type === "document";
    }
    // What follows outside of another document is an error of the first.
    if (isFirstRead && parser.stack.length > 0) return;
    if (parser.stack.length <= maxDepth + 2) continue;
    errors.unshift(tooDeep(parser.offset, maxDepth));
    throw new Stop();
  }
  yield* parser.end();
}

function unexpectedToken({ message, source, offset }: CST.ErrorToken): YamlError {
  const text = source === "" ? message : `${message}: ${JSON.stringify(source)}`;
  return syntaxError(text, offset, offset + source.length);
}

/** The error of a document that is nested too deeply. */
export function tooDeep(start: number, maxDepth: number): YamlError {
  const message = `The document is nested deeper than ${maxDepth} levels`;
  return { code: "yaml_depth", message, start, end: start + 1 };
}

/** The error of a document with too many values. */
export function tooLarge(start: number, maxNodes: number): YamlError {
  const message = `The document has more than ${maxNodes} values`;
  return { code: "yaml_size", message, start, end: start + 1 };
}

function secondDocument(document: Document.Parsed, source: string): YamlError {
  const at = document.range[0];
  const marker = source.lastIndexOf("---", at);
  const start = marker >= 0 ? marker : at;
  return { code: "yaml_documents", message: "Only one document is allowed here", start, end: start + 3 };
}
