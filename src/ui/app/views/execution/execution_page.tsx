/** `/executions/:namespace/:flow/:id[/:tab]`: one execution, live while it runs. */
import { useEffect } from "preact/hooks";
import type { ComponentType } from "preact";
import { type ExecutionInfo, hasEnded } from "../../api/execution.ts";
import { pagePath } from "../../core/places.ts";
import { navigate, segments } from "../../core/router.ts";
import { EmptyState, ErrorCard, Skeleton } from "../../kit/feedback.tsx";
import { Tabs, ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { ExecutionGantt } from "./execution_gantt.tsx";
import { AboveExecution, ExecutionHead } from "./execution_head.tsx";
import { ExecutionLogs } from "./execution_logs.tsx";
import { ExecutionMetrics } from "./execution_metrics.tsx";
import { ExecutionOutputs } from "./execution_outputs.tsx";
import { ExecutionOverview } from "./execution_overview.tsx";
import { executionHref } from "./execution_links.tsx";
import { ExecutionTopology } from "./execution_topology.tsx";
import { useLiveExecution } from "./live_execution.ts";

const TABS = ["overview", "gantt", "logs", "topology", "outputs", "metrics"] as const;
type TabName = typeof TABS[number];

interface TabProps {
  readonly execution: ExecutionInfo;
  /** Called after an action. */
  readonly changed: () => Promise<void>;
}

const VIEWS: Readonly<Record<TabName, ComponentType<TabProps>>> = {
  overview: ExecutionOverview,
  gantt: ExecutionGantt,
  logs: ExecutionLogs,
  topology: ExecutionTopology,
  outputs: ExecutionOutputs,
  metrics: ExecutionMetrics,
};

/** The view. */
export function ExecutionPage() {
  const [, namespace = "", flowId = "", id = "", given] = segments.value;
  const live = useLiveExecution(id);
  const execution = live.execution.value;
  const error = live.error.value;
  const tab = TABS.find((each) => each === given) ?? "overview";
  useTitle(execution);
  useEffect(() => {
    if (!execution || execution.namespace === namespace && execution.flowId === flowId) return;
    navigate(executionHref(execution, tab), { replace: true });
  }, [execution]);
  if (!execution) {
    if (error?.status === 404) return <UnknownExecution id={id} />;
    if (!error) return <Skeleton rows={12} />;
    return (
      <>
        <ViewHead title={flowId} above={<AboveExecution namespace={namespace} />} />
        <ErrorCard error={error} retry={() => live.reload()} />
      </>
    );
  }
  const changed = () => live.reload();
  const View = VIEWS[tab];
  return (
    <>
      <ExecutionHead execution={execution} changed={changed} />
      {live.isReconnecting.value && !hasEnded(execution) && (
        <div class="notice warn" role="status">{t("execution.reconnecting")}</div>
      )}
      <Tabs
        label={t("execution.tabs")}
        present={tab}
        tabs={TABS.map((name) => ({
          name,
          title: t(`execution.tab.${name}`),
          href: executionHref(execution, name === "overview" ? undefined : name),
        }))}
      />
      <View key={id} execution={execution} changed={changed} />
    </>
  );
}

function useTitle(execution: ExecutionInfo | undefined): void {
  const title = execution ? `${execution.flowId} ${execution.state.current} · Sluice` : "Sluice";
  useEffect(() => {
    document.title = title;
    return () => {
      document.title = "Sluice";
    };
  }, [title]);
}

function UnknownExecution({ id }: { readonly id: string }) {
  return (
    <EmptyState title={t("execution.unknown", { id })}>
      <p>{t("execution.unknownHint")}</p>
      <p class="actions">
        <a class="button" href={`${pagePath("executions")}?q=${encodeURIComponent(id)}`}>
          {t("execution.searchId")}
        </a>
        <a class="button" href={pagePath("executions")}>{t("executions.title")}</a>
      </p>
    </EmptyState>
  );
}
