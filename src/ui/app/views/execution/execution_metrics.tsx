/** The metrics that tasks have published, with a bar beside each value that compares it with others of its name. */
import { get, type Page } from "../../api/client.ts";
import { type ExecutionInfo, hasEnded } from "../../api/execution.ts";
import { countText } from "../../core/numbers.ts";
import { pageIn } from "../../core/page_number.ts";
import { apiPath } from "../../core/places.ts";
import { query, setQuery } from "../../core/router.ts";
import { durationText } from "../../core/time.ts";
import { useResource } from "../../core/resource.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type Column, Pager, Table } from "../../kit/table.tsx";
import { t } from "../../texts/mod.ts";
import { executionHref } from "./execution_links.tsx";

interface MetricEntry {
  readonly name: string;
  readonly type: string;
  /** Of a timer in milliseconds. */
  readonly value: number;
  readonly taskId: string;
  readonly taskRunId: string;
  readonly timestamp: string;
  readonly tags?: Readonly<Record<string, string>>;
}

const SIZE = 100;
const REFRESH_MS = 5_000;

/** The tab. */
export function ExecutionMetrics({ execution }: { readonly execution: ExecutionInfo }) {
  const page = pageIn(query.value);
  const sort = query.value.get("sort") ?? "name:asc";
  const wanted = { page, size: SIZE, sort, taskRunId: query.value.get("task") ?? undefined };
  const path = apiPath("metrics", execution.id);
  const metrics = useResource(
    `${path}${JSON.stringify(wanted)}${hasEnded(execution)}`,
    (signal) => get<Page<MetricEntry>>(path, wanted, signal),
    { refreshMs: hasEnded(execution) ? undefined : REFRESH_MS },
  );
  return (
    <Loaded resource={metrics}>
      {({ results, total }) =>
        total === 0
          ? <EmptyState title={t("execution.noMetrics")}>{t("execution.noMetricsHint")}</EmptyState>
          : (
            <>
              <Table
                label={t("execution.tab.metrics")}
                rows={results}
                columns={columnsOf(execution, results)}
                keyOf={({ taskRunId, name, tags, timestamp }) =>
                  `${taskRunId}/${name}/${timestamp}/${JSON.stringify(tags)}`}
                sort={sort}
                onSort={(next) => setQuery({ sort: next, page: undefined })}
              />
              {(total > SIZE || page > 1) && (
                <Pager
                  page={page}
                  size={SIZE}
                  shown={results.length}
                  total={total}
                />
              )}
            </>
          )}
    </Loaded>
  );
}

function columnsOf(
  execution: ExecutionInfo,
  entries: readonly MetricEntry[],
): readonly Column<MetricEntry>[] {
  const largest = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const { name, value } of entries) {
    largest.set(name, Math.max(largest.get(name) ?? 0, Math.abs(value)));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [
    { name: "metric", title: t("execution.metric"), sort: "name", cell: ({ name }) => <code>{name}</code> },
    { name: "type", title: t("execution.metricType"), sort: "type", cell: ({ type }) => type },
    {
      name: "task",
      title: t("execution.task"),
      sort: "taskId",
      cell: ({ taskId, taskRunId }) => (
        <a href={executionHref(execution, "gantt", { task: taskRunId })}>{taskId}</a>
      ),
    },
    {
      name: "tags",
      title: t("execution.tags"),
      cell: ({ tags = {} }) =>
        Object.entries(tags).map(([key, value]) => <span key={key} class="label">{key}: {value}</span>),
    },
    { name: "value", title: t("execution.value"), sort: "value", isNumber: true, cell: valueText },
    {
      name: "bar",
      title: "",
      cell: ({ name, value }) =>
        (counts.get(name) ?? 0) > 1 && (
          <span class="metric-bar" aria-hidden="true">
            <i style={{ width: `${Math.abs(value) / (largest.get(name) || 1) * 100}%` }} />
          </span>
        ),
    },
  ];
}

function valueText({ type, value }: MetricEntry): string {
  return type === "timer" ? durationText(value / 1_000) : countText(value);
}
