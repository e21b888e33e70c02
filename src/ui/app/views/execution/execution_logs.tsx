/** The log: filtered by level, task and text; a line has an address, and a log of any length scrolls. */
import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { urlOf } from "../../api/client.ts";
import { type ExecutionInfo, hasEnded } from "../../api/execution.ts";
import { countText } from "../../core/numbers.ts";
import { apiPath } from "../../core/places.ts";
import { preferences } from "../../core/preferences.ts";
import { fragment, query, setQuery } from "../../core/router.ts";
import { clockText, dateTimeText, durationText } from "../../core/time.ts";
import { AnsiText } from "../../kit/ansi.tsx";
import { EmptyState, ErrorCard, Skeleton } from "../../kit/feedback.tsx";
import { CopyButton } from "../../kit/values.tsx";
import { VirtualList } from "../../kit/virtual_list.tsx";
import { t } from "../../texts/mod.ts";
import { loopValues, titleInLoops } from "./failure.ts";
import { useLiveLog } from "./live_log.ts";
import { LOG_PAGE, usePagedLog } from "./paged_log.ts";
import { filteredLines, LEVELS, type LogFilter, type LogLine, rowsOf } from "./log_lines.ts";

/** Height of a row of text, and what a line has beside its rows: a link to it must be 24 pixels high. */
const ROW_PX = 20;
const LINE_GAP_PX = 4;
const TYPING_PAUSE_MS = 200;
/** Tasks that one can choose from. */
const MAX_TASKS = 300;
/** A longer text is downloaded. */
const MAX_COPIED_LINES = 20_000;

/** The tab. The log of an ended execution comes in pages; a search by text, and a link to an older line, need all of it. */
export function ExecutionLogs({ execution }: { readonly execution: ExecutionInfo }) {
  const isLive = !hasEnded(execution);
  const filter = filterOf(query.value);
  const needsAll = useSignal(isLive);
  // A new toolbar after each: a text that was typed last and is not yet in the address is given up too.
  const clearings = useSignal(0);
  const paged = usePagedLog(execution.id, filter, !needsAll.value && filter.text === "");
  const whole = useLiveLog(execution.id, isLive, !paged);
  const pages = paged?.lines.value;
  const chosen = chosenLine();
  const isPast = chosen > 0 && pages !== undefined && !pages.some((line) => line?.number === chosen);
  useEffect(() => {
    if (isPast || filter.text !== "") needsAll.value = true;
  }, [isPast, filter.text]);
  const lines = whole.lines.value;
  const matching = useMemo(() => filteredLines(lines ?? [], filter), [lines, JSON.stringify(filter)]);
  const shown = paged ? pages : lines && matching;
  const error = (paged ?? whole).error.value;
  const count = paged ? paged.count.value ?? pages?.length : lines?.length;
  return (
    <div class="card logs">
      <Toolbar
        key={clearings.value}
        execution={execution}
        filter={filter}
        shown={shown ?? []}
        count={count ?? 0}
      />
      {error && <ErrorCard error={error} retry={() => (paged ?? whole).load()} />}
      {!shown && !error && <Skeleton rows={10} />}
      {shown?.length === 0 && (
        <NoLines
          isEmpty={count === 0}
          isLive={isLive}
          onClear={() => clearings.value++}
        />
      )}
      {shown && shown.length > 0 && (
        <Lines
          key={String(paged !== undefined)}
          lines={shown}
          filter={filter}
          isLive={isLive}
          start={areTimesRelative() ? Date.parse(execution.state.startDate) : undefined}
          need={(first, last) => paged?.need(first, last)}
        />
      )}
    </div>
  );
}

function filterOf(address: URLSearchParams): LogFilter {
  return {
    level: address.get("level") ?? preferences.value.logLevel,
    taskRunId: address.get("task") ?? "",
    taskId: address.get("taskId") ?? "",
    text: address.get("q") ?? "",
  };
}

