/** Executions over time as stacked bars. Each bar leads to its executions; a table shows the same as text. */
import { type State, STATES, TERMINAL_STATES } from "../../../../model/executions/state.ts";
import { urlQuery } from "../../api/client.ts";
import { pagePath } from "../../core/places.ts";
import { countText } from "../../core/numbers.ts";
import { partText } from "../../core/time.ts";
import { toneOf } from "../../kit/state_badge.tsx";
import { t } from "../../texts/mod.ts";
import { STARTED_BEFORE, STARTED_FROM } from "../executions/execution_filters.ts";
import { axisMaximum } from "./chart_scale.ts";
import type { Summary, TimePart } from "./dashboard_data.ts";
import { Legend, Plot, type PlotBar } from "./plot.tsx";

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
  const left = {
    maximum: axisMaximum(Math.max(...parts.map(totalOf))),
    textOf: countText,
  };
  const bars = parts.map((part, index) => barOf(part, parts[index + 1]));
  return (
    <div class="time-chart">
      <Plot bars={bars} unit={parts[0]?.groupBy ?? "minute"} left={left} />
      <Legend
        items={summary.states.map(([state, count]) => ({
          name: state,
          tone: toneOf(state),
          value: countText(count),
        }))}
      />
      <details>
        <summary>{t("dashboard.asTable")}</summary>
        <PartTable parts={parts} summary={summary} />
      </details>
    </div>
  );
}

function barOf(part: TimePart, next: TimePart | undefined): PlotBar {
  const counts = countsOf(part);
  return {
    start: part.startDate,
    href: hrefOf(part, next),
    notes: counts.map(([state, count]) => `${state}: ${count}`),
    parts: counts.map(([state, value]) => ({ name: state, tone: toneOf(state), value })),
  };
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
              <a href={href}>{partText(part.startDate, part.groupBy)}</a>
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
