/** Lines of dbt with `--log-format json`. https://docs.getdbt.com/reference/events-logging */
import { isJsonObject, type JsonObject, ownProperty, tryParseJson } from "../../../../base/json.ts";
import type { LogLevel } from "../../../../model/flows/flow.ts";
import type { ReadLine } from "../../script_output.ts";

const LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ["debug", "DEBUG"],
  ["info", "INFO"],
  ["warn", "WARN"],
  ["warning", "WARN"],
  ["error", "ERROR"],
]);
const COUNTER = /^[a-z_]{1,20}$/;
// deno-lint-ignore no-control-regex
const COLORS = /\u001b\[[\d;]*m/g;

/** The message of such a line, with the counters of the line that sums up a run; `undefined` for any other line. */
export function readDbtLine(text: string): ReadLine | undefined {
  if (!text.startsWith("{")) return undefined;
  const line = tryParseJson(text);
  if (!isJsonObject(line)) return undefined;
  const info = objectIn(line, "info") ?? line;
  const level = LEVELS.get(String(info.level));
  if (level === undefined || typeof info.msg !== "string") return undefined;
  const data = objectIn(line, "data");
  const stats = data && objectIn(data, "stats");
  return {
    level,
    message: info.msg.replace(COLORS, "").trim(),
    counters: new Map(
      Object.entries(stats ?? {}).filter((entry): entry is [string, number] =>
        COUNTER.test(entry[0]) && typeof entry[1] === "number"
      ),
    ),
  };
}

function objectIn(object: JsonObject, name: string): JsonObject | undefined {
  const value = ownProperty(object, name);
  return isJsonObject(value) ? value : undefined;
}
