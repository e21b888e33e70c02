/** The charts of a dashboard, in twelve columns. */
import type { Problem } from "../editor/problem.ts";
import { ChartCard, Frame } from "./chart_card.tsx";
import type { LoadChart, Scope } from "./dashboard_api.ts";
import type { Chart, Dashboard } from "./definition.ts";

interface DashboardGridProps {
  readonly dashboard: Dashboard;
  readonly scope: Scope;
  readonly load: LoadChart;
  readonly csvOf?: (chart: Chart) => string;
  /** Charts with an error show it instead of data. */
  readonly problems?: readonly Problem[];
}

/** The grid. */
export function DashboardGrid({ dashboard, scope, load, csvOf, problems = [] }: DashboardGridProps) {
  return (
    <div class="dashboard-space">
      <div class="dashboard-grid">
        {dashboard.charts.map((chart, index) => {
          const errors = problems.filter(({ path, severity }) =>
            severity === "error" && new RegExp(`^charts\\[${index}\\](?:\\.|$)`).test(path)
          );
          if (chart && errors.length === 0) {
            return (
              <ChartCard
                key={`${index} ${chart.id}`}
                chart={chart}
                scope={scope}
                load={load}
                csv={csvOf?.(chart)}
              />
            );
          }
          return (
            <Frame
              key={`problem ${index}`}
              title={chart?.title ?? `charts[${index}]`}
              width={chart?.width ?? 6}
            >
              {errors.map(({ path, message, line = "" }) => (
                <p key={path} class="notice bad">
                  <span class="num">{line}</span> <strong>{path}</strong> {message}
                </p>
              ))}
            </Frame>
          );
        })}
      </div>
    </div>
  );
}
