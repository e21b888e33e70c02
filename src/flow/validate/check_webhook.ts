/** Rules of webhooks: their key, what limits their calls, and how those are signed. */
import { parseDuration } from "../../base/duration.ts";
import { isJsonObject, type JsonObject, ownProperty } from "../../base/json.ts";
import { describeValue, scalarText } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import { hasExpression, type Report } from "../source/report.ts";

/** Keys with fewer characters are told of. */
const MIN_KEY_LENGTH = 16;
const MIN_PERIOD_MS = 1000;
const MAX_PERIOD_MS = 24 * 3_600_000;

/** Reports what schemas cannot say of a webhook; the messages keep its key secret. */
export function checkWebhook(trigger: JsonObject, path: Path, report: Report): void {
  checkKey(trigger, path, report);
  checkPeriod(trigger, ["rateLimit", "period"], path, report);
  checkPeriod(trigger, ["signature", "tolerance"], path, report);
}

/** The key is all that keeps others from starting the flow. */
function checkKey(trigger: JsonObject, path: Path, report: Report): void {
  const key = scalarText(ownProperty(trigger, "key"))?.trim();
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
  const text = isJsonObject(object) ? scalarText(ownProperty(object, name)) : undefined;
  const ms = text === undefined ? undefined : parseDuration(text);
  const at = [...path, owner, name];
  if (ms !== undefined && ms < MIN_PERIOD_MS) {
    report.error("too_small", at, "must be greater than or equal to PT1S");
  }
  if (ms !== undefined && ms > MAX_PERIOD_MS) {
    report.error("too_large", at, "must be less than or equal to PT24H");
  }
}
