/** Runs tasks of a flow and reads their log. */
import type { Harness } from "../harness.ts";

/** An ended execution. */
export interface TaskRuns {
  readonly id: string;
  readonly state: string;
  /** `LEVEL message`, in order, without the head that says where a script runs. */
  readonly lines: readonly string[];
  /** Outputs of the last task. */
  readonly outputs: Readonly<Record<string, unknown>>;
}

const HEAD = /^(?:Runs as a process|The commands run as processes) of this machine/;

let flowCount = 0;

/** Runs a list of tasks as YAML. */
export async function runTasks(app: Harness, tasks: string): Promise<TaskRuns> {
  const flowId = `f${flowCount++}`;
  await app.save(`id: ${flowId}\nnamespace: demo\ntasks:\n${tasks}`);
  const { id } = await app.start(flowId, {}, "?wait=true");
  const logs = await app.json("GET", `/logs/${id}`) as { level: string; message: string }[];
  const lines = logs.filter(({ message }) => !HEAD.test(message)).map(({ level, message }) =>
    `${level} ${message}`
  );
  const { state, taskRunList } = await app.execution(id);
  return { id: String(id), state: state.current, lines, outputs: taskRunList.at(-1)?.outputs ?? {} };
}
