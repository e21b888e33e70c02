/** Aggregations over time: the first as stacked bars, others as lines. */
import { parseDuration } from "../../../../base/time/duration.ts";
import { partStarts, unitFor } from "../../../../base/time/time_parts.ts";
import { partText } from "../../core/time.ts";
import { axisMaximum, fractionMaximum } from "../dashboard/chart_scale.ts";
import { Legend, Plot, type PlotAxis, type PlotBar } from "../dashboard/plot.tsx";
import type { ChartProps } from "./chart_props.ts";
import type { Row, Scope } from "./dashboard_api.ts";
import type { Chart, Column } from "./definition.ts";
import { rowHref } from "./links.ts";
import { type Roles, rolesOf, type Series, seriesOf } from "./series.ts";
import { SeriesTable } from "./series_table.tsx";
import { isAdditive, numberText } from "./value_text.ts";

/** A series with the column that it shows. */
interface Shown extends Series {
  readonly column: Column;
}

const MAX_PARTS = 1_000;

/** The chart with its legend and its table. */
export function TimeSeriesChart({ chart, rows, scope }: ChartProps) {
  const roles = rolesOf(chart);
  const { axis } = roles;
  if (!axis) return null;
  const unit = unitFor(parseDuration(scope.range) ?? 0);
  const starts = startsOf(rows, axis, scope);
  const hrefs = starts.map((start, index) => hrefOf(chart, scope, { axis, start, end: starts[index + 1] }));
  const { bars, lines } = shownIn(rows, roles);
  const all = [...bars, ...lines];
  return (
    <div class="time-chart">
      <Plot
        bars={starts.map((start, index) => barOf({ start, href: hrefs[index] }, bars, all))}
        unit={unit}
        left={bars.length > 0 ? stackAxis(bars, starts) : lineAxis(lines)}
        lines={lines.map(({ name, tone, values }) => ({
          name,
          tone,
          values: starts.map((start) => values.get(start)),
        }))}
        right={bars.length > 0 && lines.length > 0 ? lineAxis(lines) : undefined}
      />
      <Legend
        items={all.map(({ name, tone, column, total }) => ({
          name,
          tone: lines.length > 0 && bars.length > 0 && lines.some((line) => line.name === name)
            ? `line ${tone}`
            : tone,
          value: isAdditive(column) ? numberText(column, total) : "",
        }))}
      />
      <SeriesTable
        title={axis.title}
        places={starts.map((name, index) => ({ name, text: partText(name, unit), href: hrefs[index] }))}
        series={all.map(({ name, column, values }) => ({
          name,
          textAt: (place) => textAt(column, values.get(place)),
        }))}
      />
    </div>
  );
}

function textAt(column: Column, value: number | undefined): string | undefined {
  return value === undefined ? undefined : numberText(column, value);
}

/** Beside bars, the groups of a line are added up where that is possible. */
function shownIn(
  rows: readonly Row[],
  roles: Roles,
): { readonly bars: readonly Shown[]; readonly lines: readonly Shown[] } {
  const [first, ...others] = roles.aggregations;
  const read = (column: Column, groups: Roles["groups"]) =>
    seriesOf(rows, { ...roles, groups }, column).map((series) => ({ ...series, column }));
  if (!first) return { bars: [], lines: [] };
  const all = read(first, roles.groups);
  const rest = others.flatMap((column) =>
    read(column, isAdditive(column) ? [] : roles.groups).map((series) => ({
      ...series,
      name: series.name === column.title ? series.name : `${series.name} · ${column.title}`,
      tone: series.name === column.title ? "series-2" : series.tone,
    }))
  );
  return first.isLine ? { bars: [], lines: [...all, ...rest] } : { bars: all, lines: rest };
}

/** The parts of the range, and those that only rows have: the clock of this computer may be wrong. */
function startsOf(rows: readonly Row[], axis: Column, { range }: Scope): string[] {
  const lengthMs = parseDuration(range) ?? 0;
  const end = Date.now();
  const parts = partStarts(end - lengthMs, end, unitFor(lengthMs), MAX_PARTS);
  const starts = new Map(parts.map((at) => [at, new Date(at).toISOString()]));
  for (const row of rows) {
    const text = String(row[axis.name]);
    const at = Date.parse(text);
    if (!Number.isNaN(at)) starts.set(at, text);
  }
  return [...starts].sort(([a], [b]) => a - b).map(([, text]) => text);
}

interface Part {
  readonly axis: Column;
  readonly start: string;
  readonly end: string | undefined;
}

/** Lists can be limited by the start of executions and the time of log lines only. */
function hrefOf(chart: Chart, scope: Scope, { axis: { field }, start, end }: Part): string | undefined {
  if (field !== "START_DATE" && field !== "DATE") return undefined;
  return rowHref(chart, {}, scope, { start, end });
}

function barOf(
  place: Pick<PlotBar, "start" | "href">,
  bars: readonly Shown[],
  all: readonly Shown[],
): PlotBar {
  const { start } = place;
  return {
    ...place,
    parts: bars.map(({ name, tone, values }) => ({ name, tone, value: values.get(start) ?? 0 }))
      .filter(({ value }) => value > 0),
    notes: all.flatMap(({ name, column, values }) => {
      const value = values.get(start);
      return value === undefined ? [] : [`${name}: ${numberText(column, value)}`];
    }),
  };
}

function stackAxis(bars: readonly Shown[], starts: readonly string[]): PlotAxis {
  const totals = starts.map((start) => bars.reduce((sum, { values }) => sum + (values.get(start) ?? 0), 0));
  return axisOf(bars, Math.max(0, ...totals));
}

function lineAxis(lines: readonly Shown[]): PlotAxis {
  return axisOf(lines, Math.max(0, ...lines.flatMap(({ values }) => [...values.values()])));
}

function axisOf([first]: readonly Shown[], maximum: number): PlotAxis {
  const column = first?.column ?? {};
  const isCount = first?.column.agg === "COUNT";
  return {
    maximum: isCount ? axisMaximum(maximum) : fractionMaximum(maximum),
    textOf: (value) => numberText(column, value),
  };
}
