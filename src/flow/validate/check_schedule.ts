/** Cron expressions and time zones of schedules, as far as they can be told wrong without running them. */
import { cronMistake } from "../../languages/cron/mod.ts";
import { type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { describeValue, readFlag, scalarText } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import { hasExpression, type Report } from "../source/report.ts";

const ZONE_OFFSET = /^(?:Z|(?:UTC|GMT|UT)?[+-](?:0?\d|1[0-8])(?::?[0-5]\d)?)$/;

/** Reports what is wrong with the cron expression and the zone of a schedule. */
export function checkSchedule(trigger: JsonObject, path: Path, report: Report): void {
  const cron = scalarText(ownProperty(trigger, "cron"));
  if (cron !== undefined && !hasExpression(cron)) {
    const mistake = cronMistake(cron, readFlag(ownProperty(trigger, "withSeconds"), false));
    const message = `invalid cron expression ${describeValue(cron)}: ${mistake}`;
    if (mistake !== undefined) report.error("bad_cron", [...path, "cron"], message);
  }
  checkZone(ownProperty(trigger, "timezone"), [...path, "timezone"], report);
}

/** Reports a time zone that does not exist. */
export function checkZone(value: JsonValue | undefined, path: Path, report: Report): void {
  const zone = scalarText(value);
  if (zone === undefined || hasExpression(zone) || isZone(zone)) return;
  report.error("bad_zone", path, `${describeValue(zone)} is not a valid time-zone ID`);
}

function isZone(zone: string): boolean {
  if (ZONE_OFFSET.test(zone)) return true;
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    return Intl.DateTimeFormat("en", { timeZone: zone }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
