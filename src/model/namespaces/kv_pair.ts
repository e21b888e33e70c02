/** KV pairs: value types, parsing of values, and validation of keys and times to live. */
import type { Instant } from "../../base/time/clock.ts";
import { parseDuration } from "../../base/time/duration.ts";
import { Double, type JsonValue } from "../../base/json.ts";
import { DomainError } from "../errors.ts";
import { IonError, type IonKind, type IonValue, parseIon } from "../../languages/ion/mod.ts";

/** Types of values. The order is stored: append only. */
export const KV_TYPES = ["STRING", "NUMBER", "BOOLEAN", "DATETIME", "DATE", "DURATION", "JSON"] as const;

/** One of {@link KV_TYPES}. */
export type KvType = typeof KV_TYPES[number];

/** A value with its type. Dates, times and durations are stored as texts. */
export interface KvValue {
  readonly type: KvType;
  readonly value: JsonValue;
}

/** Identifies a pair within its tenant. */
export interface KvPairId {
  readonly namespace: string;
  readonly key: string;
}

/** A pair without its value, as in lists. */
export interface KvPairInfo extends KvPairId {
  readonly type: KvType;
  /** From 1; incremented by each write. */
  readonly revision: number;
  readonly description?: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly expiresAt?: Instant;
}

/** A pair with its value. */
export interface KvPair extends KvPairInfo, KvValue {}

/** Maximum characters of a key. */
export const MAX_KV_KEY_LENGTH = 256;
/** Maximum characters of a description. */
const MAX_KV_DESCRIPTION_LENGTH = 1_000;

const KEY = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;
/** In the words that clients compare. */
const KEY_RULE =
  "Key must start with an alphanumeric character (uppercase or lowercase) and can contain alphanumeric characters " +
  "(uppercase or lowercase), dots (.), underscores (_), and hyphens (-) only.";
/** The largest valid value of a `Date`. */
const MAX_INSTANT = 8.64e15;

const TYPE_OF_KIND: Readonly<Record<IonKind, KvType>> = {
  null: "STRING",
  boolean: "BOOLEAN",
  number: "NUMBER",
  string: "STRING",
  date: "DATE",
  timestamp: "DATETIME",
  container: "JSON",
};

/** Validates and returns the key. @throws DomainError invalid_argument */
export function checkKvKey(key: string): string {
  if (key.length <= MAX_KV_KEY_LENGTH && KEY.test(key)) return key;
  throw new DomainError(
    "invalid_argument",
    `Illegal argument: ${KEY_RULE} At most ${MAX_KV_KEY_LENGTH} characters are allowed, ` +
      `but received ${JSON.stringify(key.slice(0, 100))}`,
  );
}

/**
 * Parses a value: JSON, or one of the looser forms that clients send (see `parseIon`). With `isPlainText` any other text
 * is a STRING. A duration, quoted or not, is a DURATION.
 * @throws DomainError invalid_json
 */
export function parseKvValue(text: string, options: { isPlainText: boolean }): KvValue {
  const { kind, value } = readIon(text, options.isPlainText);
  const type = isDuration(value) ? "DURATION" : TYPE_OF_KIND[kind];
  return { type, value };
}

function readIon(text: string, isProseAllowed: boolean): IonValue {
  try {
    return parseIon(text, { isProseAllowed });
  } catch (error) {
    if (error instanceof IonError) throw new DomainError("invalid_json", `Invalid json: ${error.reason}`);
    throw error;
  }
}

/** The value with the type derived from it; a text is a STRING or a DURATION. */
export function kvValueOf(value: JsonValue): KvValue {
  if (isDuration(value)) return { type: "DURATION", value };
  if (value === null || typeof value === "string") return { type: "STRING", value };
  if (typeof value === "boolean") return { type: "BOOLEAN", value };
  const isNumber = typeof value === "number" || typeof value === "bigint" || value instanceof Double;
  return { type: isNumber ? "NUMBER" : "JSON", value };
}

/**
 * Expiry of a pair written `now` with this ISO 8601 duration; `undefined` without a duration.
 * @throws DomainError invalid_argument
 */
export function expiryOf(ttl: string | undefined, now: Instant): Instant | undefined {
  if (ttl === undefined || ttl === "") return undefined;
  const ms = parseDuration(ttl);
  if (ms !== undefined && ms >= 0 && now + ms <= MAX_INSTANT) return now + ms;
  throw new DomainError(
    "invalid_argument",
    `Illegal argument: ttl ${
      JSON.stringify(ttl.slice(0, 100))
    } must be a duration such as "PT1H" that is not negative`,
  );
}

/** Validates and returns the description; `undefined` if it is empty. @throws DomainError invalid_argument */
export function checkKvDescription(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  if (text.length <= MAX_KV_DESCRIPTION_LENGTH) return text;
  throw new DomainError(
    "invalid_argument",
    `Illegal argument: the description is longer than ${MAX_KV_DESCRIPTION_LENGTH} characters`,
  );
}

function isDuration(value: JsonValue): boolean {
  return typeof value === "string" && value === value.trim() && parseDuration(value) !== undefined;
}
