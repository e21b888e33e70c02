/** The head of an execution's page: what it is, how it is, and what one can do. */
import type { ComponentChildren } from "preact";
import { urlOf } from "../../api/client.ts";
import type { ExecutionInfo } from "../../api/execution.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { StateBadge } from "../../kit/state_badge.tsx";
import { CopyButton, Duration, Label, Time } from "../../kit/values.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { ActionBar } from "./action_bar.tsx";
import { ExecutionLink } from "./execution_links.tsx";

interface HeadProps {
  readonly execution: ExecutionInfo;
  /** Called after an action. */
  readonly changed: () => Promise<void>;
}

/** The head. */
export function ExecutionHead({ execution, changed }: HeadProps) {
  const { namespace, flowId, state } = execution;
  return (
    <>
      <ViewHead
        above={<AboveExecution namespace={namespace} />}
        title={
          <span class="execution-title">
            <a href={pagePath("flows", "edit", namespace, flowId)}>{flowId}</a>
            <span aria-live="polite">
              <StateBadge state={state.current} />
            </span>
          </span>
        }
      >
        <ActionBar execution={execution} changed={changed} />
      </ViewHead>
      <Facts execution={execution} />
    </>
  );
}

/** Where an execution belongs. */
export function AboveExecution({ namespace }: { readonly namespace: string }) {
  return (
    <>
      <a href={pagePath("executions")}>{t("executions.title")}</a> ›{" "}
      <a href={`${pagePath("executions")}?namespace=${encodeURIComponent(namespace)}`}>{namespace}</a>
    </>
  );
}

function Facts({ execution }: { readonly execution: ExecutionInfo }) {
  const { id, namespace, flowId, flowRevision, state, trigger, parentId, originalId, metadata, kind } =
    execution;
  const startedBy = trigger?.variables?.executionId;
  const replayed = parentId ?? originalId;
  const labels = execution.labels?.filter(({ key }) => !key.startsWith("system.")) ?? [];
  const flowHref = `${pagePath("flows", "edit", namespace, flowId, "revisions")}?revision=${flowRevision}`;
  const path = apiPath("executions", id);
  return (
    <dl class="facts">
      <Fact name={t("executions.id")}>
        <code>{id}</code> <CopyButton text={id} />
        <CopyButton text={`curl '${location.origin}${urlOf(path)}'`} title="curl" />
        <a class="copy" href={urlOf(path)} target="_blank" rel="noopener">JSON</a>
      </Fact>
      <Fact name={t("common.duration")}>
        <Duration from={state.startDate} to={state.endDate} />
      </Fact>
      <Fact name={t("common.start")}>
        <Time at={state.startDate} />
      </Fact>
      {state.endDate && (
        <Fact name={t("execution.end")}>
          <Time at={state.endDate} />
        </Fact>
      )}
      <Fact name={t("execution.revision")}>
        <a href={flowHref}>{flowRevision}</a>
      </Fact>
      <Fact name={t("executions.trigger")}>
        {trigger?.id ?? <span class="dim">{t("execution.byCall")}</span>}
      </Fact>
      {typeof startedBy === "string" && (
        <Fact name={t("execution.parent")}>
          <ExecutionLink id={startedBy} />
        </Fact>
      )}
      {replayed !== undefined && replayed !== id && (
        <Fact name={t("execution.original")}>
          <ExecutionLink id={replayed} />
        </Fact>
      )}
      {(metadata?.attemptNumber ?? 1) > 1 && (
        <Fact name={t("execution.attempt")}>{metadata?.attemptNumber}</Fact>
      )}
      {kind !== undefined && <Fact name={t("execution.kind")}>{kind}</Fact>}
      {labels.length > 0 && (
        <Fact name={t("common.labels")}>
          {labels.map(({ key, value }) => (
            <Label
              key={key}
              name={key}
              value={value}
              href={`${pagePath("executions")}?labels=${encodeURIComponent(`${key}:${value}`)}`}
            />
          ))}
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
