/** A chart in its card. Each loads its own data, so that one failure does not take the others. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { ownProperty } from "../../../../base/json.ts";
import { useResource } from "../../core/resource.ts";
import { Boundary, Loaded } from "../../kit/feedback.tsx";
import { LazyMarkdown } from "../../kit/lazy_markdown.ts";
import { Pager } from "../../kit/table.tsx";
import { t } from "../../texts/mod.ts";
import { BarChart } from "./bar_chart.tsx";
import type { ChartProps } from "./chart_props.ts";
import type { ChartData, LoadChart, Scope } from "./dashboard_api.ts";
import type { Chart } from "./definition.ts";
import { KpiChart } from "./kpi_chart.tsx";
import { PieChart } from "./pie_chart.tsx";
import { TableChart } from "./table_chart.tsx";
import { TimeSeriesChart } from "./time_series_chart.tsx";

/** A dashboard has up to a hundred charts. */
const REFRESH_MS = 30_000;
const PAGE_SIZE = 10;
const CHARTS: Readonly<Record<Exclude<Chart["kind"], "Markdown">, ComponentType<ChartProps>>> = {
  TimeSeries: TimeSeriesChart,
  Bar: BarChart,
  Pie: PieChart,
  Table: TableChart,
  KPI: KpiChart,
};

interface ChartCardProps {
  readonly chart: Chart;
  readonly scope: Scope;
  readonly load: LoadChart;
  /** The address of its rows as CSV. */
  readonly csv?: string;
}

/** The card. */
export function ChartCard(props: ChartCardProps) {
  const { chart, csv } = props;
  const hasRows = chart.kind !== "Markdown" && chart.kind !== "KPI";
  return (
    <Frame
      title={chart.title}
      description={chart.description}
      width={chart.width}
      csv={hasRows ? csv : undefined}
    >
      {chart.content === undefined || chart.kind !== "Markdown"
        ? <LoadedChart {...props} />
        : <LazyMarkdown text={chart.content} />}
    </Frame>
  );
}

/** A card of the grid. */
export function Frame({ title, description, width, csv, children }: {
  readonly title: string;
  readonly description?: string;
  readonly width: number;
  readonly csv?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="card chart" aria-label={title} style={{ "--width": String(width) }}>
      <header>
        <h2>{title}</h2>
        {csv !== undefined && <a href={csv} download aria-label={t("dashboards.csv", { title })}>CSV</a>}
      </header>
      {description !== undefined && <p class="dim">{description}</p>}
      <Boundary>{children}</Boundary>
    </section>
  );
}

function LoadedChart({ chart, scope, load }: ChartCardProps) {
  const page = useSignal(1);
  const choice = chart.kind === "Table" ? { pageNumber: page.value, pageSize: PAGE_SIZE } : undefined;
  const key = JSON.stringify([chart.definition, scope, choice]);
  const resource = useResource(key, (signal) => load(chart, scope, { page: choice, signal }), {
    refreshMs: REFRESH_MS,
  });
  return (
    <Loaded resource={resource} rows={chart.kind === "KPI" ? 1 : 4}>
      {(data) => (
        <>
          <Content chart={chart} data={data} scope={scope} />
          {data.isTotalExact === false && <p class="dim">{t("dashboards.incomplete")}</p>}
          {choice && (data.total > PAGE_SIZE || page.value > 1) && (
            <Pager
              page={page.value}
              size={PAGE_SIZE}
              shown={data.results.length}
              total={data.total}
              onPage={(next) => page.value = next}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

function Content({ chart, data: { results }, scope }: {
  readonly chart: Chart;
  readonly data: ChartData;
  readonly scope: Scope;
}) {
  const [row] = results;
  if (!row) return <p class="dim">{t("dashboards.noData")}</p>;
  if (chart.kind === "Markdown") return <LazyMarkdown text={String(ownProperty(row, "description") ?? "")} />;
  const Shape = CHARTS[chart.kind];
  return <Shape chart={chart} rows={results} scope={scope} />;
}
