/** Rows as a table. The first cell of a row leads to what the row stands for. */
import { ownProperty } from "../../../../base/json.ts";
import { STATES } from "../../../../model/executions/state.ts";
import { AnsiText } from "../../kit/ansi.tsx";
import { StateBadge } from "../../kit/state_badge.tsx";
import { Time } from "../../kit/values.tsx";
import type { ChartProps } from "./chart_props.ts";
import type { Row } from "./dashboard_api.ts";
import type { Column } from "./definition.ts";
import { rowHref } from "./links.ts";
import { isDate, valueText } from "./value_text.ts";

/** The table; its pages are those of its card. */
export function TableChart({ chart, rows, scope }: ChartProps) {
  const { columns, title } = chart;
  return (
    <div class="chart-table" tabIndex={0} role="group" aria-label={title}>
      <table class="numbers">
        <thead>
          <tr>
            {columns.map((column) => <th key={column.name} class={classOf(column)}>{column.title}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const href = rowHref(chart, row, scope);
            return (
              <tr key={index}>
                {columns.map((column, at) => (
                  <td key={column.name} class={classOf(column)}>
                    {at === 0 && href !== undefined
                      ? (
                        <a href={href}>
                          <Cell row={row} column={column} />
                        </a>
                      )
                      : <Cell row={row} column={column} />}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const NUMBERS: ReadonlySet<string> = new Set([
  "DURATION",
  "FLOW_REVISION",
  "REVISION",
  "VALUE",
  "ATTEMPT_NUMBER",
]);

function classOf({ agg, field = "" }: Column): string {
  return agg !== undefined || NUMBERS.has(field) ? "num" : "";
}

function Cell({ row, column }: { readonly row: Row; readonly column: Column }) {
  const value = ownProperty(row, column.name);
  const state = column.field === "STATE" && !column.agg ? STATES.find((each) => each === value) : undefined;
  if (state) return <StateBadge state={state} />;
  if (isDate(column) && typeof value === "string") return <Time at={value} />;
  return <AnsiText text={valueText(column, value)} />;
}