function NoLines({ isEmpty, isLive, onClear }: {
  readonly isEmpty: boolean;
  readonly isLive: boolean;
  readonly onClear: () => void;
}) {
  if (isEmpty) return <EmptyState title={t(isLive ? "execution.noLinesYet" : "execution.noLines")} />;
  const clear = () => {
    onClear();
    setQuery({ level: "TRACE", task: undefined, taskId: undefined, q: undefined });
  };
  return (
    <EmptyState title={t("execution.noLinesMatch")}>
      <button type="button" onClick={clear}>{t("common.clear")}</button>
    </EmptyState>
  );
}

function Toolbar({ execution, filter, shown, count }: {
  readonly execution: ExecutionInfo;
  readonly filter: LogFilter;
  readonly shown: Lines;
  readonly count: number;
}) {
  const { id, taskRunList = [] } = execution;
  const tasks = useMemo(() => [...new Set(taskRunList.map(({ taskId }) => taskId))].slice(0, MAX_TASKS), [
    taskRunList,
  ]);
  const taskRun = taskRunList.find((each) => each.id === filter.taskRunId);
  const { level, taskId } = filter;
  const download = urlOf(apiPath("logs", id, "download"), {
    minLevel: level,
    taskId,
    taskRunId: filter.taskRunId,
  });
  return (
    <div class="filters" role="search">
      <SearchField text={filter.text} />
      <select
        aria-label={t("execution.level")}
        value={level}
        onChange={(event) => setQuery({ level: event.currentTarget.value })}
      >
        {LEVELS.map((each) => <option key={each} value={each}>{each}</option>)}
      </select>
      {filter.taskRunId !== ""
        ? (
          <button type="button" onClick={() => setQuery({ task: undefined })}>
            {taskRun ? titleInLoops(taskRun.taskId, loopValues(taskRunList)(taskRun)) : filter.taskRunId}{" "}
            <span aria-hidden="true">×</span>
          </button>
        )
        : (
          <select
            aria-label={t("execution.task")}
            value={taskId}
            onChange={(event) => setQuery({ taskId: event.currentTarget.value })}
          >
            <option value="">{t("execution.everyTask")}</option>
            {tasks.map((each) => <option key={each} value={each}>{each}</option>)}
          </select>
        )}
      <label class="check-field">
        <input
          type="checkbox"
          checked={isWrapped()}
          onChange={(event) => setQuery({ wrap: event.currentTarget.checked ? undefined : "no" })}
        />
        {t("execution.wrap")}
      </label>
      <label class="check-field">
        <input
          type="checkbox"
          checked={areTimesRelative()}
          onChange={(event) => setQuery({ time: event.currentTarget.checked ? "relative" : undefined })}
        />
        {t("execution.sinceStart")}
      </label>
      <span class="dim" role="status">
        {shown.length === count
          ? t("execution.lineCount", { count: countText(count) })
          : t("execution.linesOf", { shown: countText(shown.length), count: countText(count) })}
      </span>
      {shown.length > 0 && shown.length <= MAX_COPIED_LINES && <CopyLines lines={shown} />}
      <a class="button" href={download} download={`${id}.log`}>{t("file.download")}</a>
    </div>
  );
}

/** Lines, oldest first; those that are not loaded are `undefined`. */
type Lines = readonly (LogLine | undefined)[];

/** Not shown until all lines are loaded. */
function CopyLines({ lines }: { readonly lines: Lines }) {
  const text = useMemo(
    () => lines.includes(undefined) ? undefined : lines.map((line) => line?.message).join("\n"),
    [lines],
  );
  return text === undefined ? null : <CopyButton text={text} />;
}

