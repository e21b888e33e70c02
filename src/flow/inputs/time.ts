/** DATETIME, DATE and TIME. */
import { normalizeDay, normalizeTime, normalizeTimestamp } from "../../base/time/iso_8601.ts";
import type { JsonValue } from "../../base/json.ts";
import { boundMistakes, type ReadComparable, TIME_BOUNDS, withinBounds } from "./bounds.ts";
import { expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

/** An instant; given with a zone, kept in UTC. `after` and `before` are inclusive. */
export const dateTimeInput: InputType = timeInput("DATETIME", {
  read: normalizeTimestamp,
  order: instantOrder,
  hint: 'it is not a date and time with a zone, such as "2026-01-31T08:15:30Z"',
});

/** A day. */
export const dateInput: InputType = timeInput("DATE", {
  read: normalizeDay,
  order: (date) => date,
  hint: 'it is not a date such as "2026-01-31"',
});

/** A time of day. */
export const timeOfDayInput: InputType = timeInput("TIME", {
  read: normalizeTime,
  order: (time) => time,
  hint: 'it is not a time of day such as "08:15:30"',
  // As people say a time that has no seconds.
  show: (bound) => String(bound).replace(/^(\d\d:\d\d):00$/, "$1"),
});

interface TimeForm {
  /** The normal text; `undefined` when the text is not of the form. */
  read(text: string): string | undefined;
  /** A text that compares as the times do. */
  order(normal: string): string;
  readonly hint: string;
  /** A bound as messages tell it; as it was written unless given. */
  readonly show?: (bound: JsonValue | undefined) => string;
}

function timeInput(type: string, form: TimeForm): InputType {
  const read: ReadComparable = (value) => {
    const normal = readText(value, form);
    return normal === undefined ? undefined : form.order(normal);
  };
  return {
    names: [type],
    properties: {
      after: { type: "string", description: "Earliest value." },
      before: { type: "string", description: "Latest value." },
    },
    convert(value, properties) {
      const normal = readText(value, form);
      if (normal === undefined) return expected(type, shownValue(value), form.hint);
      return withinBounds(normal, properties, { names: TIME_BOUNDS, read, show: form.show });
    },
    checkDeclaration: (properties) => boundMistakes(properties, { names: TIME_BOUNDS, read, type }),
  };
}

/** A text whose order is that of the instants. */
function instantOrder(instant: string): string {
  return `${instant.slice(0, 19)}.${instant.slice(20, -1).padEnd(9, "0")}`;
}

function readText(value: JsonValue, form: TimeForm): string | undefined {
  return typeof value === "string" ? form.read(value.trim()) : undefined;
}
