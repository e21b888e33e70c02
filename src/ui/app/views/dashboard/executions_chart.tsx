/** Executions over time as stacked bars. Each bar leads to its executions; a table shows the same as text. */
import { type State, STATES, TERMINAL_STATES } from "../../../../model/executions/state.ts";
import { urlQuery } from "../../api/client.ts";
import { pagePath } from "../../core/places.ts";
import { dateTimeText, shortTimeText } from "../../core/time.ts";
import { toneOf } from "../../kit/state_badge.tsx";
import { t } from "../../texts/mod.ts";
import { STARTED_BEFORE, STARTED_FROM } from "../executions/execution_filters.ts";
import { axisMaximum, tickIndexes } from "./chart_scale.ts";
import type { Summary, TimePart } from "./dashboard_data.ts";

const HEIGHT = 100;
/** Width of a bar and the gap after it. */
const STEP = 10;
const BAR = 8;
const TICKS = 6;
/** What ended comes first, so that its share can be compared from bar to bar. */
const BAR_ORDER: readonly State[] = [...STATES].sort((a, b) =>
  Number(TERMINAL_STATES.has(b)) - Number(TERMINAL_STATES.has(a))
);

interface ChartProps {
  readonly parts: readonly TimePart[];
  readonly summary: Summary;
}

/** The chart with its legend and its table. */
export function ExecutionsChart({ parts, summary }: ChartProps) {
  const maximum = axisMaximum(Math.max(...parts.map(totalOf)));
  return (
    <div class="time-chart">
      <div class="plot">
        <div class="y-axis num" aria-hidden="true">
          <span>{maximum.toLocaleString()}</span>
          <span>{(maximum / 2).toLocaleString()}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${parts.length * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path class="grid" d={`M0 .5H${parts.length * STEP}M0 ${HEIGHT / 2}H${parts.length * STEP}`} />
          {parts.map((part, index) => (
            <Bar
              key={part.startDate}
              part={part}
              x={index * STEP}
              maximum={maximum}
              href={hrefOf(part, parts[index + 1])}
            />
          ))}
        </svg>
        <div class="x-axis dim num" aria-hidden="true">
          {tickIndexes(parts.length, TICKS).map((index) => (
            <span key={index} style={{ left: `${100 * (index + 0.5) / parts.length}%` }}>
              {shortTimeText(
                parts[index]?.startDate ?? "",
                parts[index]?.groupBy === "day" ? "day" : "minute",
              )}
            </span>
          ))}
        </div>
      </div>
      <Legend summary={summary} />
      <details>
        <summary>{t("dashboard.asTable")}</summary>
        <PartTable parts={parts} summary={summary} />
      </details>
    </div>
  );
}

function Bar({ part, x, maximum, href }: {
  readonly part: TimePart;
  readonly x: number;
  readonly maximum: number;
  readonly href: string;
}) {
  const counts = countsOf(part);
  let top = HEIGHT;
  return (
    <a href={href} tabindex={-1}>
      <title>
        {`${dateTimeText(part.startDate)}${counts.map(([state, n]) => `\n${state}: ${n}`).join("")}`}
      </title>
      <rect class="hit" x={x} y="0" width={STEP} height={HEIGHT} />
      {counts.map(([state, count]) => {
        const height = HEIGHT * count / maximum;
        top -= height;
        return (
          <rect key={state} class={`bar ${toneOf(state)}`} x={x + 1} y={top} width={BAR} height={height} />
        );
      })}
    </a>
  );
}

function Legend({ summary: { states } }: { readonly summary: Summary }) {
  return (
    <ul class="legend">
      {states.map(([state, count]) => (
        <li key={state} class={toneOf(state)}>
          <span class="swatch" aria-hidden="true" /> {state} <span class="num">{count.toLocaleString()}</span>
        </li>
      ))}
    </ul>
  );
}

function PartTable({ parts, summary: { states } }: ChartProps) {
  const rows = parts.map((part, index) => ({ part, href: hrefOf(part, parts[index + 1]) }))
    .filter(({ part }) => totalOf(part) > 0);
  return (
    <table class="numbers">
      <thead>
        <tr>
          <th>{t("dashboard.time")}</th>
          {states.map(([state]) => <th key={state} class="num">{state}</th>)}
          <th class="num">{t("dashboard.total")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ part, href }) => (
          <tr key={part.startDate}>
            <td>
              <a href={href}>{dateTimeText(part.startDate)}</a>
            </td>
            {states.map(([state]) => <td key={state} class="num">{part.executionCounts[state] ?? 0}</td>)}
            <td class="num">{totalOf(part)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The list of executions that started in a part. */
function hrefOf({ startDate }: TimePart, next: TimePart | undefined): string {
  const range = { [STARTED_FROM]: startDate, [STARTED_BEFORE]: next?.startDate };
  return pagePath("executions") + urlQuery(range);
}

/** From the bottom of a bar. */
function countsOf({ executionCounts }: TimePart): (readonly [State, number])[] {
  return BAR_ORDER.map((state) => [state, executionCounts[state] ?? 0] as const).filter(([, count]) =>
    count > 0
  );
}

function totalOf(part: TimePart): number {
  return countsOf(part).reduce((sum, [, count]) => sum + count, 0);
}
