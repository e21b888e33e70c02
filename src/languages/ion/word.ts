/** Words without quotes, as clients write values: numbers, days, timestamps, and texts. */
import type { JsonValue } from "../../base/json.ts";
import { normalizeDay, normalizeTimestamp } from "../../base/time/iso_8601.ts";
import { ION_NUMBER, readIonNumber } from "./number.ts";

/** How a value is written; days and timestamps are texts of their own kind. */
export type IonKind = "null" | "boolean" | "number" | "string" | "date" | "timestamp" | "container";

/** A value and how it is written. */
export interface IonValue {
  readonly kind: IonKind;
  readonly value: JsonValue;
}

const NUMBER = new RegExp(`^${ION_NUMBER.source}$`);
/** Stricter than ISO 8601: years from 1, no other forms of a fraction or an offset, no hour 24. */
const DATE = /^(?!0000)\d{4}-\d\d-\d\d(?:T(?:(?!24)\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?)?$/;
const NULL = /^null(?:\.[a-z]+)?$/;

/** The value of a word. @throws IonError */
export function readWord(word: string): IonValue {
  if (NULL.test(word)) return { kind: "null", value: null };
  if (word === "true" || word === "false") return { kind: "boolean", value: word === "true" };
  if (NUMBER.test(word)) return { kind: "number", value: readIonNumber(word) };
  if (!DATE.test(word)) return { kind: "string", value: word };
  const day = normalizeDay(word);
  if (day !== undefined) return { kind: "date", value: day };
  const timestamp = normalizeTimestamp(word);
  if (timestamp !== undefined) return { kind: "timestamp", value: timestamp };
  return { kind: "string", value: word };
}
