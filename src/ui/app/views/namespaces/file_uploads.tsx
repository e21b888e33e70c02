/** Uploads of files into a folder: by a button or by drag and drop, with progress. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { May, may } from "../../core/access.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, showToast } from "../../kit/feedback.tsx";
import { t } from "../../texts/mod.ts";
import { type ChosenFile, chosenFiles, droppedFiles } from "./dropped_files.ts";
import { normalPath, searchFiles, uploadFile } from "./files.ts";

interface Upload {
  readonly id: number;
  readonly folder: string;
  readonly chosen: ChosenFile;
  /** Sent, from 0 to 1. */
  readonly part: number;
  readonly failure?: string;
}

interface FileUploadsProps {
  readonly namespace: string;
  /** Folder that gets the files; ends with a slash. */
  readonly folder: string;
  readonly onChange: () => void;
  /** Beside the button that uploads. */
  readonly actions: ComponentChildren;
  readonly children: ComponentChildren;
}

let lastUpload = 0;
/** Names in a question. */
const MAX_NAMES = 10;

/** An area that takes dropped files, with the uploads above its content. */
export function FileUploads({ namespace, folder, onChange, actions, children }: FileUploadsProps) {
  const uploads = useSignal<readonly Upload[]>([]);
  const isOver = useSignal(false);
  const change = (id: number, changes: Partial<Upload>) => {
    uploads.value = uploads.value.map((each) => each.id === id ? { ...each, ...changes } : each);
  };
  const dismiss = (id: number) => uploads.value = uploads.value.filter((each) => each.id !== id);
  const upload = async (place: string, chosen: ChosenFile) => {
    const id = ++lastUpload;
    uploads.value = [...uploads.value, { id, folder: place, chosen, part: 0 }];
    try {
      await uploadFile(namespace, place + chosen.path, chosen.file, (part) => change(id, { part }));
      dismiss(id);
      return true;
    } catch (error) {
      change(id, { failure: error instanceof Error ? error.message : String(error) });
      return false;
    }
  };
  const uploadAll = async (files: readonly ChosenFile[]) => {
    if (files.length === 0 || !await mayReplace(namespace, folder, files)) return;
    let count = 0;
    // One after the other: each gets the whole line.
    for (const file of files) if (await upload(folder, file)) count++;
    if (count === 0) return;
    const name = count === 1 ? files[0]?.path ?? "" : t("files.count", { count });
    showToast("good", t("namespaces.uploaded", { name }));
    onChange();
  };
  const retry = async ({ id, folder: place, chosen }: Upload) => {
    dismiss(id);
    if (await upload(place, chosen)) onChange();
  };
  return (
    <div
      class={`drop ${isOver.value ? "over" : ""}`}
      onDragOver={(event) => {
        if (!may("change") || !event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => isOver.value = false}
      onDrop={(event) => {
        isOver.value = false;
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        void droppedFiles(event.dataTransfer).then(uploadAll);
      }}
    >
      <div class="section-head">
        <div class="actions">
          <UploadButtons folder={folder} onChoose={uploadAll} />
          {actions}
        </div>
      </div>
      <ul class="uploads" aria-live="polite">
        {uploads.value.map((each) => (
          <UploadLine
            key={each.id}
            upload={each}
            onRetry={() => void retry(each)}
            onDismiss={dismiss}
          />
        ))}
      </ul>
      {children}
    </div>
  );
}

type OnChoose = (files: readonly ChosenFile[]) => Promise<void>;

function UploadButtons({ folder, onChoose }: { readonly folder: string; readonly onChoose: OnChoose }) {
  return (
    <May>
      <UploadButton label={t("namespaces.upload", { folder })} onChoose={onChoose} />
      <UploadButton label={t("files.uploadFolder")} onChoose={onChoose} isFolder />
    </May>
  );
}

interface UploadButtonProps {
  readonly label: string;
  readonly isFolder?: boolean;
  readonly onChoose: OnChoose;
}

function UploadButton({ label, isFolder = false, onChoose }: UploadButtonProps) {
  return (
    <label class="button upload">
      {label}
      <input
        type="file"
        multiple
        {...(isFolder && { webkitdirectory: true })}
        onChange={({ currentTarget }) => {
          const files = chosenFiles(currentTarget.files ?? []);
          currentTarget.value = "";
          void onChoose(files);
        }}
      />
    </label>
  );
}

function UploadLine({ upload: { id, chosen: { path }, part, failure }, onRetry, onDismiss }: {
  readonly upload: Upload;
  readonly onRetry: () => void;
  readonly onDismiss: (id: number) => void;
}) {
  if (failure === undefined) {
    return (
      <li>
        {path}
        <progress aria-label={path} value={part} />
      </li>
    );
  }
  return (
    <li class="notice bad" role="alert">
      <span>{path}: {failure}</span>
      <button type="button" onClick={onRetry}>{t("common.retry")}</button>
      <button type="button" onClick={() => onDismiss(id)}>{t("common.close")}</button>
    </li>
  );
}

/** Asks before files get new contents. */
async function mayReplace(namespace: string, folder: string, files: readonly ChosenFile[]): Promise<boolean> {
  const present = await attempt(() => searchFiles(namespace));
  if (!present) return false;
  const known = new Set(present);
  const replaced = files.map(({ path }) => path).filter((path) => known.has(normalPath(folder + path)));
  if (replaced.length === 0) return true;
  const action = t("namespaces.replace");
  const more = replaced.length > MAX_NAMES ? " …" : "";
  const text = t("files.confirmReplace", { names: replaced.slice(0, MAX_NAMES).join(", ") + more });
  return await confirmed({ title: t("namespaces.replaceFiles"), text, action });
}
