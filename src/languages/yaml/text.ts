/** YAML text → syntax tree, bounded: nesting, number of errors and number of documents are cut early. No values yet. */
import { Composer, type Document, Lexer, Parser } from "@std/yaml";
import { MAX_YAML_DEPTH } from "./limits.ts";

/** A mistake at two offsets of the text. */
export interface YamlError {
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** A composed document, or the mistakes that forbid it. */
interface YamlTree {
  readonly document?: Document.Parsed;
  readonly errors: readonly YamlError[];
}

/** Composing goes on after an error, at 7 µs each; half a million of them fit in one source. */
const MAX_YAML_ERRORS = 100;

type ErrorHandler = (...details: unknown[]) => void;

/** Ends the reading of a text that is not worth finishing. */
class Stop extends Error {}

/** Reads exactly one document; YAML 1.2 core schema, whole numbers as `bigint`. */
export function parseYamlTree(source: string): YamlTree {
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    intAsBigInt: true,
    uniqueKeys: false, // compares each key with each other one; the reader of values finds duplicates in linear time
    resolveKnownTags: false,
    prettyErrors: false,
  });
  const documents: Document.Parsed[] = [];
  const errors = collectErrors(composer);
  // The library throws on some inputs, ReferenceError and RangeError included: whatever it is, the text is at fault.
  try {
    for (const document of composer.compose(tokens(source, errors), true, source.length)) {
      documents.push(document);
      if (documents.length > 1) errors.unshift(secondDocument(document, source));
      if (errors.length > 0) break;
    }
  } catch (error) {
    if (errors.length === 0) errors.push(syntaxError(messageOf(error), 0, 1));
  }
  const [document] = documents;
  const all = errors.length > 0
    ? errors
    : (document?.errors ?? []).map(({ message, pos }) => syntaxError(message, ...pos));
  return all.length > 0 || !document ? { errors: all } : { document, errors: [] };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function syntaxError(message: string, start: number, end: number): YamlError {
  return { code: "yaml_syntax", message, start, end };
}

/** The composer has no hook for its errors: its handler, an own member, is wrapped. It ends the reading at the bound. */
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

/** Concrete syntax, one lexeme at a time. The parser's stack is as deep as the text: its cost grows with the square. */
function* tokens(source: string, errors: YamlError[]) {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(source)) {
    yield* parser.next(lexeme);
    if (parser.stack.length <= MAX_YAML_DEPTH + 2) continue;
    errors.unshift(tooDeep(parser.offset));
    throw new Stop();
  }
  yield* parser.end();
}

/** The mistake of nesting beyond the bound. */
export function tooDeep(start: number): YamlError {
  const message = `The document is nested deeper than ${MAX_YAML_DEPTH} levels`;
  return { code: "yaml_depth", message, start, end: start + 1 };
}

function secondDocument(document: Document.Parsed, source: string): YamlError {
  const at = document.range[0];
  const marker = source.lastIndexOf("---", at);
  const start = marker >= 0 ? marker : at;
  return { code: "yaml_documents", message: "Only one document is allowed here", start, end: start + 3 };
}
