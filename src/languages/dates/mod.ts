/**
 * Dates with zones: arithmetic, and reading and printing by Java patterns. Zone rules and names are those of the platform's
 * Intl. No Temporal: runtimes before Deno 2.7 lack it, and it has no patterns. No library: `@js-joda` has Java patterns, but
 * not all (`B`), prints ids of zones for their names (`z`), and needs 30 MB for zones and one locale.
 */
export { addUnits, type DateTime, dateTimeAt } from "./date_time.ts";
export { formatDate } from "./format.ts";
export { parseDateBy, parseIsoDate } from "./parse.ts";
export { findFormat } from "./pattern.ts";
export { dayOfWeek } from "./week.ts";
export { epochSecondsOf, findZone, offsetText, type Zone } from "./zone.ts";
