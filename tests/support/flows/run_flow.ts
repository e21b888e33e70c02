/** Runs tasks as a flow and gives what tests of their types look at. */
import type { JsonObject } from "../../../src/base/json.ts";
import type { ExecutionResponse, Harness } from "../harness.ts";

/** An ended execution. */
export interface EndedFlow {
  readonly execution: ExecutionResponse;
  readonly state: string;
  /** Of each task that ran last, by its id. */
  readonly outputs: Readonly<Record<string, JsonObject>>;
  readonly logs: readonly string[];
  /** Those of level ERROR. */
  readonly errors: readonly string[];
}

/** Saves tasks, as YAML of a list, as the flow `demo.run`, and runs it to its end. */
export async function runTasks(app: Harness, tasks: string): Promise<EndedFlow> {
  await (await app.request("DELETE", "/flows/demo/run")).body?.cancel();
  await app.save(`id: run\nnamespace: demo\ntasks:\n${tasks}`);
  const { id } = await app.start("run", {}, "?wait=true");
  const execution = await app.execution(id);
  const logs = await app.json("GET", `/logs/${id}`) as unknown as { level: string; message: string }[];
  return {
    execution,
    state: execution.state.current,
    outputs: Object.fromEntries(
      execution.taskRunList.map(({ taskId, outputs }) => [taskId, outputs as JsonObject]),
    ),
    logs: logs.map(({ message }) => message),
    errors: logs.filter(({ level }) => level === "ERROR").map(({ message }) => message),
  };
}

/** The text of a file that the execution stored. */
export async function storedText(app: Harness, { execution }: EndedFlow, uri: unknown): Promise<string> {
  const path = encodeURIComponent(String(uri));
  const response = await app.request("GET", `/executions/${execution.id}/file?path=${path}`);
  return await response.text();
}
