/** XML of responses. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, ownProperty } from "../base/json.ts";
import { optionalText } from "../model/tasks/task_definition.ts";
import { xmlElements } from "./xml_elements.ts";

/** A response is held in memory. A page of a listing has 1 MB, and 50,000 elements. */
const MAX_RESPONSE_CHARS = 4 * 1024 * 1024;
const MAX_RESPONSE_ELEMENTS = 200_000;

/** The elements of a response as members; values are texts, repeated elements lists. @throws Error it is malformed or too large */
export async function readXml(text: string): Promise<JsonObject> {
  if (text.length > MAX_RESPONSE_CHARS) {
    throw new Error(
      `Cannot read the XML: it has ${text.length} characters, and at most ${MAX_RESPONSE_CHARS} are read`,
    );
  }
  const [document] = await Array.fromAsync(xmlElements([text], {
    what: "the XML",
    isSelected: (path) => path.length === 0,
    form: { text: "#text" },
    maxElements: MAX_RESPONSE_ELEMENTS,
  }));
  return isJsonObject(document) ? document : {};
}

/** As {@link readXml}, of a response that says why a call failed; malformed XML is an empty object. */
export async function readErrorXml(text: string): Promise<JsonObject> {
  try {
    return await readXml(text);
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
