/** `/flows`: all flows, filtered by the address, with their latest execution; search in sources; actions on those selected. */
import { get, type Page, send, urlOf } from "../../api/client.ts";
import type { FlowRow, LatestExecution } from "../../api/flow_entities.ts";
import { May } from "../../core/access.ts";
import { pageIn } from "../../core/page_number.ts";
import { pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import { Pager } from "../../kit/table.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { Templates } from "../blueprints/templates.tsx";
import { FlowTable } from "./flow_table.tsx";
import { ImportButton } from "./import_button.tsx";
import { SourceMatches } from "./source_matches.tsx";

const SIZE = 50;
const REFRESH_MS = 10_000;
const NO_SORT = "namespace:asc";

const FILTERS: readonly FilterField[] = [
  { name: "q", kind: "text", title: "common.search" },
  { name: "namespace", kind: "text", title: "common.namespace" },
  { name: "labels", kind: "text", title: "common.labels" },
  { name: "source", kind: "text", title: "flows.inSource" },
];
/** Parameters of the address that the API reads. */
const SENT = ["q", "namespace", "labels"];

/** The view. */
export function FlowList() {
  const given = query.value;
  const page = pageIn(given);
  const sort = given.get("sort") ?? NO_SORT;
  const filters = Object.fromEntries(
    SENT.filter((name) => given.has(name)).map((name) => [name, given.get(name) ?? ""]),
  );
  const source = given.get("source");
  const wanted = { ...filters, page, size: SIZE, sort };
  const list = useResource(JSON.stringify(wanted), (signal) => readFlows(wanted, signal), {
    refreshMs: REFRESH_MS,
  });
  return (
    <>
      <ViewHead title={t("flows.title")}>
        <May>
          <ImportButton done={list.reload} />
        </May>
        <a class="button" download href={urlOf("/flows/export/by-query", filters)}>{t("flows.export")}</a>
        <May>
          <a class="button primary" href={pagePath("flows", "new")}>{t("flows.new")}</a>
        </May>
      </ViewHead>
      <Filters fields={FILTERS} />
      {source ? <SourceMatches text={source} filters={filters} /> : (
        <Loaded resource={list} rows={12}>
          {({ results, total, latest }) =>
            total === 0 ? <NoFlows isFiltered={Object.keys(filters).length > 0} /> : (
              <>
                <FlowTable rows={results} latest={latest} sort={sort} reload={list.reload} />
                <Pager
                  page={page}
                  size={SIZE}
                  shown={results.length}
                  total={total}
                />
              </>
            )}
        </Loaded>
      )}
    </>
  );
}

interface FlowPage extends Page<FlowRow> {
  /** Latest execution by namespace and id. */
  readonly latest: ReadonlyMap<string, LatestExecution>;
}

async function readFlows(wanted: Record<string, string | number>, signal: AbortSignal): Promise<FlowPage> {
  const { results, total } = await get<Page<FlowRow>>("/flows/search", wanted, signal);
  const body = results.map(({ namespace, id }) => ({ namespace, id }));
  const found = body.length === 0
    ? []
    : await send<LatestExecution[]>("POST", "/executions/latest", { body, signal });
  const latest = new Map(found.map((each) => [`${each.namespace}/${each.flowId}`, each]));
  return { results, total, latest };
}

function NoFlows({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState title={t("flows.noMatch")}>
        <a class="button" href={pagePath("flows")}>{t("common.clear")}</a>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t("flows.none")}>
      <p>{t("flows.noneHint")}</p>
      <Templates size={3} />
      <a href={pagePath("blueprints")}>{t("flows.allTemplates")}</a>
    </EmptyState>
  );
}
