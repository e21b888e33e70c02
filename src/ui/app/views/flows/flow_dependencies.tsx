/** Flows that this one starts or listens to, and those that start or listen to it. */
import { get } from "../../api/client.ts";
import type { FlowKey } from "../../api/flow_entities.ts";
import { pageIn } from "../../core/page_number.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type Column, Pager, Table } from "../../kit/table.tsx";
import { t } from "../../texts/mod.ts";

interface Dependencies {
  readonly nodes?: readonly { readonly uid: string; readonly namespace: string; readonly id: string }[];
  readonly edges?: readonly Edge[];
}

interface Edge {
  readonly source: string;
  readonly target: string;
  readonly relation: string;
}

const SIZE = 100;

/** The tab. */
export function FlowDependencies({ flow: { namespace, id } }: { readonly flow: FlowKey }) {
  const path = `${apiPath("flows", namespace, id)}/dependencies`;
  const page = pageIn(query.value);
  const list = useResource(path, (signal) => get<Dependencies>(path, {}, signal));
  return (
    <Loaded resource={list}>
      {({ nodes = [], edges = [] }) => {
        const keys = new Map(nodes.map((node) => [node.uid, node]));
        const shown = edges.slice((page - 1) * SIZE, page * SIZE);
        return edges.length === 0
          ? <EmptyState title={t("flows.noDependencies")}>{t("flows.noDependenciesHint")}</EmptyState>
          : (
            <>
              <Table
                label={t("flows.tab.dependencies")}
                rows={shown}
                columns={columns(keys)}
                keyOf={({ source, target, relation }) => `${source} ${target} ${relation}`}
              />
              {(edges.length > SIZE || page > 1) && (
                <Pager page={page} size={SIZE} shown={shown.length} total={edges.length} />
              )}
            </>
          );
      }}
    </Loaded>
  );
}

const columns = (keys: ReadonlyMap<string, FlowKey>): readonly Column<Edge>[] => [
  {
    name: "source",
    title: t("flows.from"),
    cell: ({ source }) => <FlowLink flow={keys.get(source)} uid={source} />,
  },
  {
    name: "relation",
    title: t("flows.relation"),
    cell: ({ relation }) =>
      relation === "FLOW_TASK"
        ? t("flows.byTask")
        : relation === "FLOW_TRIGGER"
        ? t("flows.byTrigger")
        : relation,
  },
  {
    name: "target",
    title: t("flows.to"),
    cell: ({ target }) => <FlowLink flow={keys.get(target)} uid={target} />,
  },
];

/** A flow that does not exist has no page. */
function FlowLink({ flow, uid }: { readonly flow: FlowKey | undefined; readonly uid: string }) {
  if (!flow) return <>{uid}</>;
  return <a href={pagePath("flows", "edit", flow.namespace, flow.id)}>{flow.namespace}.{flow.id}</a>;
}
