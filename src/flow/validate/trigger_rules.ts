/** Rules of single trigger types that schemas cannot express, by canonical name: a new one is a line of the table. */
import { cronMistake } from "../../languages/cron/mod.ts";
import { readDuration } from "../../base/time/duration.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  stringifyJson,
} from "../../base/json.ts";
import { jsonBytes } from "../../base/json_size.ts";
import { MAX_VALUE_BYTES } from "../../model/limits.ts";
import { oversizedMember } from "../../model/triggers/trigger_state.ts";
import { describeValue, elementsOf, flagOf, hasValue, textOf } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import { hasExpression, type Report } from "../source/report.ts";

type Rule = (trigger: JsonObject, path: Path, report: Report) => void;

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["core.trigger.Webhook", checkWebhook],
  ["slack.app.core.Trigger", checkKey],
  ["core.trigger.Schedule", checkSchedule],
  ["core.trigger.ScheduleOnDates", checkDates],
  ["core.trigger.Flow", checkFlowTrigger],
]);

/** Reports what schemas cannot express of a trigger of that canonical type. */
export function checkTriggerRules(
  trigger: JsonObject,
  type: string,
  { path, report }: { readonly path: Path; readonly report: Report },
): void {
  RULES.get(type)?.(trigger, path, report);
}

/** Shortest webhook key without a warning. */
const MIN_KEY_LENGTH = 16;
const MIN_PERIOD_MS = 1000;
const MAX_PERIOD_MS = 24 * 3_600_000;

/** The messages do not show the key. */
function checkWebhook(trigger: JsonObject, path: Path, report: Report): void {
  checkKey(trigger, path, report);
  checkPeriod(trigger, ["rateLimit", "period"], path, report);
  checkPeriod(trigger, ["signature", "tolerance"], path, report);
}

/** The key alone authorizes a start. */
function checkKey(trigger: JsonObject, path: Path, report: Report): void {
  const key = textOf(trigger, "key")?.trim();
  if (key === "") return report.error("required", [...path, "key"], "must not be empty");
  if (key === undefined || key.length >= MIN_KEY_LENGTH || hasExpression(key)) return;
  const name = describeValue(ownProperty(trigger, "id"));
  const way = `take ${MIN_KEY_LENGTH} random characters or more, or a secret: {{ secret('WEBHOOK_KEY') }}`;
  report.warning("weak_key", [...path, "key"], `the key of trigger ${name} is easy to guess: ${way}`);
}

function checkPeriod(
  trigger: JsonObject,
  [owner, name]: readonly [string, string],
  path: Path,
  report: Report,
): void {
  const object = ownProperty(trigger, owner);
  const ms = isJsonObject(object) ? readDuration(ownProperty(object, name)) : undefined;
  const at = [...path, owner, name];
  if (ms !== undefined && ms < MIN_PERIOD_MS) {
    report.error("too_small", at, "must be greater than or equal to PT1S");
  }
  if (ms !== undefined && ms > MAX_PERIOD_MS) {
    report.error("too_large", at, "must be less than or equal to PT24H");
  }
}

/** Members that a type would share with others, but must not have: they are reported here, not as unknown ones. */
export const REFUSED_MEMBERS: ReadonlyMap<string, string> = new Map([
  ["core.trigger.Schedule", "interval"],
  ["core.trigger.ScheduleOnDates", "interval"],
]);

function refuseInterval(trigger: JsonObject, path: Path, report: Report): void {
  if (!hasValue(trigger, "interval")) return;
  report.error("unknown_property", [...path, "interval"], "must be null: the trigger has its own dates");
}

function checkDates(trigger: JsonObject, path: Path, report: Report): void {
  refuseInterval(trigger, path, report);
  checkZone(trigger, path, report);
}

function checkSchedule(trigger: JsonObject, path: Path, report: Report): void {
  refuseInterval(trigger, path, report);
  const cron = textOf(trigger, "cron");
  if (cron !== undefined && !hasExpression(cron)) {
    const mistake = cronMistake(cron, flagOf(trigger, "withSeconds", false));
    const message = `invalid cron expression ${describeValue(cron)}: ${mistake}`;
    if (mistake !== undefined) report.error("bad_cron", [...path, "cron"], message);
  }
  checkZone(trigger, path, report);
  const backfill = ownProperty(trigger, "backfill");
  const oversized = isJsonObject(backfill) ? oversizedMember(backfill) : undefined;
  if (!oversized) return;
  report.error("too_large", [...path, "backfill", oversized.property], oversized.message);
}

const ZONE_OFFSET = /^(?:Z|(?:UTC|GMT|UT)?[+-](?:0?\d|1[0-8])(?::?[0-5]\d)?)$/;

