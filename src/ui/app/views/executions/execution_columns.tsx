/** Columns of lists of executions. */
import { urlQuery } from "../../api/client.ts";
import type { ExecutionRow } from "../../api/entities.ts";
import { pagePath } from "../../core/places.ts";
import { query } from "../../core/router.ts";
import { StateBadge } from "../../kit/state_badge.tsx";
import type { Column } from "../../kit/table.tsx";
import { Duration, Label, Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { MiniGantt, type TimeSpan } from "./mini_gantt.tsx";

/** Labels that the server itself sets. */
const SYSTEM_LABEL = /^system\./;

/** The page of an execution. */
export function executionHref({ namespace, flowId, id }: Pick<ExecutionRow, "namespace" | "flowId" | "id">) {
  return pagePath("executions", namespace, flowId, id);
}

/** The columns; `span` is that of all rows. */
export function executionColumns(span: TimeSpan): readonly Column<ExecutionRow>[] {
  return [
    {
      name: "state",
      title: t("common.state"),
      sort: "state.current",
      cell: ({ state }) => <StateBadge state={state.current} />,
    },
    {
      name: "id",
      title: t("executions.id"),
      cell: (row) => <a class="mono" href={executionHref(row)}>{row.id}</a>,
    },
    { name: "flow", title: t("common.flow"), sort: "flowId", cell: flowCell },
    {
      name: "start",
      title: t("common.start"),
      sort: "state.startDate",
      cell: ({ state }) => <Time at={state.startDate} />,
    },
    {
      name: "duration",
      title: t("common.duration"),
      sort: "state.duration",
      isNumber: true,
      cell: ({ state }) => <Duration from={state.startDate} to={state.endDate} />,
    },
    {
      name: "timeline",
      title: t("executions.timeline"),
      cell: ({ state }) => <MiniGantt state={state} span={span} />,
    },
    { name: "labels", title: t("common.labels"), cell: labelsCell },
    {
      name: "trigger",
      title: t("executions.trigger"),
      cell: triggerCell,
    },
  ];
}

function flowCell({ namespace, flowId }: ExecutionRow) {
  return (
    <a href={pagePath("flows", "edit", namespace, flowId)}>
      <span class="dim">{namespace}.</span>
      <wbr />
      {flowId}
    </a>
  );
}

/** A child names the flow that started it, which is no trigger of its own flow. */
function triggerCell({ trigger, namespace, flowId }: ExecutionRow) {
  if (trigger?.id === undefined) return null;
  if (!/trigger(?:\.|$)/i.test(trigger.type ?? "")) return trigger.id;
  const key = [namespace, flowId, trigger.id].join("/");
  return <a href={`${pagePath("triggers")}${urlQuery({ trigger: key })}`}>{trigger.id}</a>;
}

function labelsCell({ labels = [] }: ExecutionRow) {
  const shown = labels.filter(({ key }) => !SYSTEM_LABEL.test(key));
  if (shown.length === 0) return null;
  return (
    <span>
      {shown.map(({ key, value }) => (
        <Label key={key} name={key} value={value} href={withLabel(`${key}:${value}`)} />
      ))}
    </span>
  );
}

/** The present list, also filtered by a label. */
function withLabel(label: string): string {
  const next = new URLSearchParams(query.value);
  if (!next.getAll("labels").includes(label)) next.append("labels", label);
  next.delete("page");
  return `?${next}`;
}
