/** Whether a day is a public holiday. */
import { COUNTRIES } from "./countries.ts";
import { dayOfRule } from "./rules.ts";

/** A day of the calendar. */
interface CalendarDay {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

/** True for a public holiday of a country, or of the part of it that is named. @throws Error for a place that is not known */
export function isHoliday(
  { year, month, day }: CalendarDay,
  { country, subDivision }: { readonly country: string; readonly subDivision: string },
): boolean {
  const holidays = COUNTRIES.get(country.toUpperCase());
  if (!holidays) {
    throw new Error(
      `Unknown country "${country}": public holidays are known of ${[...COUNTRIES.keys()].join(", ")}`,
    );
  }
  const part = subDivision.toUpperCase();
  const further = part === "" ? [] : holidays.parts?.get(part);
  if (!further) {
    const known = [...holidays.parts?.keys() ?? []].join(", ") || "none";
    throw new Error(`Unknown part "${subDivision}" of country "${country}": known are ${known}`);
  }
  const date = Date.UTC(year, month - 1, day);
  return [...holidays.all, ...further].some((rule) => dayOfRule(rule, year) === date);
}
