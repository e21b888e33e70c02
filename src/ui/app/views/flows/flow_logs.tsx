/** The log lines of all executions of a flow, newest first. */
import { get, type Page } from "../../api/client.ts";
import type { FlowKey } from "../../api/flow_entities.ts";
import { pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import { type Column, Pager, Table } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";

interface LogLine {
  readonly timestamp: string;
  readonly level: string;
  readonly executionId: string;
  readonly taskId?: string;
  readonly message: string;
}

const SIZE = 50;
const REFRESH_MS = 5_000;
const FILTERS: readonly FilterField[] = [
  { name: "q", kind: "text", title: "common.search" },
  {
    name: "minLevel",
    kind: "choice",
    title: "flows.level",
    choices: ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"],
  },
];

/** The tab. */
export function FlowLogs({ flow: { namespace, id } }: { readonly flow: FlowKey }) {
  const page = Number(query.value.get("page") ?? 1);
  const filters = {
    q: query.value.get("q") ?? undefined,
    minLevel: query.value.get("minLevel") ?? undefined,
  };
  const wanted = { ...filters, namespace, flowId: id, page, size: SIZE, sort: "timestamp:desc" };
  const list = useResource(
    `logs ${JSON.stringify(wanted)}`,
    (signal) => get<Page<LogLine>>("/logs/search", wanted, signal),
    { refreshMs: REFRESH_MS },
  );
  return (
    <>
      <Filters fields={FILTERS} />
      <Loaded resource={list}>
        {({ results, total }) =>
          total === 0 ? <EmptyState title={t("flows.noLogs")} /> : (
            <>
              <Table
                label={t("nav.logs")}
                rows={results.map((line, index) => ({ ...line, index }))}
                columns={columns(namespace, id)}
                keyOf={({ index }) => String(index)}
              />
              <Pager
                page={page}
                size={SIZE}
                total={total}
              />
            </>
          )}
      </Loaded>
    </>
  );
}

const columns = (namespace: string, id: string): readonly Column<LogLine & { readonly index: number }>[] => [
  { name: "time", title: t("flows.time"), cell: ({ timestamp }) => <Time at={timestamp} /> },
  {
    name: "level",
    title: t("flows.level"),
    cell: ({ level }) => <span class={`level ${level}`}>{level}</span>,
  },
  { name: "task", title: t("flows.task"), cell: ({ taskId }) => taskId ?? <span class="dim">–</span> },
  { name: "message", title: t("flows.message"), cell: ({ message }) => <code class="wrap">{message}</code> },
  {
    name: "execution",
    title: t("executions.id"),
    cell: ({ executionId }) => (
      <a class="mono" href={pagePath("executions", namespace, id, executionId, "logs")}>{executionId}</a>
    ),
  },
];
