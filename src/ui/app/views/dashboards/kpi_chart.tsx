/** One number. */
import { countText } from "../../core/numbers.ts";
import type { ChartProps } from "./chart_props.ts";
import { chartHref } from "./links.ts";
import { numberOf } from "./series.ts";
import { numberText } from "./value_text.ts";

/** The number; it leads to what it counts. */
export function KpiChart({ chart, rows: [row], scope }: ChartProps) {
  const [column] = chart.columns;
  const value = row && column && numberOf(row, column);
  const text = value === undefined || !column
    ? "–"
    : chart.isPercentage
    ? `${countText(value, 2)} %`
    : numberText(column, value);
  const href = chartHref(chart, scope);
  return <p class="kpi num">{href === undefined ? text : <a href={href}>{text}</a>}</p>;
}
