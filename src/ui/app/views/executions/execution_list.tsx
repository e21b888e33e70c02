/** `/executions`: all executions, filtered and sorted by the address; actions on many of them. */
import { useSignal } from "@preact/signals";
import { urlOf } from "../../api/client.ts";
import { countText } from "../../core/numbers.ts";
import { pageIn } from "../../core/page_number.ts";
import { pagePath } from "../../core/places.ts";
import { query, setQuery } from "../../core/router.ts";
import { now } from "../../core/time.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { filterQuery } from "../../kit/filter_query.ts";
import { Filters } from "../../kit/filters.tsx";
import { SavedViews } from "../../kit/saved_views.tsx";
import { Pager, Table } from "../../kit/table.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { BulkBar, useReplayKey } from "./bulk_bar.tsx";
import type { BulkTarget } from "./bulk_request.ts";
import { executionColumns, executionHref } from "./execution_columns.tsx";
import { EXECUTION_FILTERS } from "./execution_filters.ts";
import { spanOf } from "./mini_gantt.tsx";
import { type ExecutionPage, NEWEST, useExecutionPage } from "./stable_list.ts";

const SIZE = 50;
const NOTHING: ReadonlySet<string> = new Set();

/** The view. */
export function ExecutionList() {
  const page = pageIn(query.value);
  const sort = query.value.get("sort") ?? NEWEST;
  const filters = filterQuery(EXECUTION_FILTERS, query.value);
  const list = useExecutionPage({ filters, page, size: SIZE, sort });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <ViewHead title={t("executions.title")}>
        <SavedViews list="executions" />
        {(["csv", "json"] as const).map((format) => (
          <a
            key={format}
            class="button"
            href={urlOf(`/executions/export/by-query/${format}`, filters)}
            download
          >
            {t("common.export", { format: format.toUpperCase() })}
          </a>
        ))}
      </ViewHead>
      <Filters fields={EXECUTION_FILTERS} />
      <Loaded resource={list} rows={12}>
        {(found) =>
          found.total === 0 && found.newCount === 0 ? <NoExecutions isFiltered={isFiltered} /> : (
            <>
              <div class="execution-table">
                <NewPill count={found.newCount} show={list.showNew} />
                <ExecutionTable
                  key={JSON.stringify(filters)}
                  found={found}
                  sort={sort}
                  reload={list.reload}
                />
              </div>
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

function NoExecutions({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <EmptyState title={t("executions.none")}>
        <p>{t("executions.noneHint")}</p>
        <a class="button primary" href={pagePath("flows")}>{t("executions.toFlows")}</a>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t("executions.noMatch")}>
      <a class="button" href={pagePath("executions")}>{t("common.clear")}</a>
    </EmptyState>
  );
}

/** Says how many started since the list was opened; they are shown when the person wants to. */
export function NewPill({ count, show }: { readonly count: number; readonly show: () => Promise<void> }) {
  const seen = async () => {
    setQuery({ page: undefined });
    await show();
  };
  return (
    <div class="new-rows" role="status">
      {count > 0 && (
        <button type="button" class="pill" onClick={() => void seen()}>
          {t("executions.new", { count: countText(count) })} <span aria-hidden="true">↑</span>
        </button>
      )}
    </div>
  );
}

interface ExecutionTableProps {
  readonly found: ExecutionPage;
  readonly sort: string;
  readonly reload: () => Promise<void>;
}

/** The table of executions, and actions on those that are selected. */
export function ExecutionTable({ found: { results, total, filters }, sort, reload }: ExecutionTableProps) {
  const selected = useSignal<ReadonlySet<string>>(NOTHING);
  const areAllSelected = useSignal(false);
  const ids = results.map(({ id }) => id).filter((id) => selected.value.has(id));
  const select = (keys: ReadonlySet<string>) => {
    selected.value = keys;
    areAllSelected.value = false;
  };
  const target = areAllSelected.value ? { count: total, filters } : { count: ids.length, ids };
  // What was selected while the action was under way stays selected.
  const done = (acted: BulkTarget) => {
    if (acted.ids) selected.value = selected.value.difference(new Set(acted.ids));
    else if (areAllSelected.value) select(NOTHING);
  };
  useReplayKey(target, async (acted) => {
    done(acted);
    await reload();
  });
  const states = results.map(({ state }) => state);
  const isLive = states.some(({ endDate }) => endDate === undefined);
  return (
    <>
      <BulkBar
        target={target}
        total={total}
        selectAll={() => areAllSelected.value = true}
        clear={() => select(NOTHING)}
        done={done}
        reload={reload}
      />
      <Table
        label={t("executions.title")}
        rows={results}
        columns={executionColumns(spanOf(states, isLive ? now.value : 0))}
        keyOf={({ id }) => id}
        href={executionHref}
        sort={sort}
        onSort={(next) => setQuery({ sort: next, page: undefined })}
        selected={areAllSelected.value ? new Set(results.map(({ id }) => id)) : selected.value}
        onSelect={select}
      />
    </>
  );
}