function SearchField({ text }: { readonly text: string }) {
  const timer = useRef<number>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onInput = (next: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setQuery({ q: next }), TYPING_PAUSE_MS);
  };
  return (
    <input
      type="search"
      aria-label={t("common.search")}
      placeholder={t("execution.searchLines")}
      value={text}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

function areTimesRelative(): boolean {
  return query.value.get("time") === "relative";
}

function isWrapped(): boolean {
  return query.value.get("wrap") !== "no";
}

/** Number of the line in the address; 0 without one. */
function chosenLine(): number {
  return Number(/^L(\d+)$/.exec(fragment.value)?.[1] ?? 0);
}

function Lines({ lines, filter, isLive, start, need }: {
  readonly lines: Lines;
  readonly filter: LogFilter;
  readonly isLive: boolean;
  /** Times are shown from here; absent: as times of the day. */
  readonly start: number | undefined;
  /** Called with the range of lines that are looked at. */
  readonly need: (first: number, last: number) => void;
}) {
  const [columns, setColumns] = useState(Infinity);
  const chosen = chosenLine();
  // A long log begins with its end: that is where it says how it went.
  const isLong = lines.length > LOG_PAGE;
  const follows = useSignal((isLive || isLong) && chosen === 0 && filter.text === "");
  const limit = isWrapped() ? columns : Infinity;
  const heightOf = useCallback((index: number) => {
    return rowsOf(lines[index]?.message ?? "", limit) * ROW_PX + LINE_GAP_PX;
  }, [lines, limit]);
  const mark = filter.text.startsWith("/") ? "" : filter.text.toLowerCase();
  return (
    <>
      <Probe onColumns={setColumns} />
      <VirtualList
        class={`log-lines ${isWrapped() ? "wrap" : ""}`}
        count={lines.length}
        heightOf={heightOf}
        shown={chosen === 0 ? undefined : lines.findIndex((line) => line?.number === chosen)}
        follows={follows.value}
        onEnd={(isAtEnd) => follows.value = (isLive || isLong) && isAtEnd}
        onRange={need}
        frame={{ role: "log", "aria-label": t("execution.tab.logs"), "aria-live": "off", tabIndex: 0 }}
        row={(index) => {
          const line = lines[index];
          if (!line) return <div key={`?${index}`} class="log-line loading" aria-hidden="true" />;
          return (
            <Line key={line.number} line={line} isChosen={line.number === chosen} mark={mark} start={start} />
          );
        }}
      />
      {isLive && !follows.value && (
        <button
          type="button"
          class="primary follow"
          onClick={() => follows.value = true}
        >
          {t("execution.follow")} <span aria-hidden="true">↓</span>
        </button>
      )}
    </>
  );
}

function Line({ line, isChosen, mark, start }: {
  readonly line: LogLine;
  readonly isChosen: boolean;
  readonly mark: string;
  readonly start: number | undefined;
}) {
  const { number, timestamp, level, taskId, message } = line;
  return (
    <div id={`L${number}`} class={`log-line ${level.toLowerCase()} ${isChosen ? "chosen" : ""}`}>
      <a class="no" href={`#L${number}`} aria-label={t("execution.line", { number })}>{number}</a>
      <time dateTime={timestamp} title={dateTimeText(timestamp)}>
        {start === undefined
          ? clockText(timestamp)
          : `+${durationText((Date.parse(timestamp) - start) / 1_000)}`}
      </time>
      <b>{level}</b>
      <span class="task" title={taskId}>{taskId}</span>
      <span class="text">
        <AnsiText text={message} mark={mark} />
      </span>
    </div>
  );
}

const PROBE_LENGTH = 100;

/** An invisible line: it says how many characters a row of text has. */
function Probe({ onColumns }: { readonly onColumns: (columns: number) => void }) {
  const cell = useRef<HTMLSpanElement>(null);
  const text = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const measure = () => {
      const width = (text.current?.getBoundingClientRect().width ?? 0) / PROBE_LENGTH;
      if (width > 0 && cell.current) onColumns(Math.max(10, Math.floor(cell.current.clientWidth / width)));
    };
    const observer = new ResizeObserver(measure);
    if (cell.current) observer.observe(cell.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="log-line probe" aria-hidden="true">
      <span class="no" />
      <time />
      <b />
      <span class="task" />
      <span class="text" ref={cell}>
        <span ref={text}>{"0".repeat(PROBE_LENGTH)}</span>
      </span>
    </div>
  );
}
