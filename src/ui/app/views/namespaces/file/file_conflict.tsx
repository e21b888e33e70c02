/** Two people have changed one file: both texts side by side, and the choice between them. */
import { Dialog } from "../../../kit/dialog.tsx";
import { t } from "../../../texts/mod.ts";
import { DiffView } from "../../editor/diff_view.tsx";
import { nameOf } from "../files.ts";
import type { FileModel, StoredText } from "./file_model.ts";
import { saveFile } from "./file_text.tsx";

interface FileConflictProps {
  readonly model: FileModel;
  /** The file as it is stored now. */
  readonly theirs: StoredText;
  readonly onSaved: () => void;
  readonly onConflict: (theirs: StoredText) => void;
  readonly onClose: () => void;
}

/** The dialog. */
export function FileConflict({ model, theirs, onSaved, onConflict, onClose }: FileConflictProps) {
  const takeTheirs = () => (model.take(theirs), onClose());
  const saveMine = () => {
    model.stored.value = theirs;
    onClose();
    void saveFile(model, { onSaved, onConflict });
  };
  const { revision, text } = theirs;
  const isGone = revision === 0;
  return (
    <Dialog
      title={isGone
        ? t("files.deletedMeanwhile")
        : t("files.conflict", { name: nameOf(model.path), revision })}
      wide
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>{t("editor.keepEditing")}</button>
          {!isGone && <button type="button" onClick={takeTheirs}>{t("editor.takeTheirs")}</button>}
          <button type="button" class="danger" onClick={saveMine}>{t("editor.saveMine")}</button>
        </>
      }
    >
      <DiffView
        before={text}
        after={model.draft.value}
        beforeTitle={t("flows.revisionOf", { revision })}
        afterTitle={t("editor.mine")}
        isPlain
      />
    </Dialog>
  );
}
