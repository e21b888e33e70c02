/**
 * Dates with zones: arithmetic, and reading and printing by Java patterns. Zone rules and names come from the platform's
 * Intl. No Temporal: Deno before 2.7 lacks it, and it has no patterns. No library: `@js-joda` has most Java patterns, but
 * refuses `B`, prints zone ids instead of names for `z`, and takes 30 MB for zones and one locale.
 */
export { addUnits, type DateTime, dateTimeAt, inZone } from "./date_time.ts";
export { formatDate } from "./format.ts";
export { parseDateBy, parseIsoDate } from "./parse.ts";
export { findFormat, formatSteps } from "./pattern.ts";
export { dayOfWeek } from "./week.ts";
export { epochSecondsOf, findZone, offsetText, type Zone } from "./zone.ts";
