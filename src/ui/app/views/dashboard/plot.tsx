/** Bars and lines over time, with axes. Lines have an axis of their own at the right, unless there are no bars. */
import type { TimeUnit } from "../../../../base/time/time_parts.ts";
import { partText, shortPartText } from "../../core/time.ts";
import { tickIndexes } from "./chart_scale.ts";

const HEIGHT = 100;
/** Width of a bar and the gap after it. */
const STEP = 10;
const BAR = 8;
const TICKS = 6;

/** A part of a bar. */
interface BarPart {
  readonly name: string;
  /** The class of its colour. */
  readonly tone: string;
  readonly value: number;
}

/** What is shown of a part of the time. */
export interface PlotBar {
  /** ISO text. */
  readonly start: string;
  /** From the bottom. */
  readonly parts: readonly BarPart[];
  /** Shown while the pointer is over it, beside its time. */
  readonly notes: readonly string[];
  readonly href?: string;
}

/** A line; a missing value interrupts it. */
interface PlotLine {
  readonly name: string;
  readonly tone: string;
  readonly values: readonly (number | undefined)[];
}

/** The scale of an axis. */
export interface PlotAxis {
  readonly maximum: number;
  readonly textOf: (value: number) => string;
}

interface PlotProps {
  readonly bars: readonly PlotBar[];
  readonly unit: TimeUnit;
  readonly left?: PlotAxis;
  readonly lines?: readonly PlotLine[];
  /** Of the lines. */
  readonly right?: PlotAxis;
}

/** The plot. It is hidden from screen readers: show its values as a table, too. */
export function Plot({ bars, unit, left, lines = [], right }: PlotProps) {
  const width = bars.length * STEP;
  const lineAxis = right ?? left;
  return (
    <div class={`plot ${right ? "two-axes" : ""}`}>
      <Axis axis={left} />
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d={`M0 .5H${width}M0 ${HEIGHT / 2}H${width}`} />
        {bars.map((bar, index) => (
          <Bar key={bar.start} bar={bar} unit={unit} x={index * STEP} maximum={left?.maximum ?? 1} />
        ))}
        {lineAxis &&
          lines.map(({ name, tone, values }) => (
            <path key={name} class={`line ${tone}`} d={pathOf(values, lineAxis.maximum)} />
          ))}
      </svg>
      {right && <Axis axis={right} />}
      <div class="x-axis dim num" aria-hidden="true">
        {tickIndexes(bars.length, TICKS).map((index) => (
          <span key={index} style={{ left: `${100 * (index + 0.5) / bars.length}%` }}>
            {shortPartText(bars[index]?.start ?? "", unit)}
          </span>
        ))}
      </div>
    </div>
  );
}

function Axis({ axis }: { readonly axis: PlotAxis | undefined }) {
  const { maximum = 0, textOf = String } = axis ?? {};
  return (
    <div class="y-axis num" aria-hidden="true">
      {axis && [maximum, maximum / 2, 0].map((value) => <span key={value}>{textOf(value)}</span>)}
    </div>
  );
}

function Bar({ bar: { start, parts, notes, href }, unit, x, maximum }: {
  readonly bar: PlotBar;
  readonly unit: TimeUnit;
  readonly x: number;
  readonly maximum: number;
}) {
  let top = HEIGHT;
  const content = (
    <>
      <title>{[partText(start, unit), ...notes].join("\n")}</title>
      <rect class="hit" x={x} y="0" width={STEP} height={HEIGHT} />
      {parts.map(({ name, tone, value }) => {
        const height = HEIGHT * value / maximum;
        top -= height;
        return <rect key={name} class={`bar ${tone}`} x={x + 1} y={top} width={BAR} height={height} />;
      })}
    </>
  );
  return href === undefined ? <g>{content}</g> : <a href={href} tabindex={-1}>{content}</a>;
}

/** A point alone is a short dash. */
function pathOf(values: readonly (number | undefined)[], maximum: number): string {
  return values.map((value, index) => {
    if (value === undefined) return "";
    const x = index * STEP + STEP / 2;
    const y = HEIGHT - HEIGHT * value / maximum;
    const isConnected = values[index - 1] !== undefined;
    const isAlone = !isConnected && values[index + 1] === undefined;
    return isAlone ? `M${x - BAR / 2} ${y}H${x + BAR / 2}` : `${isConnected ? "L" : "M"}${x} ${y}`;
  }).join("");
}

/** What a colour stands for. */
export interface LegendItem {
  readonly name: string;
  readonly tone: string;
  readonly value: string;
  readonly href?: string;
}

/** The colours with their values. */
export function Legend({ items }: { readonly items: readonly LegendItem[] }) {
  return (
    <ul class="legend">
      {items.map(({ name, tone, value, href }) => {
        const text = (
          <>
            <span class="swatch" aria-hidden="true" /> {name} <span class="num">{value}</span>
          </>
        );
        return <li key={name} class={tone}>{href === undefined ? text : <a href={href}>{text}</a>}</li>;
      })}
    </ul>
  );
}
