/** Values of charts as people read them. */
import type { JsonValue } from "../../../../base/json.ts";
import { countText } from "../../core/numbers.ts";
import { dateTimeText, durationText } from "../../core/time.ts";
import type { Column } from "./definition.ts";

/** A number of a column; durations are seconds. */
export function numberText({ field, agg }: Pick<Column, "field" | "agg">, value: number): string {
  if (field === "DURATION" && agg !== "COUNT") return durationText(value);
  return countText(value, 2);
}

/** Any value of a column; a dash for an empty one. */
export function valueText(column: Column, value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return numberText(column, value);
  return isDate(column) ? dateTimeText(String(value)) : String(value);
}

/** True for a column of dates; a count of dates is a number. */
export function isDate({ field = "", agg }: Column): boolean {
  return (field === "DATE" || field.endsWith("_DATE")) && agg !== "COUNT";
}

/** True if the values of several groups can be added up. */
export function isAdditive({ agg }: Column): boolean {
  return agg === "COUNT" || agg === "SUM";
}
