/** The log lines of all executions of a flow, newest first. */
import { get, type Page } from "../../api/client.ts";
import type { LogRow } from "../../api/entities.ts";
import type { FlowKey } from "../../api/flow_entities.ts";
import { pageIn } from "../../core/page_number.ts";
import { useResource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import { Pager } from "../../kit/table.tsx";
import { t } from "../../texts/mod.ts";
import { LogTable } from "../logs/log_table.tsx";

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
  const page = pageIn(query.value);
  const filters = {
    q: query.value.get("q") ?? undefined,
    minLevel: query.value.get("minLevel") ?? undefined,
  };
  const wanted = { ...filters, namespace, flowId: id, page, size: SIZE, sort: "timestamp:desc" };
  const list = useResource(
    `logs ${JSON.stringify(wanted)}`,
    (signal) => get<Page<LogRow>>("/logs/search", wanted, signal),
    { refreshMs: REFRESH_MS },
  );
  return (
    <>
      <Filters fields={FILTERS} />
      <Loaded resource={list}>
        {({ results, total }) =>
          total === 0 ? <EmptyState title={t("flows.noLogs")} /> : (
            <>
              <LogTable lines={results} source="execution" />
              <Pager
                page={page}
                size={SIZE}
                shown={results.length}
                total={total}
              />
            </>
          )}
      </Loaded>
    </>
  );
}
