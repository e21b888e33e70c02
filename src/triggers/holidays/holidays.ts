/** Whether a day is a public holiday of a country, or of a part of it. */
import { COUNTRIES } from "./countries.ts";

interface CalendarDay {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

/** A country, and the part of it or an empty text; compared without regard to case. */
interface HolidayPlace {
  readonly country: string;
  readonly subDivision: string;
}

/** The unknown one of the two codes; the message lists the known ones. */
interface UnknownPlace {
  readonly property: keyof HolidayPlace;
  readonly message: string;
}

/** The unknown code of a place; `undefined` when its holidays are known. */
export function unknownPlace({ country, subDivision }: HolidayPlace): UnknownPlace | undefined {
  const holidays = COUNTRIES.get(country.toUpperCase());
  if (!holidays) {
    const known = [...COUNTRIES.keys()].join(", ");
    return {
      property: "country",
      message: `Unknown country "${country}": public holidays are known of ${known}`,
    };
  }
  const part = subDivision.toUpperCase();
  if (part === "" || holidays.parts?.has(part)) return undefined;
  const known = [...holidays.parts?.keys() ?? []].join(", ") || "none";
  return {
    property: "subDivision",
    message: `Unknown part "${subDivision}" of country "${country}": known are ${known}`,
  };
}

/** True for a public holiday of a country, or of the part of it that is named. @throws Error the place is unknown */
export function isHoliday({ year, month, day }: CalendarDay, place: HolidayPlace): boolean {
  const unknown = unknownPlace(place);
  if (unknown) throw new Error(unknown.message);
  const holidays = COUNTRIES.get(place.country.toUpperCase());
  const further = holidays?.parts?.get(place.subDivision.toUpperCase()) ?? [];
  const date = Date.UTC(year, month - 1, day);
  return [...holidays?.all ?? [], ...further].some((rule) => rule(year) === date);
}
