/** Runs script tasks within a flow. */
import { type ExecutionResponse, Harness, type HarnessOptions } from "../harness.ts";

/** An ended execution with its log. */
export interface EndedScript {
  readonly id: string;
  readonly execution: ExecutionResponse;
  /** Outputs of the last task run. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** `LEVEL message` from INFO, in order. */
  readonly lines: readonly string[];
}

let flowCount = 0;

/** Saves a flow with these tasks, runs it to its end and reads the log. */
export async function runScripts(app: Harness, tasks: string): Promise<EndedScript> {
  const flowId = `s${flowCount++}`;
  await app.save(`id: ${flowId}\nnamespace: demo\ntasks:\n${tasks}`);
  const { id } = await app.start(flowId, {}, "?wait=true");
  const execution = await app.execution(String(id));
  const logs = await app.json("GET", `/logs/${id}?minLevel=INFO`) as { level: string; message: string }[];
  const lines = logs.map(({ level, message }) => `${level} ${message}`);
  return { id: String(id), execution, outputs: execution.taskRunList.at(-1)?.outputs ?? {}, lines };
}

/** {@link runScripts} on a server of its own. */
export async function runScriptsOn(options: HarnessOptions, tasks: string): Promise<EndedScript> {
  await using app = await Harness.start(options);
  return await runScripts(app, tasks);
}

/** A task of `scripts.<type>` with these further members, one line each. */
export function scriptTask(type: string, members: readonly string[]): string {
  const lines = members.flatMap((member) => member.split("\n")).map((line) => `    ${line}\n`);
  return `  - id: c\n    type: io.kestra.plugin.scripts.${type}\n${lines.join("")}`;
}
