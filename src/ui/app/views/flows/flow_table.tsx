/** The table of flows, and actions on those that are selected. */
import { useSignal } from "@preact/signals";
import { send, sendForFile } from "../../api/client.ts";
import type { FlowKey, FlowRow, LatestExecution } from "../../api/flow_entities.ts";
import { pagePath } from "../../core/places.ts";
import { setQuery } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { downloadFile } from "../../kit/download.ts";
import { attempt } from "../../kit/feedback.tsx";
import { StateBadge } from "../../kit/state_badge.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { Label, Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { DisabledBadge } from "./disabled_badge.tsx";
import { Sparkline, useActivity } from "./flow_activity.tsx";

const NOTHING: ReadonlySet<string> = new Set();

interface FlowTableProps {
  readonly rows: readonly FlowRow[];
  /** By namespace and id. */
  readonly latest: ReadonlyMap<string, LatestExecution>;
  readonly sort: string;
  readonly reload: () => Promise<void>;
}

/** The table. */
export function FlowTable({ rows, latest, sort, reload }: FlowTableProps) {
  const activity = useActivity([...latest.values()]);
  const selected = useSignal<ReadonlySet<string>>(NOTHING);
  const keys = rows.filter((row) => selected.value.has(keyOf(row))).map(({ namespace, id }) => ({
    namespace,
    id,
  }));
  // What was selected while the action was under way stays selected.
  const done = (acted: readonly FlowKey[]) =>
    selected.value = selected.value.difference(new Set(acted.map(keyOf)));
  return (
    <>
      {keys.length > 0 && <BulkBar {...{ keys, done, reload }} />}
      <Table
        label={t("flows.title")}
        rows={rows}
        columns={columns(latest, activity)}
        keyOf={keyOf}
        href={hrefOf}
        sort={sort}
        onSort={(next) => setQuery({ sort: next, page: undefined })}
        selected={selected.value}
        onSelect={(next) => selected.value = next}
      />
    </>
  );
}

function keyOf({ namespace, id }: FlowKey): string {
  return `${namespace}/${id}`;
}

function hrefOf({ namespace, id }: FlowKey): string {
  return pagePath("flows", "edit", namespace, id);
}

const columns = (
  latest: FlowTableProps["latest"],
  activity: ReturnType<typeof useActivity>,
): readonly Column<FlowRow>[] => [
  {
    name: "flow",
    title: t("common.flow"),
    sort: "id",
    cell: (row) => (
      <>
        <a class="flow-name" href={hrefOf(row)}>{row.id}</a>
        {row.disabled && <DisabledBadge />}
      </>
    ),
  },
  {
    name: "namespace",
    title: t("common.namespace"),
    sort: "namespace",
    cell: ({ namespace }) => (
      <a href={`${pagePath("flows")}?namespace=${encodeURIComponent(namespace)}`}>{namespace}</a>
    ),
  },
  {
    name: "last",
    title: t("flows.lastState"),
    cell: (row) => <Last execution={latest.get(keyOf(row))} />,
  },
  {
    name: "activity",
    title: t("flows.activity"),
    cell: (row) => <Sparkline hours={activity.get(keyOf(row))} />,
  },
  {
    name: "labels",
    title: t("common.labels"),
    cell: ({ labels = [] }) =>
      labels.map(({ key, value }) => (
        <Label
          key={key}
          name={key}
          value={value}
          href={`${pagePath("flows")}?labels=${encodeURIComponent(`${key}:${value}`)}`}
        />
      )),
  },
  {
    name: "triggers",
    title: t("nav.triggers"),
    cell: ({ triggers = [] }) =>
      triggers.map(({ id, type }) => <span key={id} class="label" title={type}>{id}</span>),
  },
  { name: "revision", title: t("flows.revision"), isNumber: true, cell: ({ revision }) => revision },
];

function Last({ execution }: { readonly execution: LatestExecution | undefined }) {
  if (!execution) return <span class="dim">{t("flows.never")}</span>;
  const { namespace, flowId, id, status, startDate } = execution;
  return (
    <a class="last" href={pagePath("executions", namespace, flowId, id)}>
      <StateBadge state={status} /> <Time at={startDate} />
    </a>
  );
}

function BulkBar({ keys, done, reload }: {
  readonly keys: readonly FlowKey[];
  /** Called with what an action was done on. */
  readonly done: (keys: readonly FlowKey[]) => void;
  readonly reload: () => Promise<void>;
}) {
  const count = keys.length;
  const run = async (action: string, request: () => Promise<unknown>) => {
    const isDone = await attempt(async () => (await request(), true), t("flows.bulkDone", { action, count }));
    if (isDone) done(keys);
    await reload();
  };
  const change = (name: "enable" | "disable") =>
    run(t(`flows.verb.${name}`), () => send("POST", `/flows/${name}/by-ids`, { body: keys }));
  const remove = async () => {
    const action = t("common.delete");
    const text = t("flows.confirmDelete", { count });
    if (!await confirmed({ title: action, text, action, isDangerous: true })) return;
    await run(action, () => send("DELETE", "/flows/delete/by-ids", { body: keys }));
  };
  return (
    <div class="bulk" role="toolbar" aria-label={t("common.actions")}>
      <span>{t("common.selected", { count })}</span>
      <button type="button" onClick={() => void change("enable")}>{t("flows.verb.enable")}</button>
      <button type="button" onClick={() => void change("disable")}>{t("flows.verb.disable")}</button>
      <button type="button" onClick={() => void attempt(() => exportFlows(keys))}>{t("flows.export")}</button>
      <button type="button" class="danger" onClick={() => void remove()}>{t("common.delete")}</button>
    </div>
  );
}

/** Saves a zip of flows as a file. */
async function exportFlows(keys: readonly FlowKey[]): Promise<void> {
  downloadFile("flows.zip", await sendForFile("POST", "/flows/export/by-ids", { body: keys }));
}
