/** XML of responses. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, ownProperty } from "../base/json.ts";
import { systemClock } from "../base/time/clock.ts";
import { Turns } from "../base/time/turn.ts";
import { optionalText } from "../model/tasks/task_definition.ts";

/** Most elements and attributes of a document: they are held in memory. */
const MAX_ELEMENTS = 8_000_000;
/** A response is parsed in one turn: these limits are half a second of CPU time. A page of a listing has 1 MB, and 50,000 elements. */
const MAX_RESPONSE_CHARS = 4 * 1024 * 1024;
const MAX_RESPONSE_ELEMENTS = 200_000;
/** The start of an element, or the value of an attribute. */
const ELEMENT = /<[^/!?]|=\s*["']/g;
const TURN_MS = 10;
/** Elements that are counted before the clock is read. */
const COUNTED_AT_ONCE = 10_000;

/** What is counted. */
interface ElementLimit {
  /** For the error. */
  readonly what?: string;
  readonly max?: number;
  /** Elements and attributes of other documents that count, too. */
  readonly counted?: number;
}

/** Refuses a document before it is read, else gives its number of elements and attributes. @throws Error it has too many */
export async function checkElements(
  text: string,
  { what = "the XML", max = MAX_ELEMENTS, counted = 0 }: ElementLimit = {},
): Promise<number> {
  const turns = new Turns(systemClock, TURN_MS);
  const element = new RegExp(ELEMENT);
  let count = counted;
  while (element.test(text)) {
    if (++count > max) {
      throw new Error(`Cannot read ${what}: it has more than ${max} elements and attributes`);
    }
    if (count % COUNTED_AT_ONCE === 0) await turns.next();
  }
  return count;
}

/** The elements of a response as members; values are texts, repeated elements lists. Malformed XML gives what can be read of it. @throws Error it is too large */
export async function readXml(text: string): Promise<JsonObject> {
  if (text.length > MAX_RESPONSE_CHARS) {
    throw new Error(
      `Cannot read the XML: it has ${text.length} characters, and at most ${MAX_RESPONSE_CHARS} are read`,
    );
  }
  await checkElements(text, { max: MAX_RESPONSE_ELEMENTS });
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
  });
  try {
    return parser.parse(text);
  } catch {
    return {};
  }
}

function valueAt(root: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const name of path) value = isJsonObject(value) ? ownProperty(value, name) : undefined;
  return value;
}

/** The text of the element at a path of names; `undefined` if it is missing or empty. */
export function textAt(root: JsonObject, ...path: readonly string[]): string | undefined {
  const value = valueAt(root, path);
  return typeof value === "string" ? optionalText(value) : undefined;
}

/** The elements at a path of names, also where there is one. */
export function elementsAt(root: JsonObject, ...path: readonly string[]): JsonObject[] {
  const value = valueAt(root, path);
  return Array.isArray(value) ? objectsOf(value) : isJsonObject(value) ? [value] : [];
}

/** A text within an element. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
