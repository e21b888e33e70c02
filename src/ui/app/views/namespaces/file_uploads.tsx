/** Uploads of files into a folder: by a button or by drag and drop, with progress. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, showToast } from "../../kit/feedback.tsx";
import { t } from "../../texts/mod.ts";
import { listFolder, uploadFile } from "./files.ts";

interface Upload {
  readonly id: number;
  readonly name: string;
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

/** An area that takes dropped files, with the uploads above its content. */
export function FileUploads({ namespace, folder, onChange, actions, children }: FileUploadsProps) {
  const uploads = useSignal<readonly Upload[]>([]);
  const isOver = useSignal(false);
  const change = (id: number, changes: Partial<Upload>) => {
    uploads.value = uploads.value.map((each) => each.id === id ? { ...each, ...changes } : each);
  };
  const dismiss = (id: number) => uploads.value = uploads.value.filter((each) => each.id !== id);
  const upload = async (file: File) => {
    const id = ++lastUpload;
    uploads.value = [...uploads.value, { id, name: file.name, part: 0 }];
    try {
      await uploadFile(namespace, folder + file.name, file, (part) => change(id, { part }));
      dismiss(id);
      showToast("good", t("namespaces.uploaded", { name: file.name }));
    } catch (error) {
      change(id, { failure: error instanceof Error ? error.message : String(error) });
    }
  };
  const uploadAll = async (files: readonly File[]) => {
    if (files.length === 0 || !await mayReplace(namespace, folder, files)) return;
    for (const file of files) await upload(file); // One after the other: each gets the whole line.
    onChange();
  };
  return (
    <div
      class={`drop ${isOver.value ? "over" : ""}`}
      onDragOver={(event) => (event.preventDefault(), isOver.value = true)}
      onDragLeave={() => isOver.value = false}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        void uploadAll([...event.dataTransfer?.files ?? []]);
      }}
    >
      <div class="section-head">
        <div class="actions">
          <label class="button upload">
            {t("namespaces.upload", { folder })}
            <input
              type="file"
              multiple
              onChange={({ currentTarget }) => {
                const files = [...currentTarget.files ?? []];
                currentTarget.value = "";
                void uploadAll(files);
              }}
            />
          </label>
          {actions}
        </div>
      </div>
      <ul class="uploads" aria-live="polite">
        {uploads.value.map((each) => <UploadLine key={each.id} upload={each} onDismiss={dismiss} />)}
      </ul>
      {children}
    </div>
  );
}

function UploadLine({ upload: { id, name, part, failure }, onDismiss }: {
  readonly upload: Upload;
  readonly onDismiss: (id: number) => void;
}) {
  if (failure === undefined) {
    return (
      <li>
        {name}
        <progress aria-label={name} value={part} />
      </li>
    );
  }
  return (
    <li class="notice bad" role="alert">
      <span>{name}: {failure}</span>
      <button type="button" onClick={() => onDismiss(id)}>{t("common.close")}</button>
    </li>
  );
}

/** Asks before files are replaced. */
async function mayReplace(namespace: string, folder: string, files: readonly File[]): Promise<boolean> {
  const present = await attempt(() => listFolder(namespace, folder));
  if (!present) return false;
  const known = new Set(present.map(({ fileName }) => fileName));
  const replaced = files.map(({ name }) => name).filter((name) => known.has(name));
  if (replaced.length === 0) return true;
  const action = t("namespaces.replace");
  const text = t("namespaces.confirmReplace", { names: replaced.join(", ") });
  return await confirmed({ title: t("namespaces.replaceFiles"), text, action, isDangerous: true });
}
