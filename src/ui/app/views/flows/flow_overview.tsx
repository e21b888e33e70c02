/** What a flow is for, its graph, its last executions and its next runs. */
import { get, type Page } from "../../api/client.ts";
import type { ExecutionRow } from "../../api/entities.ts";
import type { FlowRow, TriggerRow } from "../../api/flow_entities.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { navigate } from "../../core/router.ts";
import { Loaded } from "../../kit/feedback.tsx";
import type { FlowGraph } from "../../kit/graph.tsx";
import { LazyGraph } from "../../kit/lazy_graph.ts";
import { LazyMarkdown } from "../../kit/lazy_markdown.ts";
import { StateBadge } from "../../kit/state_badge.tsx";
import { Duration, Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";

const REFRESH_MS = 5_000;
const SHOWN = 8;

interface PartProps {
  readonly flow: FlowRow;
}

/** The tab. */
export function FlowOverview({ flow }: PartProps) {
  return (
    <div class="flow-overview">
      <div class="flow-facts">
        {flow.description && (
          <section class="card">
            <LazyMarkdown key={flow.revision} text={flow.description} />
          </section>
        )}
        <LastExecutions flow={flow} />
        <NextRuns flow={flow} />
        <Inputs flow={flow} />
      </div>
      <FlowGraphOf flow={flow} />
    </div>
  );
}

function FlowGraphOf({ flow: { namespace, id, revision } }: PartProps) {
  const path = `${apiPath("flows", namespace, id)}/graph`;
  const graph = useResource(`${path} ${revision}`, (signal) => get<FlowGraph>(path, {}, signal));
  return (
    <Loaded resource={graph}>
      {(data) => (
        <LazyGraph
          graph={data}
          label={t("flows.graph")}
          onSelect={() => navigate(pagePath("flows", "edit", namespace, id, "editor"))}
        />
      )}
    </Loaded>
  );
}

function LastExecutions({ flow: { namespace, id } }: PartProps) {
  const wanted = { namespace, flowId: id, size: SHOWN, sort: "state.startDate:desc" };
  const list = useResource(
    JSON.stringify(wanted),
    (signal) => get<Page<ExecutionRow>>("/executions/search", wanted, signal),
    { refreshMs: REFRESH_MS },
  );
  return (
    <section class="card">
      <h2>{t("flows.lastExecutions")}</h2>
      <Loaded resource={list} rows={4}>
        {({ results, total }) =>
          results.length === 0 ? <p class="dim">{t("flows.neverRun")}</p> : (
            <>
              <ul class="fact-rows">
                {results.map((row) => (
                  <li key={row.id}>
                    <StateBadge state={row.state.current} />
                    <a class="mono" href={pagePath("executions", namespace, id, row.id)}>{row.id}</a>
                    <Time at={row.state.startDate} />
                    <Duration from={row.state.startDate} to={row.state.endDate} />
                  </li>
                ))}
              </ul>
              {total > results.length && (
                <a href={pagePath("flows", "edit", namespace, id, "executions")}>
                  {t("common.total", { count: total })}
                </a>
              )}
            </>
          )}
      </Loaded>
    </section>
  );
}

function NextRuns({ flow: { namespace, id, triggers = [] } }: PartProps) {
  if (triggers.length === 0) return null;
  return <NextRunsOf namespace={namespace} id={id} />;
}

function NextRunsOf({ namespace, id }: { readonly namespace: string; readonly id: string }) {
  const list = useTriggers({ namespace, id });
  return (
    <section class="card">
      <h2>{t("flows.nextRuns")}</h2>
      <Loaded resource={list} rows={2}>
        {({ results }) => (
          <ul class="fact-rows">
            {results.map(({ triggerContext: { triggerId, nextExecutionDate, disabled } }) => (
              <li key={triggerId}>
                <strong>{triggerId}</strong>
                {disabled ? <span class="dim">{t("flows.disabled")}</span> : <Time at={nextExecutionDate} />}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

/** The triggers of a flow with their states. */
export function useTriggers({ namespace, id }: Pick<FlowRow, "namespace" | "id">) {
  const wanted = { namespace, flowId: id, size: 100 };
  return useResource(
    `triggers ${JSON.stringify(wanted)}`,
    (signal) => get<Page<TriggerRow>>("/triggers/search", wanted, signal),
    { refreshMs: REFRESH_MS },
  );
}

function Inputs({ flow: { inputs = [] } }: PartProps) {
  if (inputs.length === 0) return null;
  return (
    <section class="card">
      <h2>{t("flows.inputs")}</h2>
      <ul class="fact-rows">
        {inputs.map(({ id, type, description }) => (
          <li key={id}>
            <strong>{id}</strong>
            <span class="dim">{type}</span>
            {description && <span>{description}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
