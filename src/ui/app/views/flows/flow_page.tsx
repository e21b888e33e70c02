/** `/flows/edit/{namespace}/{id}/{tab}`: one flow. */
import { send, urlOf } from "../../api/client.ts";
import type { FlowSource } from "../../api/flow_entities.ts";
import { access, May, may } from "../../core/access.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { isWithin, navigate, query, segments, setQuery } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { downloadFile } from "../../kit/download.ts";
import { attempt, EmptyState, Loaded } from "../../kit/feedback.tsx";
import { lazyPart } from "../../kit/lazy_part.tsx";
import { CopyButton, Label } from "../../kit/values.tsx";
import { Tabs, ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { readFlow } from "../editor/save.ts";
import { DisabledBadge } from "./disabled_badge.tsx";
import { FlowDependencies } from "./flow_dependencies.tsx";
import { FlowExecutions } from "./flow_executions.tsx";
import { FlowLogs } from "./flow_logs.tsx";
import { FlowOverview } from "./flow_overview.tsx";
import { FlowRevisions } from "./flow_revisions.tsx";
import { FlowTriggers } from "./flow_triggers.tsx";
import { RunDialog } from "./run_dialog.tsx";

const TABS = [
  "overview",
  "editor",
  "executions",
  "revisions",
  "triggers",
  "logs",
  "files",
  "dependencies",
] as const;
const REFRESH_MS = 10_000;
const NOT_FOUND = 404;

const FlowEditor = lazyPart(() => import("../editing.ts").then((module) => module.FlowEditor));
const FilesTab = lazyPart(() => import("../management.ts").then((module) => module.FilesTab));

/** The view. */
export function FlowPage() {
  const [, , namespace = "", id = "", tab = "overview"] = segments.value;
  const flow = useResource(`${namespace}/${id}`, (signal) => readFlow({ namespace, id }, signal), {
    refreshMs: REFRESH_MS,
  });
  // A flow that is deleted while it is shown stays: its editor may have changes that are not saved.
  if (flow.error?.status === NOT_FOUND && !flow.data) {
    return <NoFlow namespace={namespace} id={id} reason={flow.error.message} />;
  }
  return (
    <>
      {flow.error && !flow.data && <ViewHead title={id} above={<Above namespace={namespace} />} />}
      <Loaded resource={flow}>
        {(data) => <FlowView key={`${namespace}/${id}`} flow={data} tab={tab} reload={flow.reload} />}
      </Loaded>
    </>
  );
}

function Above({ namespace }: { readonly namespace: string }) {
  return (
    <>
      <a href={pagePath("flows")}>{t("flows.title")}</a> ›{" "}
      <a href={`${pagePath("flows")}?namespace=${encodeURIComponent(namespace)}`}>{namespace}</a>
    </>
  );
}

interface FlowViewProps {
  readonly flow: FlowSource;
  readonly tab: string;
  readonly reload: () => Promise<void>;
}

function FlowView({ flow, tab, reload }: FlowViewProps) {
  const { namespace, id } = flow;
  const run = (upTo?: string) => setQuery({ run: "1", upTo });
  const tabs = TABS.map((name) => ({
    name,
    title: t(`flows.tab.${name}`),
    href: pagePath("flows", "edit", namespace, id, name === "overview" ? undefined : name),
  }));
  return (
    <>
      <FlowHead flow={flow} tab={tab} run={run} reload={reload} />
      <Tabs tabs={tabs} present={tab} label={id} />
      <TabContent flow={flow} tab={tab} reload={reload} run={run} />
      {query.value.has("run") && access.value && may("change") && (
        <RunDialog
          flow={flow}
          upTo={query.value.get("upTo") ?? undefined}
          onClose={() => setQuery({ run: undefined, upTo: undefined })}
          onPartStarted={() => navigate(`${pagePath("flows", "edit", namespace, id, "editor")}?side=run`)}
        />
      )}
    </>
  );
}

interface RunProps {
  readonly run: (upTo?: string) => void;
}

function TabContent({ flow, tab, reload, run }: FlowViewProps & RunProps) {
  if (tab === "editor") {
    return (
      <FlowEditor
        source={flow.source}
        flow={flow}
        latestRevision={flow.revision}
        onSaved={() => void reload()}
        onRun={(_, upTo) => (void reload(), run(upTo))}
      />
    );
  }
  if (tab === "executions") return <FlowExecutions flow={flow} />;
  if (tab === "revisions") return <FlowRevisions flow={flow} reload={reload} />;
  if (tab === "triggers") return <FlowTriggers flow={flow} />;
  if (tab === "logs") return <FlowLogs flow={flow} />;
  if (tab === "files") return <FilesTab namespace={flow.namespace} />;
  if (tab === "dependencies") return <FlowDependencies flow={flow} />;
  return <FlowOverview flow={flow} />;
}

function FlowHead({ flow, tab, run, reload }: FlowViewProps & RunProps) {
  const { namespace, id, labels = [], disabled, revision } = flow;
  // The editor has a button of its own, which saves first, and needs the height.
  const isEditing = tab === "editor";
  const title = (
    <>
      {id} <span class="dim revision">{t("flows.revisionOf", { revision })}</span>{" "}
      {disabled && <DisabledBadge />}
    </>
  );
  return (
    <>
      <ViewHead title={title} above={<Above namespace={namespace} />}>
        <FlowActions flow={flow} reload={reload} />
        {!isEditing && may("change") && (
          <button
            type="button"
            class="primary"
            disabled={disabled}
            onClick={() => run()}
          >
            {t("flows.run")}
          </button>
        )}
      </ViewHead>
      {labels.length > 0 && !isEditing && (
        <div>{labels.map(({ key, value }) => <Label key={key} name={key} value={value} />)}</div>
      )}
    </>
  );
}

function FlowActions({ flow, reload }: { readonly flow: FlowSource; readonly reload: () => Promise<void> }) {
  const { namespace, id, disabled } = flow;
  const verb = disabled ? "enable" : "disable";
  const toggle = async () => {
    const action = t(`flows.verb.${verb}`);
    const body = [{ namespace, id }];
    await attempt(
      () => send("POST", `/flows/${verb}/by-ids`, { body }),
      t("flows.bulkDone", { action, count: 1 }),
    );
    await reload();
  };
  const remove = async () => {
    const action = t("common.delete");
    const text = t("flows.confirmDeleteOne", { id });
    if (!await confirmed({ title: action, text, action, isDangerous: true, phrase: id })) return;
    const isDone = await attempt(
      () => send("DELETE", apiPath("flows", namespace, id)).then(() => true),
      t("flows.deleted", { id }),
    );
    // A person who has opened another page meanwhile stays there.
    if (isDone && isWithin("flows", "edit", namespace, id)) navigate(pagePath("flows"));
  };
  const download = () => downloadFile(`${id}.yaml`, new Blob([flow.source], { type: "application/yaml" }));
  return (
    <details class="menu-of">
      <summary class="button">{t("common.more")}</summary>
      <div class="menu-items">
        <CopyButton
          text={location.origin + pagePath("flows", "edit", namespace, id)}
          title={t("flows.copyLink")}
        />
        <CopyButton
          text={`${location.origin}${urlOf(apiPath("executions", namespace, id))}`}
          title={t("flows.copyUrl")}
        />
        <button type="button" class="plain" onClick={download}>{t("flows.exportOne")}</button>
        <May>
          <a class="button plain" href={`${pagePath("flows", "new")}?copy=${namespace}/${id}`}>
            {t("flows.duplicate")}
          </a>
          <button type="button" class="plain" onClick={() => void toggle()}>{t(`flows.verb.${verb}`)}</button>
          <button type="button" class="plain danger" onClick={() => void remove()}>
            {t("common.delete")}
          </button>
        </May>
      </div>
    </details>
  );
}

interface NoFlowProps {
  readonly namespace: string;
  readonly id: string;
  /** Says also under which name it is now. */
  readonly reason: string;
}

function NoFlow({ namespace, id, reason }: NoFlowProps) {
  return (
    <EmptyState title={t("flows.unknown", { flow: `${namespace}.${id}` })}>
      <p>{reason}</p>
      <a class="button" href={`${pagePath("flows")}?q=${encodeURIComponent(id)}`}>{t("flows.searchIt")}</a>
    </EmptyState>
  );
}
