/** The file of differences that types of git give out. */
import { writeFile } from "node:fs/promises";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { TaskContext } from "../../model/tasks/task_definition.ts";

/** Stores one line of JSON for each difference; returns the URI. */
export async function storeDifferences(
  context: TaskContext,
  differences: readonly JsonObject[],
): Promise<string> {
  const path = `${await context.directory()}/differences.ion`;
  await writeFile(path, differences.map((each) => `${stringifyJson(each)}\n`).join(""));
  return await context.storeFile(path);
}
