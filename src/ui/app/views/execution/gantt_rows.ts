/** Rows of the Gantt chart: task runs below those that hold them, and where their bars are. */
import type { State } from "../../../../model/executions/state.ts";
import type { StateInfo } from "../../api/entities.ts";
import { hasEnded, type TaskRunInfo } from "../../api/execution.ts";

/** A task run in the chart. */
export interface GanttRow {
  readonly taskRun: TaskRunInfo;
  /** From 0. */
  readonly depth: number;
  /** Those of the loops around it, the outermost first. */
  readonly values: readonly string[];
  /** Number of task runs directly within it. */
  readonly childCount: number;
  readonly isOpen: boolean;
  /** Id of the execution that it belongs to. */
  readonly executionId: string;
}

/** The task runs of one execution. */
export interface GanttSource {
  readonly id: string;
  readonly taskRunList?: readonly TaskRunInfo[];
}

/** Whether task runs are open, by their ids. */
export type Choices = ReadonlyMap<string, boolean>;

interface RowOptions {
  /** What a person has opened (true) and closed, by the id of the task run. */
  readonly choices?: Choices;
  /** What else is open. Missing ones are added and then kept: a growing loop must not close while it is shown. */
  readonly defaults?: Map<string, boolean>;
  /** Executions that are shown within the task runs which started them, by the id of the task run. */
  readonly children?: ReadonlyMap<string, GanttSource>;
}

/** Task runs with more within them are closed at first. */
const MAX_OPEN_CHILDREN = 100;
const TOP = "";

/** The visible rows from top to bottom. */
export function ganttRows(
  source: GanttSource,
  { choices = new Map(), defaults = new Map(), children = new Map() }: RowOptions = {},
): GanttRow[] {
  const rows: GanttRow[] = [];
  const addExecution = ({ id, taskRunList = [] }: GanttSource, baseDepth: number) => {
    const byParent = Map.groupBy(taskRunList, ({ parentTaskRunId }) => parentTaskRunId ?? TOP);
    const add = (parent: string, depth: number, outer: readonly string[]) => {
      for (const taskRun of byIteration(byParent.get(parent) ?? [])) {
        const child = children.get(taskRun.id);
        const childCount = byParent.get(taskRun.id)?.length ?? child?.taskRunList?.length ?? 0;
        const isOpen = childCount > 0 &&
          (choices.get(taskRun.id) ?? defaultOf(taskRun.id, childCount, defaults));
        const values = taskRun.value === undefined ? outer : [...outer, taskRun.value];
        rows.push({ taskRun, depth, values, childCount, isOpen, executionId: id });
        if (!isOpen) continue;
        add(taskRun.id, depth + 1, values);
        if (child) addExecution(child, depth + 1);
      }
    };
    add(TOP, baseDepth, []);
  };
  addExecution(source, 0);
  return rows;
}

function defaultOf(id: string, childCount: number, defaults: Map<string, boolean>): boolean {
  const isOpen = defaults.get(id) ?? childCount <= MAX_OPEN_CHILDREN;
  defaults.set(id, isOpen);
  return isOpen;
}

/** The task runs that are open at first, so that the row of one is visible. */
export function openedFor({ taskRunList = [] }: GanttSource, wanted: string | undefined): Choices {
  const opened = new Map<string, boolean>();
  if (wanted === undefined) return opened;
  const parents = new Map(taskRunList.map(({ id, parentTaskRunId }) => [id, parentTaskRunId]));
  for (let id = parents.get(wanted); id !== undefined; id = parents.get(id)) opened.set(id, true);
  return opened;
}

/** Task runs of one pass of a loop stand together; otherwise the order stays. */
function byIteration(taskRuns: readonly TaskRunInfo[]): readonly TaskRunInfo[] {
  return taskRuns.toSorted((a, b) => (a.iteration ?? 0) - (b.iteration ?? 0));
}

/** A part of a bar, in percent of the shown range. */
interface Segment {
  readonly left: number;
  readonly width: number;
  /** Waiting for a place to run, or running. */
  readonly kind: "queued" | "run";
  readonly state: State;
}

/** A range of time in milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** States in which nothing of a task works. */
const WAITING: ReadonlySet<State> = new Set(["CREATED", "QUEUED", "SUBMITTED", "RETRYING", "RESTARTED"]);

/** The segments of a task run: one for each attempt, and hatched ones while it waits. Those outside the range are left out. */
export function segmentsOf(taskRun: TaskRunInfo, span: Span, now: number): Segment[] {
  const { attempts = [] } = taskRun;
  const own = piecesOf(taskRun.state, now);
  const runs = attempts.length > 0
    ? attempts.flatMap(({ state }) => piecesOf(state, now).filter(({ kind }) => kind === "run"))
    : own.filter(({ kind }) => kind === "run");
  const waits = own.filter(({ kind }) => kind === "queued");
  return [...waits, ...runs].flatMap((piece) => placed(piece, span));
}

interface Piece extends Span {
  readonly kind: Segment["kind"];
  readonly state: State;
}

/** Consecutive states of the same kind are one piece; a run has the last state of its history. */
function piecesOf(state: StateInfo, now: number): Piece[] {
  const { histories, current } = state;
  const pieces: Piece[] = [];
  histories.forEach(({ state: each, date }, index) => {
    const next = histories[index + 1];
    const isLast = next === undefined;
    if (isLast && hasEnded({ state })) return;
    const from = Date.parse(date);
    const to = isLast ? Math.max(now, from) : Date.parse(next.date);
    const kind = WAITING.has(each) ? "queued" : "run";
    const last = pieces.at(-1);
    if (last?.kind === kind) pieces[pieces.length - 1] = { ...last, to };
    else pieces.push({ from, to, kind, state: current });
  });
  return pieces.filter(({ from, to, kind }) => kind === "run" || to > from);
}

/** A shorter bar at the end of the range would not be seen. */
const MAX_LEFT = 99.6;

function placed({ from, to, kind, state }: Piece, span: Span): Segment[] {
  const length = Math.max(1, span.to - span.from);
  if (to < span.from || from > span.to) return [];
  const left = Math.min(MAX_LEFT, Math.max(0, (from - span.from) / length * 100));
  const right = Math.min(100, (to - span.from) / length * 100);
  return [{ left, width: Math.max(0, right - left), kind, state }];
}

/** The range of an execution, up to `now` while it runs. */
export function spanOf(
  { startDate, endDate }: StateInfo,
  taskRuns: readonly TaskRunInfo[],
  now: number,
): Span {
  const from = Date.parse(startDate);
  let to = endDate === undefined ? now : Date.parse(endDate);
  for (const { state } of taskRuns) if (state.endDate) to = Math.max(to, Date.parse(state.endDate));
  return { from, to: Math.max(to, from + 1) };
}

/** Marks of a scale: at most `count` round steps, as milliseconds from the start of `span`. */
export function ticksOf(start: number, { from, to }: Span, count: number): number[] {
  const step = STEPS_MS.find((each) => (to - from) / each <= count) ?? (to - from) / count;
  const first = Math.ceil((from - start) / step) * step;
  const ticks: number[] = [];
  for (let at = first; at <= to - start; at += step) ticks.push(at);
  return ticks;
}

const STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 4, 6, 12].map((hours) => hours * 3_600_000),
  ...[1, 2, 7, 14, 30, 90].map((days) => days * 86_400_000),
];
