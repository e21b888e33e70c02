/** Rows of charts as series: one value for each place of an axis. */
import { type JsonValue, ownProperty } from "../../../../base/json.ts";
import { type State, STATES } from "../../../../model/executions/state.ts";
import { toneOf } from "../../kit/state_badge.tsx";
import type { Row } from "./dashboard_api.ts";
import type { Chart, Column } from "./definition.ts";

/** Values of one colour. */
export interface Series {
  readonly name: string;
  /** The class of its colour. */
  readonly tone: string;
  /** By place; missing where there is no row. */
  readonly values: ReadonlyMap<string, number>;
  /** A row of each place. */
  readonly rows: ReadonlyMap<string, Row>;
  readonly total: number;
}

/** How columns are used. */
export interface Roles {
  /** What rows are grouped by along the axis. */
  readonly axis?: Column;
  /** What rows are grouped by beside that. */
  readonly groups: readonly Column[];
  readonly aggregations: readonly Column[];
}

const LEVEL_TONES: ReadonlyMap<string, string> = new Map([
  ["ERROR", "bad"],
  ["WARN", "warn"],
  ["INFO", "good"],
  ["DEBUG", "busy"],
  ["TRACE", "idle"],
]);
/** Colours of what has no severity; the last is shared by all that are left. */
const TONES = 8;

/** The axis is the column that the options name, else the first that is no aggregation. */
export function rolesOf({ columns, axis: wanted, colour }: Chart): Roles {
  const plain = columns.filter(({ agg }) => agg === undefined);
  const axis = plain.find(({ name }) => name === wanted) ?? plain.find(({ name }) => name !== colour) ??
    plain[0];
  return {
    axis,
    groups: plain.filter((column) => column !== axis),
    aggregations: columns.filter(({ agg }) => agg !== undefined),
  };
}

/** The text of a value. */
function textOf(row: Row, { name }: Column): string {
  const value = ownProperty(row, name) ?? null;
  return value === null ? "–" : String(value);
}

/** The number of a value; `undefined` for an empty cell. */
export function numberOf(row: Row, { name }: Column): number | undefined {
  const value: JsonValue | undefined = ownProperty(row, name);
  return typeof value === "number" ? value : undefined;
}

/** The series of an aggregation, the states in their order, others by their totals. */
export function seriesOf(rows: readonly Row[], { axis, groups }: Roles, aggregation: Column): Series[] {
  const found = new Map<string, { values: Map<string, number>; rows: Map<string, Row> }>();
  for (const row of rows) {
    const value = numberOf(row, aggregation);
    if (value === undefined) continue;
    const name = groups.map((column) => textOf(row, column)).join(" · ") || aggregation.title;
    const series = found.get(name) ?? { values: new Map(), rows: new Map() };
    found.set(name, series);
    const place = axis ? textOf(row, axis) : "";
    series.values.set(place, (series.values.get(place) ?? 0) + value);
    series.rows.set(place, row);
  }
  const all = [...found].map(([name, { values, rows }]) => {
    const total = [...values.values()].reduce((sum, value) => sum + value, 0);
    return { name, values, rows, total };
  });
  return all.sort((a, b) => rankOf(a.name) - rankOf(b.name) || b.total - a.total)
    .map((series, index) => ({ ...series, tone: toneOfName(series.name, index) }));
}

/** The class of the colour of a value: that of its state or level, else by its position. */
function toneOfName(name: string, index: number): string {
  if (isState(name)) return toneOf(name);
  return LEVEL_TONES.get(name) ?? `series-${Math.min(index + 1, TONES)}`;
}

function isState(name: string): name is State {
  return STATES.some((state) => state === name);
}

function rankOf(name: string): number {
  const names: readonly string[] = [...STATES, ...LEVEL_TONES.keys()];
  const at = names.indexOf(name);
  return at < 0 ? names.length : at;
}
