/** A bar for each value of a column, stacked by the other columns. */
import { useSignal } from "@preact/signals";
import { t } from "../../texts/mod.ts";
import { Legend } from "../dashboard/plot.tsx";
import type { ChartProps } from "./chart_props.ts";
import { rowHref } from "./links.ts";
import { rolesOf, seriesOf } from "./series.ts";
import { SeriesTable } from "./series_table.tsx";
import { numberText } from "./value_text.ts";

/** Bars before the others are asked for. */
const SHOWN = 12;

/** The bars, the longest first unless the chart has an order. */
export function BarChart({ chart, rows, scope }: ChartProps) {
  const areAllShown = useSignal(false);
  const roles = rolesOf(chart);
  const { axis, aggregations: [aggregation] } = roles;
  if (!axis || !aggregation) return null;
  const series = seriesOf(rows, roles, aggregation);
  const totalOf = (place: string) => series.reduce((sum, { values }) => sum + (values.get(place) ?? 0), 0);
  const found = [...new Set(series.flatMap(({ values }) => [...values.keys()]))]
    .map((name) => ({ name, total: totalOf(name) }));
  const places = (chart.isOrdered ? found : found.sort((a, b) => b.total - a.total)).map((place) => ({
    ...place,
    text: place.name,
    href: place.name === "–"
      ? undefined
      : rowHref(chart, Object.fromEntries([[axis.name, place.name]]), scope),
  }));
  const maximum = Math.max(...places.map(({ total }) => total), Number.MIN_VALUE);
  return (
    <div class="time-chart">
      <ul class="long-bars">
        {places.slice(0, areAllShown.value ? undefined : SHOWN).map(({ name, total, href }) => (
          <li key={name}>
            {href === undefined ? <span>{name}</span> : <a href={href}>{name}</a>}
            <span class="num">{numberText(aggregation, total)}</span>
            <span class="long-bar" aria-hidden="true">
              {series.filter(({ values }) => values.has(name)).map((each) => (
                <span
                  key={each.name}
                  class={each.tone}
                  title={`${each.name}: ${numberText(aggregation, each.values.get(name) ?? 0)}`}
                  style={{ width: `${100 * (each.values.get(name) ?? 0) / maximum}%` }}
                />
              ))}
            </span>
          </li>
        ))}
      </ul>
      {places.length > SHOWN && !areAllShown.value && (
        <button
          type="button"
          onClick={() => areAllShown.value = true}
        >
          {t("dashboards.showAll", { count: places.length })}
        </button>
      )}
      {roles.groups.length > 0 && (
        <>
          <Legend
            items={series.map(({ name, tone, total }) => ({
              name,
              tone,
              value: numberText(aggregation, total),
            }))}
          />
          <SeriesTable
            title={axis.title}
            places={places}
            series={series.map(({ name, values }) => ({
              name,
              textAt: (place) => {
                const value = values.get(place);
                return value === undefined ? undefined : numberText(aggregation, value);
              },
            }))}
          />
        </>
      )}
    </div>
  );
}
