/** The triggers of a flow with their state. */
import { send, urlQuery } from "../../api/client.ts";
import type { FlowRow, TriggerRow } from "../../api/flow_entities.ts";
import { pagePath } from "../../core/places.ts";
import { attempt, EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { EvaluationLine } from "../triggers/evaluation_list.tsx";
import { useTriggers } from "./flow_overview.tsx";

/** The tab. */
export function FlowTriggers({ flow }: { readonly flow: FlowRow }) {
  const list = useTriggers(flow);
  const { namespace, id } = flow;
  const setDisabled = async (triggerId: string, disabled: boolean) => {
    const body = { triggers: [{ namespace, flowId: id, triggerId }], disabled };
    const action = t(disabled ? "flows.verb.disable" : "flows.verb.enable");
    await attempt(
      () => send("POST", "/triggers/set-disabled/by-triggers", { body }),
      `${action}: ${triggerId}`,
    );
    await list.reload();
  };
  return (
    <Loaded resource={list}>
      {({ results }) =>
        results.length === 0
          ? (
            <EmptyState title={t("flows.noTriggers")}>
              <pre class="card">{SNIPPET}</pre>
              <a class="button" href={pagePath("flows", "edit", namespace, id, "editor")}>
                {t("flows.tab.editor")}
              </a>
            </EmptyState>
          )
          : (
            <Table
              label={t("nav.triggers")}
              rows={results}
              columns={columns(setDisabled)}
              keyOf={({ triggerContext: { triggerId } }) => triggerId}
            />
          )}
    </Loaded>
  );
}

const SNIPPET = `triggers:
  - id: daily
    type: io.svc.plugin.core.trigger.Schedule
    cron: "0 9 * * *"`;

const columns = (
  setDisabled: (triggerId: string, disabled: boolean) => Promise<void>,
): readonly Column<TriggerRow>[] => [
  {
    name: "id",
    title: t("executions.trigger"),
    cell: ({ triggerContext: { namespace, flowId, triggerId } }) => (
      <a
        class="flow-name"
        href={`${pagePath("triggers")}${urlQuery({ trigger: [namespace, flowId, triggerId].join("/") })}`}
      >
        {triggerId}
      </a>
    ),
  },
  {
    name: "type",
    title: t("flows.type"),
    cell: ({ abstractTrigger }) => <Type type={abstractTrigger?.type} />,
  },
  {
    name: "next",
    title: t("flows.nextRun"),
    cell: ({ triggerContext: { nextExecutionDate } }) => <Time at={nextExecutionDate} />,
  },
  { name: "last", title: t("flows.lastRun"), cell: ({ triggerContext: { date } }) => <Time at={date} /> },
  {
    name: "why",
    title: t("flows.lastResult"),
    cell: ({ triggerContext }) => (
      <EvaluationLine evaluation={triggerContext.evaluations?.[0]} of={triggerContext} />
    ),
  },
  {
    name: "actions",
    right: "change",
    title: t("common.actions"),
    cell: ({ triggerContext: { triggerId, disabled = false } }) => (
      <button
        type="button"
        onClick={() => void setDisabled(triggerId, !disabled)}
      >
        {t(disabled ? "flows.verb.enable" : "flows.verb.disable")}
      </button>
    ),
  },
];

function Type({ type }: { readonly type: string | undefined }) {
  if (type === undefined) return <span class="dim">–</span>;
  return <a href={pagePath("plugins", type)}>{type.slice(type.lastIndexOf(".") + 1)}</a>;
}