/** Reports a `timezone` of the object that does not exist. */
function checkZone(object: JsonObject, path: Path, report: Report): void {
  const zone = textOf(object, "timezone");
  if (zone === undefined || hasExpression(zone) || isZone(zone)) return;
  report.error("bad_zone", [...path, "timezone"], `${describeValue(zone)} is not a valid time-zone ID`);
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

/** At least one of them selects the executions that a Flow trigger reacts to. */
const SELECTORS = ["conditions", "when", "preconditions", "dependsOn"];

function checkFlowTrigger(trigger: JsonObject, path: Path, report: Report): void {
  if (!SELECTORS.some((name) => hasValue(trigger, name) && !isEmptyList(ownProperty(trigger, name)))) {
    const message = "This flow will be triggered for EVERY execution of EVERY flow on your instance. " +
      `We recommend adding the preconditions property to the Flow trigger '${textOf(trigger, "id") ?? ""}'.`;
    report.warning("reacts_to_all", path, message);
  }
  checkPreconditions(trigger, path, report);
  checkDependencies(trigger, path, report);
  checkWindowsAreStorable(trigger, path, report);
}

/** JSON bytes of a met part beside its name: the time, the execution, and what its name has beside the declaration. */
const BYTES_OF_PART = 56;

/** The parts of a window that are met are one stored value. */
function checkWindowsAreStorable(trigger: JsonObject, path: Path, report: Report): void {
  const check = (names: readonly string[], at: Path) => {
    const bytes = names.reduce((sum, name) => sum + jsonBytes(name) + BYTES_OF_PART, 0);
    if (bytes <= MAX_VALUE_BYTES) return;
    const message = `the ${names.length} conditions need up to ${bytes} bytes once they are met, ` +
      `but a trigger stores at most ${MAX_VALUE_BYTES}`;
    report.error("too_large", at, message);
  };
  for (const [index, condition] of elementsOf(trigger, "conditions").entries()) {
    const parts = isJsonObject(condition) ? ownProperty(condition, "conditions") : undefined;
    if (isJsonObject(parts)) check(Object.keys(parts), [...path, "conditions", index, "conditions"]);
  }
  const textsIn = (owner: JsonObject, name: string) =>
    elementsOf(owner, name).map((each) => stringifyJson(each));
  const preconditions = ownProperty(trigger, "preconditions");
  if (isJsonObject(preconditions)) {
    check([...textsIn(preconditions, "flows"), ...textsIn(preconditions, "where")], [
      ...path,
      "preconditions",
    ]);
  }
  check(textsIn(trigger, "dependsOn"), [...path, "dependsOn"]);
}

function isEmptyList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

function checkPreconditions(trigger: JsonObject, path: Path, report: Report): void {
  const preconditions = ownProperty(trigger, "preconditions");
  if (!isJsonObject(preconditions)) return;
  checkTimeWindow(ownProperty(preconditions, "timeWindow"), [...path, "preconditions", "timeWindow"], report);
  const at = [...path, "preconditions", "where"];
  for (const [index, group] of elementsOf(preconditions, "where").entries()) {
    const filters = isJsonObject(group) ? elementsOf(group, "filters") : [];
    for (const [position, filter] of filters.entries()) {
      if (isJsonObject(filter)) checkFilter(filter, [...at, index, "filters", position], report);
    }
  }
}

const WINDOW_MEMBERS: ReadonlyMap<string, string> = new Map([
  ["deadline", "a deadline"],
  ["startTime", "a start time"],
  ["endTime", "an end time"],
  ["window", "a window"],
  ["windowAdvance", "a window advance"],
]);

interface WindowForm {
  readonly needs: readonly string[];
  readonly takes: readonly string[];
  /** Second message for a window of this type that has a length. */
  readonly reminder?: string;
}

const NO_DEADLINE =
  "cannot have a deadline. As a window, that belongs to other types: this one has a start time and an end time";

/** Required and optional members of a time window, by its type. */
const WINDOW_FORMS: ReadonlyMap<string, WindowForm> = new Map([
  ["DAILY_TIME_DEADLINE", { needs: ["deadline"], takes: [] }],
  ["DAILY_TIME_WINDOW", { needs: ["startTime", "endTime"], takes: [], reminder: NO_DEADLINE }],
  ["DURATION_WINDOW", { needs: [], takes: ["window", "windowAdvance"] }],
  ["SLIDING_WINDOW", { needs: [], takes: ["window"] }],
]);

function checkTimeWindow(window: JsonValue | undefined, path: Path, report: Report): void {
  if (!isJsonObject(window)) return;
  checkZone(window, path, report);
  const type = textOf(window, "type") ?? "DURATION_WINDOW";
  const form = WINDOW_FORMS.get(type);
  if (!form) return;
  for (const [name, shown] of WINDOW_MEMBERS) {
    const isGiven = hasValue(window, name), isNeeded = form.needs.includes(name);
    if (isNeeded && !isGiven) {
      report.error("required", path, `Time window of type \`${type}\` must have ${shown}.`);
    } else if (isGiven && !isNeeded && !form.takes.includes(name)) {
      const message = `Time window of type \`${type}\` cannot have ${shown}.`;
      report.error("bad_window", [...path, name], message);
    }
  }
  if (form.reminder !== undefined && hasValue(window, "window") && !hasValue(window, "deadline")) {
    report.error("bad_window", path, `Time window of type \`${type}\` ${form.reminder}`);
  }
}

/** Filters that compare with several values. */
const LISTED: ReadonlySet<string> = new Set(["IN", "NOT_IN"]);
/**
 * Filters that compare with no value; with `field: EXPRESSION` their `value` is the expression. Any other `value` is
 * accepted and ignored: older releases of the language required one. A filter that has only `values` is
 * refused for both: where a value was meant, `value` is its place.
 */
const BARE: ReadonlySet<string> = new Set(["IS_NULL", "IS_NOT_NULL", "IS_TRUE", "IS_FALSE"]);

/** A filter has `value` or `values`, as its type needs; with `field: EXPRESSION` always `value`. */
function checkFilter(filter: JsonObject, path: Path, report: Report): void {
  const type = textOf(filter, "type");
  if (type === undefined) return;
  const isExpression = textOf(filter, "field") === "EXPRESSION", isBare = BARE.has(type);
  const isListed = LISTED.has(type), isAlone = isBare && !hasValue(filter, "values");
  const needsValue = isExpression || !isListed && !isAlone;
  for (const [name, isWanted] of [["value", needsValue], ["values", isListed]] as const) {
    const isGiven = hasValue(filter, name);
    const isIgnored = isGiven && isBare && name === "value";
    if (isGiven === isWanted || isIgnored) continue;
    const message = `\`${name}\` ${isGiven ? "must" : "cannot"} be null for type ${type}`;
    report.error("bad_filter", isGiven ? [...path, name] : path, message);
  }
}

/** Members of a Flow trigger that need `dependsOn`. */
const DEPENDENT = ["mode", "minSatisfied", "window"];

/** Rules of `dependsOn`, `mode` and `window` of a Flow trigger. */
function checkDependencies(trigger: JsonObject, path: Path, report: Report): void {
  const count = elementsOf(trigger, "dependsOn").length;
  for (const name of count === 0 ? DEPENDENT : []) {
    if (hasValue(trigger, name)) report.error("required", path, `\`${name}\` needs \`dependsOn\``);
  }
  if (count > 0 && hasValue(trigger, "preconditions")) {
    report.error("bad_dependency", [...path, "preconditions"], "cannot be combined with `dependsOn`");
  }
  if (count > 0) checkMode(trigger, count, { path, report });
  const window = ownProperty(trigger, "window");
  if (!isJsonObject(window)) return;
  checkDependencyWindow(window, [...path, "window"], report);
  checkZone(window, [...path, "window"], report);
}

function checkMode(
  trigger: JsonObject,
  count: number,
  { path, report }: { readonly path: Path; readonly report: Report },
): void {
  const isCounted = textOf(trigger, "mode") === "AT_LEAST";
  if (isCounted !== hasValue(trigger, "minSatisfied")) {
    report.error("required", path, "`mode: AT_LEAST` and `minSatisfied` need each other");
  } else if (isCounted && Number(textOf(trigger, "minSatisfied")) > count) {
    const message = `must not be more than the ${count} entries of \`dependsOn\``;
    report.error("too_large", [...path, "minSatisfied"], message);
  }
}

/** A `window` has the members of exactly one of these forms. */
const DEPENDENCY_WINDOWS = [["deadline"], ["from", "to"], ["every", "offset"], ["lookback"]];

function checkDependencyWindow(window: JsonObject, path: Path, report: Report): void {
  const isGiven = (name: string) => hasValue(window, name);
  const forms = DEPENDENCY_WINDOWS.filter((names) => names.some(isGiven));
  const mistake = forms.length !== 1
    ? "must have either `deadline`, `from` and `to`, `every`, or `lookback`"
    : isGiven("from") !== isGiven("to")
    ? "`from` and `to` need each other"
    : isGiven("offset") && !isGiven("every")
    ? "`offset` needs `every`"
    : undefined;
  if (mistake !== undefined) report.error("bad_dependency", path, mistake);
}
