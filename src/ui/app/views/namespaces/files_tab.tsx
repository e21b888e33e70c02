/** Files of a namespace: the tree, and beside it the file that the address names. */
import { computed, type ReadonlySignal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { urlOf } from "../../api/client.ts";
import { May } from "../../core/access.ts";
import { hasLosses, mayGoTo, navigate, query } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, EmptyState } from "../../kit/feedback.tsx";
import { Field, FormDialog } from "../../kit/form.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import { FilePanel } from "./file/file_panel.tsx";
import { FileMatches, FileTree, hrefOf } from "./file_tree.tsx";
import { FileUploads } from "./file_uploads.tsx";
import {
  createFolder,
  deleteFile,
  downloadUrl,
  filesPath,
  folderOf,
  moveFile,
  nameOf,
  normalPath,
  writeFile,
} from "./files.ts";
import type { TabProps } from "./namespace.ts";

/** A path that is asked for, and what is done with it. */
interface PathQuestion {
  readonly title: TextName;
  readonly path: string;
  readonly isFolder?: boolean;
  readonly run: (path: string) => Promise<unknown>;
}

/** Moves a file or folder. */
type Move = (path: string, to: string) => Promise<void>;

/** The tab. */
export function FilesTab({ namespace }: TabProps) {
  const selected = query.value.get("file") ?? "";
  const version = useSignal(0);
  const question = useSignal<PathQuestion | undefined>(undefined);
  const folder = folderOf(selected);
  const onChange = () => void version.value++;
  const search = useSignal("");
  const { move, moved } = useMove(namespace);
  const onMove = (path: string, target: string) => void moveInto({ path, target, move, onChange });
  const ask = (asked: PathQuestion) => question.value = asked;
  return (
    <FileUploads
      namespace={namespace}
      folder={folder}
      onChange={onChange}
      actions={<Actions namespace={namespace} folder={folder} ask={ask} />}
    >
      <div class="files">
        <div class="card">
          <input
            type="search"
            class="file-search"
            aria-label={t("files.search")}
            placeholder={t("files.search")}
            value={search.value}
            onInput={(event) => search.value = event.currentTarget.value}
          />
          {search.value.trim() === ""
            ? <FileTree namespace={namespace} selected={selected} version={version.value} onMove={onMove} />
            : (
              <FileMatches
                namespace={namespace}
                selected={selected}
                version={version.value}
                text={search.value.trim()}
              />
            )}
          <May>
            <p class="dim">{t("files.dropHint")}</p>
          </May>
        </div>
        <section class="card section">
          {selected === ""
            ? (
              <EmptyState title={t("namespaces.chooseFile")}>
                <p>{t("namespaces.filesHint", { expression: "{{ read('main.py') }}" })}</p>
              </EmptyState>
            )
            : (
              <Selected
                namespace={namespace}
                path={selected}
                ask={ask}
                move={move}
                moved={moved}
                onChange={onChange}
              />
            )}
        </section>
      </div>
      {question.value && (
        <PathForm
          question={question.value}
          onChange={onChange}
          onClose={() => question.value = undefined}
        />
      )}
    </FileUploads>
  );
}

/** How files are moved, and the path of that which is being moved. */
function useMove(
  namespace: string,
): { readonly move: Move; readonly moved: ReadonlySignal<string | undefined> } {
  const moved = useSignal<string | undefined>(undefined);
  const move: Move = async (path, to) => {
    moved.value = path;
    try {
      await moveFile(namespace, path, to);
    } finally {
      moved.value = undefined;
    }
  };
  return { move, moved };
}

/** True if a path is that of a file or folder, or of something in the folder. */
function isPartOf(path: string, whole: string): boolean {
  return `${normalPath(path)}/`.startsWith(`${normalPath(whole)}/`);
}

function Actions({ namespace, folder, ask }: {
  readonly namespace: string;
  readonly folder: string;
  readonly ask: (question: PathQuestion) => void;
}) {
  return (
    <>
      <May>
        <button type="button" onClick={() => ask(newFile(namespace, folder))}>
          {t("namespaces.newFile")}
        </button>
        <button type="button" onClick={() => ask(newFolder(namespace, folder))}>
          {t("namespaces.newFolder")}
        </button>
      </May>
      <a class="button" href={urlOf(`${filesPath(namespace)}/export`)} download>
        {t("namespaces.export")}
      </a>
    </>
  );
}

