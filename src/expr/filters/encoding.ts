/** Filters that encode, digest and escape text. */
import { createHash } from "node:crypto";
import type { JsonValue } from "../../base/json.ts";
import type { Context } from "../context.ts";
import {
  type Arguments,
  type FilterEntry,
  joinedTextFilter,
  textArgument,
  textFilter,
  toText,
} from "../entry.ts";
import { mapScalars } from "../map_scalars.ts";
import { decodeBase64, encodeBase64, fail, measureValue } from "../../languages/values/mod.ts";

const NONE = { parameters: [] } as const;
/** Characters that are encoded in one step, as a power of two. */
const ENCODE_SHIFT = 5;

/** Filters that encode, digest and escape text; null stays null. `escapeChar` makes texts of the scalars in lists and maps. */
export const ENCODING_FILTERS: readonly FilterEntry[] = [
  ["base64encode", joinedTextFilter(NONE, base64Encode)],
  ["base64decode", textFilter(NONE, base64Decode)],
  ["urlencode", textFilter(NONE, urlEncode)],
  ["urldecode", textFilter(NONE, urlDecode)],
  ["md5", textFilter(NONE, (text) => digest("md5", text))],
  ["sha1", textFilter(NONE, (text) => digest("sha1", text))],
  ["sha256", textFilter(NONE, (text) => digest("sha256", text))],
  ["sha512", textFilter(NONE, (text) => digest("sha512", text))],
  ["escapeChar", { parameters: ["type"], required: 1, apply: escapeChar }],
];

const ESCAPES: ReadonlyMap<string, (text: string) => string> = new Map([
  ["single", (text: string) => text.replaceAll("'", "\\'")],
  ["double", (text: string) => text.replaceAll('"', '\\"')],
  ["shell", (text: string) => text.replaceAll("'", "'\\''")],
]);

function digest(algorithm: string, text: string): string {
  return createHash(algorithm).update(text).digest("hex");
}

function base64Encode(text: string, _: Arguments, context: Context): string {
  context.spend(text.length >>> ENCODE_SHIFT);
  return encodeBase64(new TextEncoder().encode(text));
}

function base64Decode(text: string, _: Arguments, context: Context): string {
  context.spend(text.length >>> ENCODE_SHIFT);
  return new TextDecoder().decode(decodeBase64(text));
}

/** What form encoding writes in another way than `encodeURIComponent`. A function for each sign would take 100 times as long. */
const FORM_SIGNS = [["!", "%21"], ["'", "%27"], ["(", "%28"], [")", "%29"], ["~", "%7E"], [
  "%20",
  "+",
]] as const;

/** Form encoding: letters, digits and `.-*_` stay, a space becomes `+`. */
function urlEncode(text: string, _: Arguments, context: Context): string {
  context.spend(text.length >>> ENCODE_SHIFT);
  return FORM_SIGNS.reduce(
    (encoded, [sign, code]) => encoded.replaceAll(sign, code),
    encodeURIComponent(text.toWellFormed()),
  );
}

function urlDecode(text: string, _: Arguments, context: Context): string {
  context.spend(text.length >>> ENCODE_SHIFT);
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return fail("argument", "Cannot decode the text: it holds a malformed percent sequence");
  }
}

function escapeChar(input: JsonValue, args: Arguments, context: Context): JsonValue {
  const type = textArgument(args[0], "type");
  const escape = ESCAPES.get(type.toLowerCase());
  if (!escape) fail("argument", `Unknown escape type "${type}": types are ${[...ESCAPES.keys()].join(", ")}`);
  context.spend(measureValue(input, context).size >>> 8);
  return mapScalars(input, (scalar) => scalar === null ? null : escape(toText(scalar)));
}
