/** Shares of a whole as a pie or a ring, with their numbers beside it. */
import { locale } from "../../core/numbers.ts";
import { t } from "../../texts/mod.ts";
import { Legend, type LegendItem } from "../dashboard/plot.tsx";
import type { ChartProps } from "./chart_props.ts";
import type { Chart } from "./definition.ts";
import { rowHref } from "./links.ts";
import { rolesOf, type Series, seriesOf } from "./series.ts";
import { numberText } from "./value_text.ts";

/** Further slices are one. */
const SLICES = 8;
const RADIUS = 48;
/** Inner radius of a ring. */
const HOLE = 30;

interface Slice extends LegendItem {
  readonly share: number;
}

/** The chart. */
export function PieChart({ chart, rows, scope }: ChartProps) {
  const { axis, groups, aggregations: [aggregation] } = rolesOf(chart);
  if (!aggregation) return null;
  const series = seriesOf(rows, { groups: axis ? [axis, ...groups] : groups, aggregations: [] }, aggregation);
  const total = series.reduce((sum, each) => sum + each.total, 0);
  const shareText = (share: number) =>
    share.toLocaleString(locale.value, { style: "percent", maximumFractionDigits: 1 });
  const sliceOf = (each: Pick<Series, "name" | "tone" | "total">, href?: string): Slice => {
    const share = total === 0 ? 0 : each.total / total;
    return { ...each, href, share, value: `${numberText(aggregation, each.total)} (${shareText(share)})` };
  };
  const [shown, rest] = [series.slice(0, SLICES), series.slice(SLICES)];
  const slices = shown.map((each) => {
    const [row] = each.rows.values();
    return sliceOf(each, row && rowHref(chart, row, scope));
  });
  if (rest.length > 0) {
    const sum = rest.reduce((all, each) => all + each.total, 0);
    slices.push(sliceOf({ name: t("dashboards.others", { count: rest.length }), tone: "idle", total: sum }));
  }
  return (
    <div class="pie">
      <svg viewBox="0 0 100 100" aria-hidden="true">
        {slices.map((slice, index) => (
          <SliceShape
            key={slice.name}
            slice={slice}
            before={slices.slice(0, index).reduce((sum, { share }) => sum + share, 0)}
            isDonut={chart.isDonut}
          />
        ))}
        {chart.isDonut && <text x="50" y="50">{numberText(aggregation, total)}</text>}
      </svg>
      <Legend items={slices} />
    </div>
  );
}

function SliceShape({ slice: { name, value, tone, href, share }, before, isDonut }: {
  readonly slice: Slice;
  /** The share of all slices before it. */
  readonly before: number;
  readonly isDonut: Chart["isDonut"];
}) {
  const shape = (
    <path class={`bar ${tone}`} d={slicePath(before, share, isDonut ? HOLE : 0)} fill-rule="evenodd">
      <title>{`${name}: ${value}`}</title>
    </path>
  );
  return href === undefined ? shape : <a href={href} tabindex={-1}>{shape}</a>;
}

/** The outline of a slice; `before` and `share` are parts of the circle, which begins at the top. */
function slicePath(before: number, share: number, hole: number): string {
  if (share === 0) return "";
  if (share >= 1) return circle(RADIUS) + (hole > 0 ? circle(hole) : "");
  const isLarge = share > 0.5 ? 1 : 0;
  const [start, end] = [before, before + share];
  const outer = `M${point(start, RADIUS)}A${RADIUS} ${RADIUS} 0 ${isLarge} 1 ${point(end, RADIUS)}`;
  return hole === 0
    ? `${outer}L50 50Z`
    : `${outer}L${point(end, hole)}A${hole} ${hole} 0 ${isLarge} 0 ${point(start, hole)}Z`;
}

function circle(radius: number): string {
  const arc = `A${radius} ${radius} 0 1 1`;
  return `M50 ${50 - radius}${arc} 50 ${50 + radius}${arc} 50 ${50 - radius}Z`;
}

function point(part: number, radius: number): string {
  const angle = 2 * Math.PI * part;
  return `${(50 + radius * Math.sin(angle)).toFixed(3)} ${(50 - radius * Math.cos(angle)).toFixed(3)}`;
}
