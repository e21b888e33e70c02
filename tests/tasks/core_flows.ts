/** Runs core tasks within flows: builds the source, runs the execution, reads the log. */
import type { JsonObject } from "../../src/base/json.ts";
import { type ExecutionResponse, type Harness, statesOf } from "../support/harness.ts";

/** Prefix of the types in flows. */
export const CORE = "io.kestra.plugin.core.";

/** A flow of namespace `demo` with one task per line: `id type {members}`; the caller indents nested ones. */
export function flowOf(id: string, tasks: readonly string[], head = ""): string {
  return `id: ${id}\nnamespace: demo\n${head}tasks:\n${
    tasks.map((task) => `  - ${taskYaml(task)}\n`).join("")
  }`;
}

function taskYaml(text: string): string {
  const match = /^(\S+) (\S+) ?(\{[^]*\})?$/.exec(text);
  if (!match) return text;
  const [, id, type, members = "{}"] = match;
  const rest = members.slice(1, -1).trim();
  return `{id: ${id}, type: ${CORE}${type}${rest === "" ? "" : `, ${rest}`}}`;
}

/** Runs a flow called `flow` to its end. */
export async function runTasks(
  app: Harness,
  tasks: readonly string[],
  head = "",
): Promise<ExecutionResponse> {
  await app.save(flowOf("flow", tasks, head));
  return await app.start("flow", {}, "?wait=true") as unknown as ExecutionResponse;
}

/** Log messages of an execution, as `LEVEL message`. */
export async function logOf(app: Harness, id: string): Promise<string[]> {
  const entries = await app.json("GET", `/logs/${id}`) as unknown as JsonObject[];
  return entries.map(({ level, message }) => `${level} ${message}`);
}

/** States and outputs by task id, `SUCCESS {…}`. */
export function resultsOf({ taskRunList }: ExecutionResponse): Record<string, string> {
  return Object.fromEntries(
    taskRunList.map(({ taskId, state, outputs }) => {
      const shown = Object.keys(outputs).length > 0 ? ` ${JSON.stringify(outputs)}` : "";
      return [taskId, state.current + shown];
    }),
  );
}

/** The states of the execution and of its task runs, in one line. */
export function summaryOf(execution: ExecutionResponse): string {
  const runs = execution.taskRunList.map(({ taskId, state }) => `${taskId} ${state.current}`);
  return `${statesOf(execution).split(" ").at(-1)}: ${runs.join(", ")}`;
}
