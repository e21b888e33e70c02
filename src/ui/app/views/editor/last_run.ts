/** The last execution of the flow in an editor: what each task did, and with which outputs. */
import { useRef } from "preact/hooks";
import type { State } from "../../../../model/executions/state.ts";
import { get, send } from "../../api/client.ts";
import { type ExecutionInfo, hasEnded, type TaskRunInfo } from "../../api/execution.ts";
import type { FlowKey, LatestExecution } from "../../api/flow_entities.ts";
import { apiPath } from "../../core/places.ts";
import { type Resource, useResource } from "../../core/resource.ts";
import { type Tone, toneOf } from "../../kit/state_badge.tsx";

/** The execution, `undefined` while the flow has none. */
export interface LastRun {
  readonly execution?: ExecutionInfo;
  readonly taskRuns: ReadonlyMap<string, readonly TaskRunInfo[]>;
}

/** What all task runs of a task have in common. */
export interface RunSummary {
  /** The most severe one. */
  readonly state: State;
  readonly count: number;
  /** Of the first task run. */
  readonly seconds: number;
}

const REFRESH_MS = 2_000;
const NOTHING: LastRun = { taskRuns: new Map() };
/** From the most severe. */
const TONES: readonly Tone[] = ["bad", "warn", "held", "busy", "idle", "good"];

/** The last execution of a flow, and whichever follows it; nothing for a flow that is not stored. */
export function useLastRun(flow: FlowKey | undefined): Resource<LastRun> {
  const last = useRef(NOTHING);
  const load = async (signal: AbortSignal) => last.current = await readLastRun(flow, last.current, signal);
  const key = flow ? `last run of ${flow.namespace}/${flow.id}` : "";
  return useResource(key, load, { refreshMs: flow && REFRESH_MS });
}

async function readLastRun(flow: FlowKey | undefined, known: LastRun, signal: AbortSignal): Promise<LastRun> {
  if (!flow) return NOTHING;
  const body = [{ namespace: flow.namespace, id: flow.id }];
  const [latest] = await send<LatestExecution[]>("POST", "/executions/latest", { body, signal });
  if (!latest) return NOTHING;
  const { execution } = known;
  // An execution that has ended changes only with its state.
  const isKnown = execution?.id === latest.id && execution.state.current === latest.status;
  if (isKnown && hasEnded(execution)) return known;
  const read = await get<ExecutionInfo>(apiPath("executions", latest.id), {}, signal);
  return { execution: read, taskRuns: Map.groupBy(read.taskRunList ?? [], ({ taskId }) => taskId) };
}

/** What a mark says about the task runs of one task; `undefined` without one. */
export function summaryOf(taskRuns: readonly TaskRunInfo[]): RunSummary | undefined {
  const rank = ({ state }: TaskRunInfo) => TONES.indexOf(toneOf(state.current));
  const [worst] = taskRuns.toSorted((a, b) => rank(a) - rank(b));
  const [first] = taskRuns;
  if (!worst || !first) return undefined;
  return { state: worst.state.current, count: taskRuns.length, seconds: first.state.duration };
}
