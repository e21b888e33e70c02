/** A file of a namespace: its text in an editor, and what can be done with it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, sendText } from "../../api/client.ts";
import { preferences } from "../../core/preferences.ts";
import { useResource } from "../../core/resource.ts";
import { guardLeaving } from "../../core/router.ts";
import { sizeText } from "../../core/sizes.ts";
import { attempt, EmptyState, Loaded } from "../../kit/feedback.tsx";
import { Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { downloadUrl, type FileEntry, filesPath, MAX_EDITED_BYTES, nameOf, writeFile } from "./files.ts";

interface FileEditorProps {
  readonly namespace: string;
  readonly path: string;
  /** After a change. */
  readonly onChange: () => void;
}

interface OpenedFile {
  readonly entry: FileEntry;
  /** Absent: too large, or no text. */
  readonly text?: string;
}

/** The content of a file. */
export function FileEditor({ namespace, path, onChange }: FileEditorProps) {
  const file = useResource(`${namespace}${path}`, (signal) => openFile(namespace, path, signal));
  if (file.error?.status === 404) {
    return <EmptyState title={t("namespaces.noFile", { name: nameOf(path) })} />;
  }
  return (
    <Loaded resource={file}>
      {({ entry, text }) => (
        <>
          <p class="dim">
            {sizeText(entry.size)} · <Time at={new Date(entry.lastModifiedTime).toISOString()} />
          </p>
          {text === undefined
            ? (
              <EmptyState title={t("namespaces.noText")}>
                <a class="button" href={downloadUrl(namespace, path)} download>{t("namespaces.download")}</a>
              </EmptyState>
            )
            : (
              <TextForm
                key={text}
                namespace={namespace}
                path={path}
                text={text}
                onChange={() => (onChange(), void file.reload())}
              />
            )}
        </>
      )}
    </Loaded>
  );
}

interface TextFormProps extends FileEditorProps {
  readonly text: string;
}

function TextForm({ namespace, path, text, onChange }: TextFormProps) {
  const draft = useSignal(text);
  const isChanged = draft.value !== text;
  useEffect(() => {
    const reason = () => draft.value === text ? undefined : t("namespaces.unsaved");
    return guardLeaving(reason, { parameter: "file" });
  }, [text]);
  const save = async () => {
    const write = async () => {
      await writeFile(namespace, path, draft.value);
      return true;
    };
    if (await attempt(write, t("namespaces.saved", { what: nameOf(path) }))) onChange();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== "s" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    void save();
  };
  return (
    <>
      <textarea
        class="source file"
        aria-label={nameOf(path)}
        spellcheck={false}
        style={{ fontSize: `${preferences.value.editorFontSize}px` }}
        value={draft.value}
        onInput={(event) => draft.value = event.currentTarget.value}
        onKeyDown={onKeyDown}
      />
      <div class="actions">
        <button type="button" class="primary" disabled={!isChanged} onClick={() => void save()}>
          {t("common.save")} <kbd>Ctrl S</kbd>
        </button>
        <button type="button" disabled={!isChanged} onClick={() => draft.value = text}>
          {t("namespaces.discard")}
        </button>
      </div>
    </>
  );
}

async function openFile(namespace: string, path: string, signal: AbortSignal): Promise<OpenedFile> {
  const entry = await get<FileEntry>(`${filesPath(namespace)}/stats`, { path }, signal);
  if (entry.size > MAX_EDITED_BYTES) return { entry };
  const text = await sendText("GET", filesPath(namespace), { query: { path }, signal });
  // What is no UTF-8 would be damaged by saving it.
  return /[\0\ufffd]/.test(text) ? { entry } : { entry, text };
}
