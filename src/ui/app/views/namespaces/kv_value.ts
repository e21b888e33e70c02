/** Values of KV pairs: as texts in forms, and as the API reads them. */
import { get } from "../../api/client.ts";
import { apiPath } from "../../core/places.ts";

/** Types that the API distinguishes. */
export const KV_TYPES = ["STRING", "NUMBER", "BOOLEAN", "DATETIME", "DATE", "DURATION", "JSON"] as const;

/** One of them. */
export type KvType = typeof KV_TYPES[number];

/** A pair in a list, without its value. */
export interface KvRow {
  readonly namespace: string;
  readonly key: string;
  readonly type: KvType;
  readonly revision: number;
  readonly description?: string;
  readonly updateDate: string;
  readonly expirationDate?: string;
}

/** A value with its type. */
export interface KvValue {
  readonly type: KvType;
  readonly value: unknown;
}

/** What a value looks like while it is typed. */
export const KV_EXAMPLES: Readonly<Record<KvType, string>> = {
  STRING: "eu-west-1",
  NUMBER: "42",
  BOOLEAN: "true",
  DATETIME: "2026-01-31T08:15:30Z",
  DATE: "2026-01-31",
  DURATION: "PT15M",
  JSON: '{"a": [1, 2]}',
};

const FORMS: Readonly<Partial<Record<KvType, RegExp>>> = {
  NUMBER: /^[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/,
  BOOLEAN: /^(?:true|false)$/,
  DATETIME: /^\d{4}-\d\d-\d\dT\d\d:\d\d/,
  DATE: /^\d{4}-\d\d-\d\d$/,
  DURATION: /^P(?=.)/,
};

/** The value of a pair. */
export function readKv({ namespace, key }: KvRow): Promise<KvValue> {
  return get<KvValue>(`/namespaces${apiPath(namespace)}/kv${apiPath(key)}`);
}

/** A value as a text that a person can change. */
export function kvText({ type, value }: KvValue): string {
  return type === "JSON" || typeof value !== "string" ? JSON.stringify(value, null, 2) : value;
}

/** True if the text is a value of the type. */
export function isKvText(type: KvType, text: string): boolean {
  if (type === "JSON") return isJson(text);
  return FORMS[type]?.test(text.trim()) ?? true;
}

/** Body and content type of a request that sets the value. A text is sent as JSON, so that "42" stays a text. */
export function kvBody(type: KvType, text: string): { readonly body: string; readonly contentType: string } {
  if (type === "STRING") return { body: JSON.stringify(text), contentType: "application/json" };
  const isJsonText = type === "NUMBER" || type === "BOOLEAN" || type === "JSON";
  return { body: text.trim(), contentType: isJsonText ? "application/json" : "text/plain" };
}

function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
