/** Rules that single trigger types add to their schemas, by canonical name: a new one is a line of the table. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { checkDependencies } from "./check_dependencies.ts";
import { checkSchedule, checkZone } from "./check_schedule.ts";
import { checkWebhook } from "./check_webhook.ts";
import { scalarText } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";

type Rule = (trigger: JsonObject, path: Path, report: Report) => void;

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["core.trigger.Webhook", checkWebhook],
  ["core.trigger.Schedule", checkSchedule],
  [
    "core.trigger.ScheduleOnDates",
    (trigger, path, report) => checkZone(ownProperty(trigger, "timezone"), [...path, "timezone"], report),
  ],
  ["core.trigger.Flow", checkFlowTrigger],
]);

/** Filters that compare with several values. */
const LISTED: ReadonlySet<string> = new Set(["IN", "NOT_IN"]);
/** Filters that compare with nothing; of an expression they have the expression itself as `value`. */
const BARE: ReadonlySet<string> = new Set(["IS_NULL", "IS_NOT_NULL", "IS_TRUE", "IS_FALSE"]);

/** Members of a time window, each as messages name it. */
const WINDOW_MEMBERS: ReadonlyMap<string, string> = new Map([
  ["deadline", "a deadline"],
  ["startTime", "a start time"],
  ["endTime", "an end time"],
  ["window", "a window"],
  ["windowAdvance", "a window advance"],
]);

/** What time windows have, by type: a part of the day says which, the others have a length. */
const WINDOW_FORMS: ReadonlyMap<
  string,
  { readonly needs: readonly string[]; readonly takes: readonly string[] }
> = new Map([
  ["DAILY_TIME_DEADLINE", { needs: ["deadline"], takes: [] }],
  ["DAILY_TIME_WINDOW", { needs: ["startTime", "endTime"], takes: [] }],
  ["DURATION_WINDOW", { needs: [], takes: ["window", "windowAdvance"] }],
  ["SLIDING_WINDOW", { needs: [], takes: ["window", "windowAdvance"] }],
]);

/** Reports what schemas cannot say of a trigger of that canonical type. */
export function checkTriggerRules(
  trigger: JsonObject,
  type: string,
  { path, report }: { readonly path: Path; readonly report: Report },
): void {
  RULES.get(type)?.(trigger, path, report);
}

/** One of them says which executions a Flow trigger reacts to. */
const SELECTORS = ["conditions", "when", "preconditions", "dependsOn"];

function checkFlowTrigger(trigger: JsonObject, path: Path, report: Report): void {
  if (SELECTORS.every((name) => (ownProperty(trigger, name) ?? null) === null)) {
    const message = "it reacts to EVERY execution of EVERY flow: say with `preconditions` to which";
    report.warning("reacts_to_all", path, message);
  }
  checkPreconditions(trigger, path, report);
  checkDependencies(trigger, path, report);
}

function checkPreconditions(trigger: JsonObject, path: Path, report: Report): void {
  const preconditions = ownProperty(trigger, "preconditions");
  if (!isJsonObject(preconditions)) return;
  checkTimeWindow(ownProperty(preconditions, "timeWindow"), [...path, "preconditions", "timeWindow"], report);
  const at = [...path, "preconditions", "where"];
  for (const [index, group] of listOf(ownProperty(preconditions, "where")).entries()) {
    const filters = isJsonObject(group) ? listOf(ownProperty(group, "filters")) : [];
    for (const [position, filter] of filters.entries()) {
      if (isJsonObject(filter)) checkFilter(filter, [...at, index, "filters", position], report);
    }
  }
}

/** A window has what its type needs, and nothing that means something for another type only. */
function checkTimeWindow(window: JsonValue | undefined, path: Path, report: Report): void {
  if (!isJsonObject(window)) return;
  checkZone(ownProperty(window, "timezone"), [...path, "timezone"], report);
  const type = scalarText(ownProperty(window, "type")) ?? "DURATION_WINDOW";
  const form = WINDOW_FORMS.get(type);
  if (!form) return;
  for (const [name, shown] of WINDOW_MEMBERS) {
    const isGiven = (ownProperty(window, name) ?? null) !== null, isNeeded = form.needs.includes(name);
    if (isNeeded && !isGiven) {
      report.error("required", path, `Time window of type \`${type}\` must have ${shown}`);
    } else if (isGiven && !isNeeded && !form.takes.includes(name)) {
      const message = `Time window of type \`${type}\` cannot have ${shown}`;
      report.error("bad_window", [...path, name], message);
    }
  }
}

/** A filter has `value` or `values` as its type needs; one of an expression has that as `value`, whatever its type. */
function checkFilter(filter: JsonObject, path: Path, report: Report): void {
  const type = scalarText(ownProperty(filter, "type"));
  if (type === undefined) return;
  const isExpression = scalarText(ownProperty(filter, "field")) === "EXPRESSION";
  const isListed = LISTED.has(type), hasValue = isExpression || !isListed && !BARE.has(type);
  for (const [name, isWanted] of [["value", hasValue], ["values", isListed]] as const) {
    const isGiven = (ownProperty(filter, name) ?? null) !== null;
    if (isGiven === isWanted) continue;
    const rule = isGiven ? "must" : "cannot";
    report.error(
      "bad_filter",
      isGiven ? [...path, name] : path,
      `\`${name}\` ${rule} be null for type ${type}`,
    );
  }
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
