/** What the measured pages show, beside the executions that are filled in bulk. */
import { createFlow, flowOf, importFlows, pureFlow, start } from "../api.ts";
import type { Sizes } from "./measurement.ts";

/** Namespace of the flows that are there to make the list of flows long. */
const LISTED_NAMESPACE = "company.listed";
/** Flows of one import. */
const IMPORT_SIZE = 1_000;

/** Ids of the executions that are opened. */
export interface OpenedExecutions {
  /** By the number of their task runs. */
  readonly byTaskRuns: ReadonlyMap<number, string>;
  readonly log: string;
}

/** Flow of an execution with that many task runs. */
export function taskRunsFlowId(taskRuns: number): string {
  return `runs-${taskRuns}`;
}

/** Flow of the execution with a long log. */
export const LOG_FLOW_ID = "lines";
/** Flow whose executions wait to be resumed. */
export const PAUSED_FLOW_ID = "paused";

/** Stores the flows, and runs those whose executions are opened. */
export async function seedForUi(url: string, { flows, taskRuns, lines }: Sizes): Promise<OpenedExecutions> {
  for (let from = 0; from < flows; from += IMPORT_SIZE) {
    const sources = Array.from(
      { length: Math.min(IMPORT_SIZE, flows - from) },
      (_, index) => listedFlow(from + index),
    );
    await importFlows(url, sources);
  }
  await createFlow(url, flowOf(PAUSED_FLOW_ID, "{id: wait, type: io.svc.plugin.core.flow.Pause}"));
  const byTaskRuns = new Map<number, string>();
  for (const count of taskRuns) byTaskRuns.set(count, await runLoop(url, count));
  const script = `{id: count, type: io.svc.plugin.scripts.shell.Commands, commands: ['seq ${lines}']}`;
  await createFlow(url, flowOf(LOG_FLOW_ID, script));
  return { byTaskRuns, log: (await start(url, LOG_FLOW_ID, "?wait=true")).id };
}

function listedFlow(index: number): string {
  return pureFlow(`listed-${String(index).padStart(5, "0")}`, 1, LISTED_NAMESPACE);
}

async function runLoop(url: string, taskRuns: number): Promise<string> {
  const values = JSON.stringify(Array.from({ length: taskRuns }, (_, index) => index));
  const task = "{id: one, type: io.svc.plugin.core.debug.Return, format: '{{ taskrun.value }}'}";
  const id = taskRunsFlowId(taskRuns);
  await createFlow(
    url,
    flowOf(id, `{id: each, type: io.svc.plugin.core.flow.ForEach, values: '${values}', tasks: [${task}]}`),
  );
  return (await start(url, id, "?wait=true")).id;
}