/** Moves a file or folder that was dragged into a folder. */
async function moveInto({ path, target, move, onChange }: {
  readonly path: string;
  readonly target: string;
  readonly move: Move;
  readonly onChange: () => void;
}): Promise<void> {
  const isFolder = path.endsWith("/");
  const to = target + nameOf(path);
  if (normalPath(to) === normalPath(path)) return;
  const href = hrefOf(`${normalPath(to)}${isFolder ? "/" : ""}`);
  // Asked before the move: afterwards the old path has no file.
  if (!mayGoTo(href)) return;
  const goOn = rememberLeaving(href);
  const isMoved = await attempt(async () => {
    await move(path, to);
    return true;
  }, t("files.moved", { path: normalPath(to) }));
  if (!isMoved) return;
  onChange();
  goOn();
}

/**
 * Called when the person may leave for an address; what it gives goes there after a slow request. What was typed since then
 * needs a question.
 */
function rememberLeaving(href: string): () => void {
  const opened = openedFile();
  const isAsked = hasLosses();
  return () => {
    if (openedFile() === opened) navigate(href, { isAsked });
  };
}

/** Where the person is: after a slow request they may have opened another file, and typed there. */
function openedFile(): string {
  return `${location.pathname}?${query.peek().get("file") ?? ""}`;
}

function newFile(namespace: string, folder: string): PathQuestion {
  return { title: "namespaces.newFile", path: folder, run: (path) => writeFile(namespace, path, "", 0) };
}

function newFolder(namespace: string, folder: string): PathQuestion {
  const run = (path: string) => createFolder(namespace, path);
  return { title: "namespaces.newFolder", path: folder, isFolder: true, run };
}

interface SelectedProps {
  readonly namespace: string;
  /** Of a file, or of a folder with a slash at its end. */
  readonly path: string;
  readonly ask: (question: PathQuestion) => void;
  readonly move: Move;
  /** While the shown file is moved, its former path has no file; the address changes afterwards. */
  readonly moved: ReadonlySignal<string | undefined>;
  readonly onChange: () => void;
}

function Selected({ namespace, path, ask, move, moved, onChange }: SelectedProps) {
  const isFolder = path.endsWith("/");
  const run = (to: string) => move(path, to);
  const isPaused = useMemo(
    () => computed(() => moved.value !== undefined && isPartOf(path, moved.value)),
    [path],
  );
  return (
    <>
      <div class="section-head">
        <h2>
          <code>{path}</code>
        </h2>
        <div class="actions">
          {!isFolder && (
            <a class="button" href={downloadUrl(namespace, path)} download>{t("namespaces.download")}</a>
          )}
          <May>
            <button type="button" onClick={() => ask({ title: "namespaces.move", path, isFolder, run })}>
              {t("namespaces.move")}
            </button>
            <button type="button" class="danger" onClick={() => void remove(namespace, path, onChange)}>
              {t("common.delete")}
            </button>
          </May>
        </div>
      </div>
      {isFolder ? <p class="dim">{t("namespaces.isFolder")}</p> : (
        <FilePanel
          key={path}
          namespace={namespace}
          path={path}
          isPaused={isPaused}
          onChange={onChange}
        />
      )}
    </>
  );
}

async function remove(namespace: string, path: string, onChange: () => void): Promise<void> {
  const isFolder = path.endsWith("/");
  const text = t(isFolder ? "namespaces.confirmFolder" : "files.confirmDelete", { path });
  const action = t("common.delete");
  if (!await confirmed({ title: nameOf(path), text, action, isDangerous: true })) return;
  const opened = openedFile();
  const isDeleted = await attempt(async () => {
    await deleteFile(namespace, path);
    return true;
  }, t("namespaces.fileDeleted", { path }));
  if (!isDeleted) return;
  onChange();
  // Unsaved text of a deleted file needs no question.
  if (openedFile() === opened) navigate(location.pathname, { replace: true, isAsked: true });
}

interface PathFormProps {
  readonly question: PathQuestion;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

function PathForm({ question: { title, path, isFolder, run }, onChange, onClose }: PathFormProps) {
  const text = useSignal(path);
  const onSend = async () => {
    if (nameOf(text.value) === "") throw new Error(t("namespaces.pathMissing"));
    const href = hrefOf(`${normalPath(text.value)}${isFolder ? "/" : ""}`);
    // Asked before the change. After a refusal the dialog closes, and the open file can be saved.
    if (!mayGoTo(href)) return;
    const goOn = rememberLeaving(href);
    await run(text.value);
    onChange();
    goOn();
  };
  return (
    <FormDialog title={t(title)} action={t("common.save")} onSend={onSend} onClose={onClose}>
      <Field title={t("namespaces.path")} hint={t("namespaces.pathHint")}>
        <input
          required
          class="mono"
          value={text.value}
          onInput={(event) => text.value = event.currentTarget.value}
        />
      </Field>
    </FormDialog>
  );
}
