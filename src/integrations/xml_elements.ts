/** XML documents whose elements become values one by one; the package `sax` reads them in pieces, with turns in between. */
import { type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "../base/json.ts";
import { systemClock } from "../base/time/clock.ts";
import { Turns } from "../base/time/turn.ts";

/** What elements become. */
export interface XmlForm {
  /** The member of an attribute. Without it attributes are left out. */
  readonly attribute?: (name: string) => string;
  /** The member of a text beside attributes or elements. */
  readonly text: string;
  /** The value of a text or an attribute; default is the text. */
  readonly value?: (text: string) => JsonValue;
  /** Keeps white space around texts. */
  readonly keepsSpace?: boolean;
  /** Names of elements that are lists even if they occur once. */
  readonly lists?: ReadonlySet<string>;
}

/** What is read of a document. */
interface XmlSelection {
  /** For errors. */
  readonly what: string;
  /** Whether the element at a path of names is read; the document has the empty path. Those within it are its members. */
  readonly isSelected: (path: readonly string[]) => boolean;
  readonly form: XmlForm;
  /** Most elements and attributes of a selected element: they are held in memory. */
  readonly maxElements: number;
}

interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The package has no declarations of types. */
interface SaxParser {
  /** From 0. */
  readonly line: number;
  ENTITIES: object;
  onerror: (error: Error) => void;
  onopentag: (tag: Tag) => void;
  onclosetag: (name: string) => void;
  onattribute: () => void;
  ontext: (text: string) => void;
  oncdata: (text: string) => void;
  write(text: string): void;
  close(): void;
}

interface SaxPackage {
  readonly ENTITIES: object;
  MAX_BUFFER_LENGTH: number;
  parser(isStrict: true): SaxParser;
}

/** Longest attribute, comment or document type: the package adds each character to a text, which takes 40 bytes of memory. */
const MAX_TOKEN_CHARS = 8 * 1024 * 1024;
/** Longest declaration: for each of its characters the package tests all before it. XML has none outside of document types. */
const MAX_DECLARATION_CHARS = 256;
/** Most attributes of an element: they become an object in one turn. */
const MAX_ATTRIBUTES = 10_000;
/** Characters of the texts of a selected element. */
const MAX_TEXT_CHARS = 32 * 1024 * 1024;
const MAX_DEPTH = 200;
/** Characters that are parsed before the clock is read: a millisecond. */
const PIECE_CHARS = 16 * 1024;
const TURN_MS = 10;

/** The selected elements in their order. @throws Error the document is malformed, an element is too large */
export async function* xmlElements(
  texts: AsyncIterable<string> | Iterable<string>,
  selection: XmlSelection,
): AsyncGenerator<JsonValue> {
  const sax = (await import("sax")).default as unknown as SaxPackage;
  sax.MAX_BUFFER_LENGTH = MAX_TOKEN_CHARS;
  const turns = new Turns(systemClock, TURN_MS);
  const reader = new ElementReader(sax, selection);
  for await (const text of texts) {
    for (let at = 0; at < text.length; at += PIECE_CHARS) {
      yield* reader.read(text.slice(at, at + PIECE_CHARS));
      await turns.next();
    }
  }
  yield* reader.end();
}

/** An element that has begun, within a selected one or selected itself. */
interface OpenElement {
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly children: JsonObject;
  text: string;
  /** The text since the last tag. */
  run: string;
}

class ElementReader {
  readonly #parser: SaxParser;
  readonly #selection: XmlSelection;
  readonly #path: string[] = [];
  readonly #open: OpenElement[] = [];
  #found: JsonValue[] = [];
  #hasRoot = false;
  /** Of the tag that is read. */
  #attributes = 0;
  /** Of the selected element. */
  #elements = 0;
  #chars = 0;

  constructor(sax: SaxPackage, selection: XmlSelection) {
    this.#selection = selection;
    const parser = this.#parser = sax.parser(true);
    // Names are looked up in it.
    parser.ENTITIES = Object.assign(Object.create(null), sax.ENTITIES);
    parser.onerror = ({ message }) => this.#fail(message.split("\n")[0] ?? "");
    parser.onattribute = () => this.#countAttribute();
    parser.onopentag = (tag) => this.#begin(tag);
    parser.onclosetag = (name) => this.#close(name);
    parser.ontext = (text) => this.#text(text, (element) => element.run += text);
    parser.oncdata = (text) =>
      this.#text(text, (element) => {
        this.#endRun(element);
        element.text += text;
      });
    this.#limitDeclarations();
    if (selection.isSelected([])) this.#open.push(elementWith([]));
  }

  /** The package reports a declaration only at its end, so the text that it collects is checked. */
  #limitDeclarations(): void {
    let text = "";
    Object.defineProperty(this.#parser, "sgmlDecl", {
      get: () => text,
      set: (longer: string) => {
        if (longer.length > MAX_DECLARATION_CHARS) {
          this.#fail(`A declaration has more than ${MAX_DECLARATION_CHARS} characters`);
        }
        text = longer;
      },
    });
  }

  /** The elements that end in this text; those before a defect come before its error. */
  *read(text: string): Generator<JsonValue> {
    yield* this.#foundBy(() => this.#parser.write(text));
  }

  /** To be called after the last text. */
  *end(): Generator<JsonValue> {
    yield* this.#foundBy(() => {
      if (!this.#hasRoot) this.#fail("It has no element");
      this.#parser.close();
      const document = this.#open.pop();
      if (document) this.#found.push(document.children);
    });
  }

  *#foundBy(work: () => void): Generator<JsonValue> {
    try {
      work();
    } catch (error) {
      yield* this.#found;
      throw error;
    }
    const found = this.#found;
    this.#found = [];
    yield* found;
  }

  #fail(reason: string): never {
    throw new Error(`Cannot read ${this.#selection.what}: line ${this.#parser.line + 1}: ${reason}`);
  }

  #begin({ name, attributes }: Tag): void {
    if (this.#path.length === 0 && this.#hasRoot) this.#fail("A second root element");
    this.#hasRoot = true;
    this.#attributes = 0;
    if (this.#path.push(name) > MAX_DEPTH) this.#fail(`Elements are nested more than ${MAX_DEPTH} deep`);
    const outer = this.#open.at(-1), { isSelected, form } = this.#selection;
    if (!outer && !isSelected(this.#path)) return;
    if (!outer) this.#elements = this.#chars = 0;
    else this.#endRun(outer);
    const element = elementWith(form.attribute ? Object.entries(attributes) : []);
    this.#open.push(element);
    this.#count(1 + element.attributes.length);
    for (const [, value] of element.attributes) this.#countChars(value.length);
  }

  #close(name: string): void {
    this.#path.pop();
    const element = this.#open.pop();
    if (!element) return;
    this.#endRun(element);
    const value = this.#valueOf(element), outer = this.#open.at(-1);
    if (outer) addMember(outer.children, name, value, this.#selection.form.lists?.has(name));
    else this.#found.push(value);
  }

  #text(text: string, take: (element: OpenElement) => void): void {
    const element = this.#open.at(-1);
    if (!element) return;
    this.#countChars(text.length);
    take(element);
  }

  #endRun(element: OpenElement): void {
    element.text += this.#selection.form.keepsSpace ? element.run : element.run.trim();
    element.run = "";
  }

  /** Its elements, text and attributes are members, in this order. */
  #valueOf({ text, children: members, attributes }: OpenElement): JsonValue {
    const { text: textName, attribute = String, value = String } = this.#selection.form;
    const isText = attributes.length === 0 && Object.keys(members).length === 0;
    if (isText) return value(text);
    if (text !== "") addMember(members, textName, value(text));
    for (const [name, given] of attributes) addMember(members, attribute(name), value(given));
    return members;
  }

  #countAttribute(): void {
    if (++this.#attributes > MAX_ATTRIBUTES) {
      this.#fail(`An element has more than ${MAX_ATTRIBUTES} attributes`);
    }
  }

  #count(elements: number): void {
    const { maxElements } = this.#selection;
    this.#elements += elements;
    if (this.#elements > maxElements) {
      this.#fail(`An element to be read contains more than ${maxElements} elements and attributes`);
    }
  }

  #countChars(chars: number): void {
    this.#chars += chars;
    if (this.#chars > MAX_TEXT_CHARS) {
      this.#fail(`The texts of an element to be read have more than ${MAX_TEXT_CHARS} characters`);
    }
  }
}

function elementWith(attributes: OpenElement["attributes"]): OpenElement {
  return { attributes, children: {}, text: "", run: "" };
}

/** Members of the same name become a list. */
function addMember(members: JsonObject, name: string, value: JsonValue, isList = false): void {
  const first = ownProperty(members, name);
  if (Array.isArray(first)) first.push(value);
  else if (first !== undefined) setOwnProperty(members, name, [first, value]);
  else setOwnProperty(members, name, isList ? [value] : value);
}
