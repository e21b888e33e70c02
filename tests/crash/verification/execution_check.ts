/** What must hold of one execution that has ended, from its answer alone. */
import {
  historyProblem as historyMovesProblem,
  type State,
  type StateOwner,
  TERMINAL_STATES,
} from "../../../src/model/executions/state.ts";
import { expectedOutputs, type FlowId, replacedBy } from "../flows/flows.ts";

/** What is read of a state. */
export interface SeenState {
  readonly current: State;
  readonly histories: readonly { readonly state: State; readonly date: string }[];
  readonly startDate: string;
  readonly endDate?: string;
}

/** What is read of a task run. */
export interface SeenTaskRun {
  readonly id: string;
  readonly taskId: string;
  readonly value?: string;
  readonly state: SeenState;
  readonly attempts?: readonly { readonly state: SeenState }[];
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** What is read of an execution. */
export interface SeenExecution {
  readonly id: string;
  readonly flowId: FlowId;
  readonly inputs: { readonly name: string };
  readonly originalId: string;
  readonly trigger?: { readonly variables: { readonly executionId?: string; readonly date?: string } };
  readonly state: SeenState;
  readonly taskRunList: readonly SeenTaskRun[];
}

/** Attempts that left a line, by task run, in the order of the lines. */
export type Effects = ReadonlyMap<string, readonly number[]>;

/** Task runs that left a line, by execution. */
export type ActingTaskRuns = ReadonlyMap<string, ReadonlySet<string>>;

/** From when to when, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Tasks whose attempts leave a line each. */
const ACTING = /^(act|script\d?)$/;

/** Why the history is not that of an ended thing; `undefined` when it is. */
function historyProblem(owner: StateOwner, state: SeenState): string | undefined {
  const { histories, current, startDate, endDate } = state;
  const problem = historyMovesProblem(owner, histories);
  if (problem) return problem;
  const line = histories.map((entry) => entry.state).join(" ");
  for (let i = 1; i < histories.length; i++) {
    const [from, to] = [histories[i - 1], histories[i]];
    if (from && to && to.date < from.date) return `time goes back: ${line}`;
  }
  if (histories.at(-1)?.state !== current) return `the current state ${current} is not the last of ${line}`;
  const terminal = histories.filter(({ state }, index) =>
    TERMINAL_STATES.has(state) && !/^RETR(YING|IED)$/.test(histories[index + 1]?.state ?? "")
  );
  if (terminal.length !== 1) return `${terminal.length} terminal states: ${line}`;
  return endDate !== undefined && endDate >= startDate
    ? undefined
    : `it ends ${endDate}, before ${startDate}`;
}

/** Everything that is wrong with an execution that has ended; nothing when all is well. */
export function executionProblems(execution: SeenExecution, crashes: number): string[] {
  const problems = [historyProblem("execution", execution.state)];
  for (const taskRun of execution.taskRunList) {
    const attempts = taskRun.attempts ?? [];
    problems.push(
      historyProblem("task_run", taskRun.state),
      ...attempts.map(({ state }) => historyProblem("task_run", state)),
      attemptsProblem(taskRun, crashes),
    );
  }
  return problems.filter((problem) => problem !== undefined);
}

/** All attempts but the last were interrupted by a crash, or failed and were tried again. */
function attemptsProblem({ taskId, state, attempts = [] }: SeenTaskRun, crashes: number): string | undefined {
  const states = attempts.map((attempt) => attempt.state.current);
  const interrupted = states.filter((each) => each === "RESUBMITTED").length;
  if (interrupted > crashes) return `${taskId}: ${interrupted} attempts RESUBMITTED by ${crashes} crashes`;
  const isRetried = state.histories.some((entry) => entry.state === "RETRYING");
  const isOdd = states.slice(0, -1).some((each) =>
    each !== "RESUBMITTED" && !(isRetried && each === "FAILED")
  );
  return isOdd
    ? `${taskId}: an attempt follows one that was not interrupted: ${states.join(" ")}`
    : undefined;
}

/** What the task runs of a successful execution of a known flow have put out, when it is not what they should have. */
export function outputsProblem({ flowId, inputs, taskRunList }: SeenExecution): string[] {
  const expected = JSON.stringify(expectedOutputs(flowId, inputs.name, taskRunList));
  const actual = JSON.stringify(taskRunList.map(({ outputs }) => outputs ?? {}));
  return actual === expected ? [] : [`outputs are ${actual.slice(0, 200)}, not ${expected.slice(0, 200)}`];
}

/** What is wrong with the effects of an execution: one missing, or one that no crash explains. */
export function effectProblem(
  { taskRunList }: SeenExecution,
  effects: Effects,
): { readonly kind: "lost" | "doubled"; readonly detail: string } | undefined {
  for (const taskRun of taskRunList.filter(({ taskId }) => ACTING.test(taskId))) {
    const problem = runProblem(taskRun, effects);
    if (problem) return problem;
  }
  return undefined;
}

function runProblem(taskRun: SeenTaskRun, effects: Effects): ReturnType<typeof effectProblem> {
  const lines = effects.get(taskRun.id) ?? [];
  const attempts = taskRun.attempts?.length ?? 0;
  const { current } = taskRun.state;
  const facts = `effects of attempts [${lines}], ${attempts} attempts, ${current}`;
  if (new Set(lines).size < lines.length) return { kind: "doubled", detail: facts };
  if (lines.some((attempt) => attempt > attempts)) return { kind: "lost", detail: facts };
  const hasLast = lines.includes(attempts);
  return current === "SUCCESS" && !hasLast ? { kind: "lost", detail: facts } : undefined;
}

/** What is wrong with task runs that left a line and are not there: nothing took their place, or no crash explains it. */
export function replacementProblem(
  { id, flowId, state, taskRunList }: SeenExecution,
  acting: ActingTaskRuns,
  crashes: number,
): ReturnType<typeof effectProblem> {
  const kept = new Set(taskRunList.map((taskRun) => taskRun.id));
  const gone = [...acting.get(id) ?? []].filter((taskRunId) => !kept.has(taskRunId));
  const { least, most } = replacedBy(flowId, crashes);
  const detail = `${gone.length} task runs have acted and are gone: ${gone}; ${least} to ${most} may be`;
  if (gone.length > most) return { kind: "doubled", detail };
  return state.current === "SUCCESS" && gone.length < least ? { kind: "lost", detail } : undefined;
}

/** How often the server crashed while the execution was there and had not ended. */
export function crashesDuring({ state }: SeenExecution, crashes: readonly Span[]): number {
  return crashes.filter(overlaps(state)).length;
}

/** Attempts that ended RESUBMITTED although the server did not crash meanwhile. */
export function interruptionProblems({ taskRunList }: SeenExecution, crashes: readonly Span[]): string[] {
  return taskRunList.flatMap(({ taskId, attempts = [] }) =>
    attempts.filter(({ state }) => state.current === "RESUBMITTED" && !crashes.some(overlaps(state)))
      .map(({ state }) =>
        `${taskId}: RESUBMITTED from ${state.startDate} to ${state.endDate} without a crash`
      )
  );
}

function overlaps({ startDate, endDate }: SeenState): (span: Span) => boolean {
  return ({ from, to }) => Date.parse(startDate) <= to && from <= Date.parse(endDate ?? startDate);
}

/** Reads the lines that effects left. */
export async function readEffects(
  path: string,
): Promise<{ readonly effects: Effects; readonly acting: ActingTaskRuns }> {
  const effects = new Map<string, number[]>();
  const acting = new Map<string, Set<string>>();
  for (const line of (await Deno.readTextFile(path)).split("\n")) {
    const [executionId = "", taskRunId, attempt] = line.split(" ");
    if (taskRunId === undefined) continue;
    acting.set(executionId, (acting.get(executionId) ?? new Set()).add(taskRunId));
    const seen = effects.get(taskRunId) ?? [];
    seen.push(Number(attempt));
    effects.set(taskRunId, seen);
  }
  return { effects, acting };
}
