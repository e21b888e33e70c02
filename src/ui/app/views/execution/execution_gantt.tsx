/** The Gantt chart: when each task run waited and ran; what is within it unfolds, in child executions too. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { get } from "../../api/client.ts";
import { type ExecutionInfo, hasEnded, missingTaskRuns } from "../../api/execution.ts";
import { apiPath } from "../../core/places.ts";
import { query, setQuery } from "../../core/router.ts";
import { durationText, now } from "../../core/time.ts";
import { attempt, EmptyState, Skeleton } from "../../kit/feedback.tsx";
import { StateBadge, toneOf } from "../../kit/state_badge.tsx";
import { Duration } from "../../kit/values.tsx";
import { VirtualList } from "../../kit/virtual_list.tsx";
import { t } from "../../texts/mod.ts";
import { childIdOf, titleInLoops } from "./failure.ts";
import {
  type Choices,
  type GanttRow,
  ganttRows,
  type GanttSource,
  openedFor,
  segmentsOf,
  type Span,
  spanOf,
  ticksOf,
} from "./gantt_rows.ts";
import { TaskRunPanel } from "./task_run_panel.tsx";

const ROW_PX = 34;
const TICKS = 6;
const MAX_ZOOM = 4_096;

interface GanttProps {
  readonly execution: ExecutionInfo;
  readonly changed: () => Promise<void>;
}

/** The tab. It waits for all task runs: which of them are open depends on their number. */
export function ExecutionGantt(props: GanttProps) {
  return missingTaskRuns(props.execution) > 0 ? <Skeleton rows={12} /> : <Chart {...props} />;
}

function Chart({ execution, changed }: GanttProps) {
  const selected = query.value.get("task") ?? undefined;
  const choices = useSignal<Choices>(useMemo(() => openedFor(execution, selected), []));
  const defaults = useMemo(() => new Map<string, boolean>(), []);
  const children = useSignal<ReadonlyMap<string, GanttSource>>(new Map());
  const rows = useMemo(
    () => ganttRows(execution, { choices: choices.value, defaults, children: children.value }),
    [execution, choices.value, children.value],
  );
  const selectedRow = rows.find(({ taskRun }) => taskRun.id === selected);
  const at = hasEnded(execution) ? 0 : now.value;
  const whole = spanOf(execution.state, execution.taskRunList ?? [], at);
  const span = shownSpan(whole);
  const choose = ({ taskRun: { id } }: GanttRow, isOpen: boolean) => {
    choices.value = new Map([...choices.value, [id, isOpen]]);
  };
  const unfold = async (row: GanttRow) => {
    const id = childIdOf(row.taskRun);
    if (row.childCount > 0 || id === undefined) return choose(row, !row.isOpen);
    const child = await attempt(() => get<GanttSource>(apiPath("executions", id)));
    if (!child) return;
    choose(row, true);
    children.value = new Map([...children.value, [row.taskRun.id, child]]);
  };
  if (rows.length === 0) {
    return <EmptyState title={t(hasEnded(execution) ? "execution.noTasks" : "execution.noTasksYet")} />;
  }
  return (
    <div class={`gantt ${selectedRow ? "split" : ""}`}>
      <div class="card">
        <Toolbar count={rows.length} />
        <Scale span={span} start={whole.from} />
        <VirtualList
          class="gantt-rows"
          count={rows.length}
          heightOf={ROW_PX}
          shown={selected === undefined
            ? undefined
            : rows.findIndex(({ taskRun }) => taskRun.id === selected)}
          frame={{
            role: "treegrid",
            "aria-label": t("execution.tab.gantt"),
            "aria-rowcount": rows.length,
            tabIndex: 0,
            onKeyDown: (event: KeyboardEvent) => onKey(event, rows, selected, unfold),
          }}
          row={(index) => {
            const row = rows[index];
            return row && (
              <Row
                key={`${row.executionId}/${row.taskRun.id}`}
                row={row}
                index={index}
                span={span}
                at={at}
                isSelected={row.taskRun.id === selected}
                unfold={unfold}
              />
            );
          }}
        />
      </div>
      {selectedRow && <TaskRunPanel execution={execution} row={selectedRow} changed={changed} />}
    </div>
  );
}

/** Arrows move between rows and unfold them, as in a tree. */
function onKey(
  event: KeyboardEvent,
  rows: readonly GanttRow[],
  selected: string | undefined,
  unfold: (row: GanttRow) => unknown,
): void {
  const at = rows.findIndex(({ taskRun }) => taskRun.id === selected);
  const row = rows[at];
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step !== 0) select(rows[Math.max(0, Math.min(rows.length - 1, at + step))]);
  else if (event.key === "Escape") setQuery({ task: undefined });
  else if (row && (event.key === "ArrowRight" && !row.isOpen || event.key === "ArrowLeft" && row.isOpen)) {
    unfold(row);
  } else return;
  event.preventDefault();
}

