/** What each kind of chart gets. */
import type { Row, Scope } from "./dashboard_api.ts";
import type { Chart } from "./definition.ts";

/** A chart and its data. */
export interface ChartProps {
  readonly chart: Chart;
  readonly rows: readonly Row[];
  readonly scope: Scope;
}
