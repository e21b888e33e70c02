/** The executions of a flow. */
import type { FlowKey } from "../../api/flow_entities.ts";
import { pageIn } from "../../core/page_number.ts";
import { query } from "../../core/router.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { filterQuery } from "../../kit/filter_query.ts";
import { Filters } from "../../kit/filters.tsx";
import { Pager } from "../../kit/table.tsx";
import { t } from "../../texts/mod.ts";
import { EXECUTION_FILTERS } from "../executions/execution_filters.ts";
import { ExecutionTable, NewPill } from "../executions/execution_list.tsx";
import { NEWEST, useExecutionPage } from "../executions/stable_list.ts";

const SIZE = 25;
const OF_THE_FLOW: ReadonlySet<string> = new Set(["namespace", "flowId"]);
const FIELDS = EXECUTION_FILTERS.filter(({ name }) => !OF_THE_FLOW.has(name));

/** The tab. */
export function FlowExecutions({ flow: { namespace, id } }: { readonly flow: FlowKey }) {
  const page = pageIn(query.value);
  const sort = query.value.get("sort") ?? NEWEST;
  const given = filterQuery(FIELDS, query.value);
  const filters = { ...given, namespace, flowId: id };
  const list = useExecutionPage({ filters, page, size: SIZE, sort });
  const isFiltered = Object.keys(given).length > 0;
  return (
    <>
      <Filters fields={FIELDS} />
      <Loaded resource={list}>
        {(found) =>
          found.total === 0 && found.newCount === 0
            ? <EmptyState title={isFiltered ? t("executions.noMatch") : t("flows.neverRun")} />
            : (
              <>
                <NewPill count={found.newCount} show={list.showNew} />
                <ExecutionTable found={found} sort={sort} reload={list.reload} />
                <Pager
                  page={page}
                  size={SIZE}
                  shown={found.results.length}
                  total={found.total}
                />
              </>
            )}
      </Loaded>
    </>
  );
}