function select(row: GanttRow | undefined): void {
  if (row) setQuery({ task: row.taskRun.id });
}

/** The part of the whole range that the address names: `zoom` times larger, around `at` (0 to 1). */
function shownSpan(whole: Span): Span {
  const zoom = Math.max(1, Number(query.value.get("zoom") ?? 1) || 1);
  const centre = Math.min(1, Math.max(0, Number(query.value.get("at") ?? 0.5) || 0));
  const length = (whole.to - whole.from) / zoom;
  const from = Math.min(
    whole.to - length,
    Math.max(whole.from, whole.from + (whole.to - whole.from) * centre - length / 2),
  );
  return { from, to: from + length };
}

function Toolbar({ count }: { readonly count: number }) {
  const zoom = Math.max(1, Number(query.value.get("zoom") ?? 1) || 1);
  const set = (next: number) =>
    setQuery({
      zoom: next <= 1 ? undefined : String(next),
      at: next <= 1 ? undefined : query.value.get("at") ?? undefined,
    });
  return (
    <div class="gantt-bar" role="toolbar" aria-label={t("execution.zoom")}>
      <span class="dim">{t("execution.rows", { count })}</span>
      <span class="legend">
        <i class="queued" />
        {t("execution.queued")} <i class="run" />
        {t("execution.ran")}
      </span>
      {zoom > 1 && (
        <input
          type="range"
          min="0"
          max="1"
          step="0.001"
          aria-label={t("execution.position")}
          value={query.value.get("at") ?? "0.5"}
          onInput={(event) => setQuery({ at: event.currentTarget.value })}
        />
      )}
      <button
        type="button"
        aria-label={t("execution.zoomOut")}
        disabled={zoom <= 1}
        onClick={() => set(zoom / 2)}
      >
        −
      </button>
      <button type="button" disabled={zoom <= 1} onClick={() => set(1)}>{t("execution.fit")}</button>
      <button
        type="button"
        aria-label={t("execution.zoomIn")}
        disabled={zoom >= MAX_ZOOM}
        onClick={() => set(zoom * 2)}
      >
        +
      </button>
    </div>
  );
}

function Scale({ span, start }: { readonly span: Span; readonly start: number }) {
  return (
    <div class="gantt-scale" aria-hidden="true">
      {ticksOf(start, span, TICKS).map((at) => (
        <span key={at} style={{ left: `${(at + start - span.from) / (span.to - span.from) * 100}%` }}>
          {durationText(at / 1_000)}
        </span>
      ))}
    </div>
  );
}

function Row({ row, index, span, at, isSelected, unfold }: {
  readonly row: GanttRow;
  readonly index: number;
  readonly span: Span;
  readonly at: number;
  readonly isSelected: boolean;
  readonly unfold: (row: GanttRow) => unknown;
}) {
  const { taskRun, depth, values, childCount, isOpen } = row;
  const { state } = taskRun;
  const canUnfold = childCount > 0 || childIdOf(taskRun) !== undefined;
  return (
    <div
      role="row"
      class="gantt-row"
      aria-level={depth + 1}
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      aria-expanded={canUnfold ? isOpen : undefined}
      style={{ height: `${ROW_PX}px` }}
      onClick={() => select(row)}
    >
      <div role="gridcell" class="name" style={{ paddingLeft: `${depth * 16}px` }}>
        {canUnfold
          ? (
            <button
              type="button"
              class="plain fold"
              tabIndex={-1}
              aria-label={t(isOpen ? "execution.fold" : "execution.unfold")}
              onClick={(event) => (event.stopPropagation(), void unfold(row))}
            >
              {isOpen ? "▾" : "▸"}
            </button>
          )
          : <span class="fold" />}
        <span class="title" title={titleInLoops(taskRun.taskId, values)}>
          {taskRun.taskId}
          {taskRun.value !== undefined && <span class="dim">{taskRun.value}</span>}
        </span>
        {childCount > 0 && !isOpen && <span class="dim count">{childCount}</span>}
      </div>
      <div role="gridcell" class="badge">
        <StateBadge state={state.current} />
      </div>
      <div role="gridcell" class="bars">
        {segmentsOf(taskRun, span, at).map(({ left, width, kind, state: each }, part) => (
          <i key={part} class={`${kind} ${toneOf(each)}`} style={{ left: `${left}%`, width: `${width}%` }} />
        ))}
      </div>
      <div role="gridcell" class="num">
        <Duration from={state.startDate} to={state.endDate} />
      </div>
    </div>
  );
}
