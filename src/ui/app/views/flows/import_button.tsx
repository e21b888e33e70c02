/** Imports flows from a zip or a YAML file. */
import { send } from "../../api/client.ts";
import { attempt } from "../../kit/feedback.tsx";
import { t } from "../../texts/mod.ts";

/** A button that opens the file dialog. */
export function ImportButton({ done }: { readonly done: () => Promise<void> }) {
  const upload = async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    // The same file can be chosen again.
    input.value = "";
    if (!file) return;
    const body = new FormData();
    body.append("fileUpload", file);
    const query = { failOnError: true };
    await attempt(
      () => send("POST", "/flows/import", { body, query }),
      t("flows.imported", { file: file.name }),
    );
    await done();
  };
  return (
    <label class="button file-button">
      {t("flows.import")}
      <input
        type="file"
        accept=".zip,.yaml,.yml"
        onChange={(event) => void upload(event.currentTarget)}
      />
    </label>
  );
}
