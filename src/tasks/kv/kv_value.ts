/** Converts the value of a pair to its declared type. */
import { parseDuration } from "../../base/duration.ts";
import { type JsonValue, parseJson, tryParseJson } from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";
import { type KvType, type KvValue, kvValueOf } from "../../model/namespaces/kv_pair.ts";
import { normalizeDay, normalizeTimestamp } from "../../base/iso_8601.ts";

/** Converts a text to the type; without a type, or for other values, the type follows from the value. @throws Error not convertible */
export function typedKvValue(value: JsonValue, type: KvType | undefined): KvValue {
  if (type === undefined || typeof value !== "string") return kvValueOf(value);
  const read = READERS[type](value.trim(), value);
  if (read !== undefined) return { type, value: read };
  throw new Error(`Invalid value "${printValue(value).slice(0, 100)}": it is no ${type}`);
}

type Reader = (trimmed: string, text: string) => JsonValue | undefined;

const READERS: Readonly<Record<KvType, Reader>> = {
  STRING: (_trimmed, text) => text,
  NUMBER: (text) => isNumber(text) ? parseJson(text) : undefined,
  BOOLEAN: (text) => text.toLowerCase() === "true",
  DATETIME: (text) => normalizeTimestamp(text),
  DATE: (text) => normalizeDay(text) ?? normalizeTimestamp(text)?.slice(0, 10),
  DURATION: (text) => parseDuration(text) === undefined ? undefined : text,
  JSON: tryParseJson,
};

function isNumber(text: string): boolean {
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && text.length <= 1_000;
}
