/** Words without quotes, as clients write values: numbers, days, timestamps, and texts. */
import type { JsonValue } from "../../base/json.ts";
import { normalizeTimestamp, parseDay } from "../../base/timestamp_text.ts";
import { ION_NUMBER, readIonNumber } from "./number.ts";

/** How a value is written; days and timestamps are texts of their own kind. */
export type IonKind = "null" | "boolean" | "number" | "string" | "date" | "timestamp" | "container";

/** A value and how it is written. */
export interface IonValue {
  readonly kind: IonKind;
  readonly value: JsonValue;
}

const NUMBER = new RegExp(`^${ION_NUMBER.source}$`);
const NULL = /^null(?:\.[a-z]+)?$/;

/** The value of a word. @throws IonError */
export function readWord(word: string): IonValue {
  if (NULL.test(word)) return { kind: "null", value: null };
  if (word === "true" || word === "false") return { kind: "boolean", value: word === "true" };
  if (NUMBER.test(word)) return { kind: "number", value: readIonNumber(word) };
  const day = parseDay(word);
  if (day !== undefined) return { kind: "date", value: day };
  const timestamp = normalizeTimestamp(word);
  if (timestamp !== undefined) return { kind: "timestamp", value: timestamp };
  return { kind: "string", value: word };
}
