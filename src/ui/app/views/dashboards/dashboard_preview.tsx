/** The dashboard as it is being written, with its data. */
import { query } from "../../core/router.ts";
import { t } from "../../texts/mod.ts";
import type { Problem } from "../editor/problem.ts";
import { previewChart } from "./dashboard_api.ts";
import { DashboardGrid } from "./dashboard_grid.tsx";
import type { Dashboard } from "./definition.ts";
import { scopeOf, ScopeRange } from "./scope.tsx";

interface DashboardPreviewProps {
  /** The last one whose syntax was right. */
  readonly dashboard: Dashboard | undefined;
  readonly problems: readonly Problem[];
}

/** The panel beside the source. */
export function DashboardPreview({ dashboard, problems }: DashboardPreviewProps) {
  return (
    <section class="editor-side dashboard-preview" aria-label={t("dashboards.preview")} tabIndex={0}>
      {dashboard && (
        <>
          <div class="side-tabs">
            <h2>{dashboard.title}</h2>
            <ScopeRange dashboard={dashboard} />
          </div>
          {dashboard.charts.length === 0 && <p class="dim">{t("dashboards.noCharts")}</p>}
          <DashboardGrid
            dashboard={dashboard}
            scope={scopeOf(dashboard, query.value)}
            load={previewChart}
            problems={problems}
          />
        </>
      )}
    </section>
  );
}
