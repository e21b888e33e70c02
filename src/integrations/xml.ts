/** XML of responses. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, ownProperty } from "../base/json.ts";
import { optionalText } from "../model/tasks/task_definition.ts";

/** Most elements and attributes of a document: they are held in memory. */
const MAX_ELEMENTS = 8_000_000;
/** The start of an element, or the value of an attribute. */
const ELEMENT = /<[^/!?]|=\s*["']/g;

/** Refuses a document before it is read. @throws Error it has too many elements */
export function checkElements(text: string): void {
  ELEMENT.lastIndex = 0;
  for (let left = MAX_ELEMENTS; ELEMENT.test(text); left--) {
    if (left === 0) {
      throw new Error(`Cannot read the XML: it has more than ${MAX_ELEMENTS} elements and attributes`);
    }
  }
}

/** The elements of a document as members; values are texts, repeated elements lists. Malformed XML gives what can be read of it. @throws Error too many elements */
export async function readXml(text: string): Promise<JsonObject> {
  checkElements(text);
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
