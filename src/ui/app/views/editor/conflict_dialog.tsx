/** Two people have changed one flow: both sources side by side, and the choice between them. */
import type { FlowSource } from "../../api/flow_entities.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { t } from "../../texts/mod.ts";
import { DiffView } from "./diff_view.tsx";
import type { EditorModel } from "./editor_state.ts";

interface ConflictProps {
  /** The flow as it is stored now. */
  readonly theirs: FlowSource;
  readonly model: EditorModel;
  readonly save: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** The dialog. */
export function ConflictDialog({ theirs, model, save, onClose }: ConflictProps) {
  const accept = () => {
    model.saved.value = theirs.source;
    model.revision.value = theirs.revision;
  };
  const takeTheirs = () => (accept(), model.replace(theirs.source), onClose());
  const saveMine = () => (accept(), onClose(), void save());
  return (
    <Dialog
      title={t("editor.conflict", { revision: theirs.revision })}
      wide
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>{t("editor.keepEditing")}</button>
          <button type="button" onClick={takeTheirs}>{t("editor.takeTheirs")}</button>
          <button type="button" class="danger" onClick={saveMine}>{t("editor.saveMine")}</button>
        </>
      }
    >
      <DiffView
        before={theirs.source}
        after={model.source.value}
        beforeTitle={t("flows.revisionOf", { revision: theirs.revision })}
        afterTitle={t("editor.mine")}
      />
    </Dialog>
  );
}
