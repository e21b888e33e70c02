/** Names of stages. */
import type { JsonValue } from "../../../base/json.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";

/** The stage as statements name it, with `@` before. @throws Error it is no name of a stage */
export function stageOf(given: JsonValue | undefined): string {
  const stage = optionalText(given) ?? "";
  if (!/^@?(?:[\w$.~%]|"[^"]*")+$/.test(stage)) throw new Error(`Invalid stageName "${stage}"`);
  return `@${stage.replace(/^@/, "")}`;
}
