/** The text of a file in a field, and the buttons that save or discard what was typed. */
import { May, may } from "../../../core/access.ts";
import { preferences } from "../../../core/preferences.ts";
import { attempt, showToast } from "../../../kit/feedback.tsx";
import { t } from "../../../texts/mod.ts";
import { nameOf } from "../files.ts";
import type { FileModel, StoredText } from "./file_model.ts";

interface SaveProps {
  readonly onSaved: () => void;
  /** Somebody else has saved the file. */
  readonly onConflict: (theirs: StoredText) => void;
}

interface FileTextProps extends SaveProps {
  readonly model: FileModel;
}

/** The field. */
export function FileText({ model, onSaved, onConflict }: FileTextProps) {
  const save = () => saveFile(model, { onSaved, onConflict });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== "s" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    if (model.isChanged.value || model.saves.isBusy) void save();
  };
  return (
    <>
      <textarea
        class="source file"
        aria-label={nameOf(model.path)}
        readOnly={!may("change")}
        spellcheck={false}
        style={{ fontSize: `${preferences.value.editorFontSize}px` }}
        value={model.draft.value}
        onInput={(event) => model.draft.value = event.currentTarget.value}
        onKeyDown={onKeyDown}
      />
      <May>
        <div class="actions">
          <button type="button" class="primary" disabled={!model.isChanged.value} onClick={() => void save()}>
            {t("common.save")} <kbd>Ctrl S</kbd>
          </button>
          <button
            type="button"
            disabled={!model.isChanged.value}
            onClick={() => model.take(model.stored.value)}
          >
            {t("namespaces.discard")}
          </button>
        </div>
      </May>
    </>
  );
}

/** Saves the draft and says so; a conflict is handed on. */
export function saveFile(model: FileModel, { onSaved, onConflict }: SaveProps): Promise<void> {
  return model.saves.run(async (text) => {
    const result = await attempt(async () => ({ theirs: await model.save(text) }));
    if (!result) return;
    if (result.theirs) return onConflict(result.theirs);
    showToast("good", t("namespaces.saved", { what: nameOf(model.path) }));
    onSaved();
  });
}
