/** One file of a namespace: its text, a preview and its earlier revisions. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useResource } from "../../../core/resource.ts";
import { guardLeaving, query } from "../../../core/router.ts";
import { sizeText } from "../../../core/sizes.ts";
import { attempt, EmptyState, Loaded } from "../../../kit/feedback.tsx";
import { lazyPart } from "../../../kit/lazy_part.tsx";
import { Time } from "../../../kit/values.tsx";
import { Tabs } from "../../../layout/shell.tsx";
import { t } from "../../../texts/mod.ts";
import { downloadUrl, type FileEntry, MAX_EDITED_BYTES, nameOf, readStats, readText } from "../files.ts";
import { hrefOf } from "../file_tree.tsx";
import { FileHistory } from "./file_history.tsx";
import { FileModel, type StoredText } from "./file_model.ts";
import { FilePreview, isPreviewable } from "./file_preview.tsx";
import { FileText } from "./file_text.tsx";

const FileConflict = lazyPart(() => import("../../editing.ts").then((module) => module.FileConflict));
const REFRESH_MS = 10_000;

interface FilePanelProps {
  readonly namespace: string;
  readonly path: string;
  /** While it is true the file is not looked for. */
  readonly isPaused: ReadonlySignal<boolean>;
  /** After a change. */
  readonly onChange: () => void;
}

interface OpenedFile {
  readonly entry: FileEntry;
  /** Absent: too large, or no text. */
  readonly text?: string;
}

/** The file; the address says which part of it is shown. */
export function FilePanel(props: FilePanelProps) {
  const { namespace, path, isPaused } = props;
  const file = useResource(`${namespace}${path}`, (signal) => openFile(namespace, path, signal), {
    isPaused,
  });
  if (file.error?.status === 404) {
    return <EmptyState title={t("namespaces.noFile", { name: nameOf(path) })} />;
  }
  return (
    <Loaded resource={file}>
      {({ entry, text }) =>
        text === undefined
          ? <BinaryFile key={entry.revision} {...props} entry={entry} reload={file.reload} />
          : <TextFile {...props} stored={{ revision: entry.revision ?? 0, text }} />}
    </Loaded>
  );
}

/** What each part of a file gets. */
type View = "text" | "preview" | "history";

function FileViews({ path, views }: { readonly path: string; readonly views: readonly View[] }) {
  const tabs = views.map((name) => ({
    name,
    title: t(`files.view.${name}`),
    href: `${hrefOf(path)}${name === views[0] ? "" : `&view=${name}`}`,
  }));
  return <Tabs tabs={tabs} present={viewOf(views)} label={t("files.views", { name: nameOf(path) })} />;
}

function viewOf(views: readonly View[]): View {
  return views.find((view) => view === query.value.get("view")) ?? views[0] ?? "text";
}

interface BinaryFileProps extends FilePanelProps {
  readonly entry: FileEntry;
  readonly reload: () => Promise<void>;
}

function BinaryFile({ namespace, path, entry, onChange, reload }: BinaryFileProps) {
  const views: readonly View[] = ["preview", "history"];
  return (
    <>
      <Facts entry={entry} />
      <FileViews path={path} views={views} />
      {viewOf(views) === "history"
        ? (
          <FileHistory
            place={{ namespace, path }}
            revision={entry.revision ?? 0}
            onRestored={() => (onChange(), void reload())}
          />
        )
        : isPreviewable(path)
        ? <FilePreview namespace={namespace} path={path} />
        : (
          <EmptyState title={t("namespaces.noText")}>
            <a class="button" href={downloadUrl(namespace, path)} download>{t("namespaces.download")}</a>
          </EmptyState>
        )}
    </>
  );
}

function TextFile(
  { namespace, path, stored, isPaused, onChange }: FilePanelProps & { readonly stored: StoredText },
) {
  const model = useMemo(() => new FileModel({ namespace, path }, stored), []);
  const theirs = useSignal<StoredText | undefined>(undefined);
  const { revision } = model.stored.value;
  const stats = useResource(
    `${namespace}${path} ${revision}`,
    (signal) => readStats(namespace, path, signal),
    { refreshMs: REFRESH_MS, isPaused },
  );
  useEffect(
    () =>
      guardLeaving(() => model.isChanged.value ? t("namespaces.unsaved") : undefined, { parameter: "file" }),
    [],
  );
  const views: readonly View[] = isPreviewable(path) ? ["text", "preview", "history"] : ["text", "history"];
  const view = viewOf(views);
  const isStale = stats.error?.status === 404 || (stats.data?.revision ?? 0) > revision;
  const compare = async () => {
    const found = await attempt(() => model.readStored());
    if (found) theirs.value = found;
  };
  const onRestored = async () => {
    onChange();
    const found = await attempt(() => model.readStored());
    if (found) model.take(found);
  };
  return (
    <>
      <Facts entry={stats.data} />
      {isStale && (
        <div class="notice warn" role="status">
          {t(stats.error ? "files.deletedMeanwhile" : "files.changedMeanwhile")}
          <button type="button" onClick={() => void compare()}>{t("files.compare")}</button>
        </div>
      )}
      <FileViews path={path} views={views} />
      {view === "text" && (
        <FileText
          model={model}
          onSaved={onChange}
          onConflict={(stored) => theirs.value = stored}
        />
      )}
      {view === "preview" && <FilePreview namespace={namespace} path={path} text={model.draft.value} />}
      {view === "history" && (
        <FileHistory
          place={model}
          revision={revision}
          draft={model.isChanged.value ? model.draft.value : undefined}
          onRestored={() => void onRestored()}
        />
      )}
      {theirs.value && (
        <FileConflict
          model={model}
          theirs={theirs.value}
          onSaved={onChange}
          onConflict={(stored) => theirs.value = stored}
          onClose={() => theirs.value = undefined}
        />
      )}
    </>
  );
}

/** A line that has its place before the facts are loaded, so that the links below it stay where they are. */
function Facts({ entry }: { readonly entry: FileEntry | undefined }) {
  if (!entry) return <p class="dim">&nbsp;</p>;
  const { size, revision = 0, lastModifiedTime } = entry;
  return (
    <p class="dim">
      {sizeText(size)} · {t("flows.revisionOf", { revision })} ·{" "}
      <Time at={new Date(lastModifiedTime).toISOString()} />
    </p>
  );
}

async function openFile(namespace: string, path: string, signal: AbortSignal): Promise<OpenedFile> {
  const entry = await readStats(namespace, path, signal);
  if (entry.size > MAX_EDITED_BYTES) return { entry };
  const text = await readText(namespace, path, { revision: entry.revision, signal });
  // What is no UTF-8 would be damaged by saving it.
  return /[\0\ufffd]/.test(text) ? { entry } : { entry, text };
}
