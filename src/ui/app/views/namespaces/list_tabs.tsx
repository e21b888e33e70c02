/** Flows and latest executions of a namespace and of those below it. */
import type { Right } from "../../../../model/access/role.ts";
import { get, type Page } from "../../api/client.ts";
import type { ExecutionRow } from "../../api/entities.ts";
import { May } from "../../core/access.ts";
import { pageIn } from "../../core/page_number.ts";
import { pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { StateBadge } from "../../kit/state_badge.tsx";
import { type Column, Pager, Table } from "../../kit/table.tsx";
import { Duration, Time } from "../../kit/values.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import type { TabProps } from "./namespace.ts";

const SIZE = 25;
const REFRESH_MS = 5_000;

interface FlowRow {
  readonly id: string;
  readonly namespace: string;
  readonly revision: number;
  readonly disabled?: boolean;
  readonly description?: string;
}

/** The tab of flows. */
export function FlowsTab({ namespace }: TabProps) {
  return (
    <RowList<FlowRow>
      path="/flows/search"
      namespace={namespace}
      sort="id:asc"
      empty="namespaces.noFlows"
      first={{
        href: `${pagePath("flows", "new")}?namespace=${encodeURIComponent(namespace)}`,
        title: "flows.new",
        right: "change",
      }}
      label="nav.flows"
      columns={flowColumns()}
      hrefOf={({ namespace, id }) => pagePath("flows", "edit", namespace, id)}
      keyOf={({ namespace, id }) => `${namespace}.${id}`}
      all={`${pagePath("flows")}?namespace=${encodeURIComponent(namespace)}`}
    />
  );
}

/** The tab of executions. */
export function ExecutionsTab({ namespace }: TabProps) {
  return (
    <RowList<ExecutionRow>
      path="/executions/search"
      namespace={namespace}
      sort="state.startDate:desc"
      empty="namespaces.noExecutions"
      first={{ href: pagePath("namespaces", namespace, "flows"), title: "nav.flows" }}
      label="nav.executions"
      columns={executionColumns()}
      hrefOf={({ namespace, flowId, id }) => pagePath("executions", namespace, flowId, id)}
      keyOf={({ id }) => id}
      all={`${pagePath("executions")}?namespace=${encodeURIComponent(namespace)}`}
    />
  );
}

interface RowListProps<Row> {
  readonly path: string;
  readonly namespace: string;
  readonly sort: string;
  readonly empty: TextName;
  /** Where the first row is made. */
  readonly first: { readonly href: string; readonly title: TextName; readonly right?: Right };
  readonly label: TextName;
  readonly columns: readonly Column<Row>[];
  readonly hrefOf: (row: Row) => string;
  readonly keyOf: (row: Row) => string;
  /** Address of the complete list. */
  readonly all: string;
}

function RowList<Row>(props: RowListProps<Row>) {
  const page = pageIn(query.value);
  const wanted = { namespace: props.namespace, page, size: SIZE, sort: props.sort };
  const load = (signal: AbortSignal) => get<Page<Row>>(props.path, wanted, signal);
  const list = useResource(props.path + JSON.stringify(wanted), load, { refreshMs: REFRESH_MS });
  return (
    <Loaded resource={list}>
      {({ results, total }) =>
        total === 0
          ? (
            <EmptyState title={t(props.empty)}>
              <May right={props.first.right ?? "read"}>
                <a class="button" href={props.first.href}>{t(props.first.title)}</a>
              </May>
            </EmptyState>
          )
          : (
            <>
              <Table
                label={t(props.label)}
                rows={results}
                columns={props.columns}
                keyOf={props.keyOf}
                href={props.hrefOf}
              />
              <div class="section-head">
                <a href={props.all}>{t("namespaces.openList")}</a>
                <Pager
                  page={page}
                  size={SIZE}
                  shown={results.length}
                  total={total}
                />
              </div>
            </>
          )}
    </Loaded>
  );
}

const flowColumns = (): readonly Column<FlowRow>[] => [
  {
    name: "id",
    title: t("common.flow"),
    cell: ({ id, namespace }) => <a href={pagePath("flows", "edit", namespace, id)}>{id}</a>,
  },
  { name: "namespace", title: t("common.namespace"), cell: ({ namespace }) => namespace },
  {
    name: "description",
    title: t("namespaces.description"),
    cell: ({ description }) => <span class="dim">{description?.split("\n")[0] ?? "–"}</span>,
  },
  {
    name: "disabled",
    title: t("triggers.enabled"),
    cell: ({ disabled }) => t(disabled ? "common.no" : "common.yes"),
  },
];

const executionColumns = (): readonly Column<ExecutionRow>[] => [
  { name: "state", title: t("common.state"), cell: ({ state }) => <StateBadge state={state.current} /> },
  {
    name: "id",
    title: t("executions.id"),
    cell: ({ namespace, flowId, id }) => (
      <a class="mono" href={pagePath("executions", namespace, flowId, id)}>{id}</a>
    ),
  },
  { name: "flow", title: t("common.flow"), cell: ({ flowId }) => flowId },
  { name: "start", title: t("common.start"), cell: ({ state }) => <Time at={state.startDate} /> },
  {
    name: "duration",
    title: t("common.duration"),
    isNumber: true,
    cell: ({ state }) => <Duration from={state.startDate} to={state.endDate} />,
  },
];
