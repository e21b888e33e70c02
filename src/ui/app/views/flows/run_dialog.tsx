/** Runs a flow: its inputs as a form that the server checks while it is filled in. */
import { useSignal } from "@preact/signals";
import { send, urlOf } from "../../api/client.ts";
import type { FlowKey } from "../../api/flow_entities.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { navigate } from "../../core/router.ts";
import { shellQuoted } from "../../core/shell.ts";
import { showToast } from "../../kit/feedback.tsx";
import { FormDialog } from "../../kit/form.tsx";
import { InputForm, useInputValues } from "../../kit/input_form.tsx";
import { CopyButton } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { breakpointsOf } from "./run_up_to.ts";

interface RunDialogProps {
  readonly flow: FlowKey;
  /** The last task to run; absent: all are run. */
  readonly upTo?: string;
  readonly onClose: () => void;
  /** Called after the start of a part; a whole run opens the page of its execution. */
  readonly onPartStarted: () => void;
}

/** The dialog. */
export function RunDialog({ flow, upTo, onClose, onPartStarted }: RunDialogProps) {
  const values = useInputValues(apiPath("executions", flow.namespace, flow.id, "validate"));
  const labels = useSignal("");
  const onSend = async () => {
    if (!await values.validate()) return false;
    const path = apiPath("executions", flow.namespace, flow.id);
    const breakpoints = upTo === undefined ? undefined : await breakpointsOf(flow, upTo);
    const query = { labels: labelsOf(labels.value), breakpoints };
    const started = await send<{ id: string }>("POST", path, { body: values.data(), query });
    showToast("good", t("flows.started", { id: started.id }));
    return started;
  };
  const onSent = ({ id }: { readonly id: string }) => {
    if (upTo !== undefined) onPartStarted();
    else navigate(pagePath("executions", flow.namespace, flow.id, id));
  };
  const name = `${flow.namespace}.${flow.id}`;
  return (
    <FormDialog
      title={upTo === undefined
        ? t("flows.runTitle", { flow: name })
        : t("flows.runPartTitle", { flow: name, task: upTo })}
      action={t("flows.run")}
      onSend={onSend}
      onSent={onSent}
      onClose={onClose}
      more={
        <CopyButton
          text={curlOf(flow, values.readableData(), labelsOf(labels.value))}
          title={t("flows.copyCurl")}
        />
      }
    >
      <InputForm values={values} />
      <label class="field">
        <span>{t("common.labels")}</span>
        <input
          value={labels.value}
          placeholder="team:data, ticket:123"
          pattern={LABELS}
          title={t("flows.labelsHint")}
          onInput={(event) => labels.value = event.currentTarget.value}
        />
      </label>
    </FormDialog>
  );
}

/** Labels with commas between them. */
const LABELS = String.raw`\s*(?:[^:,\s]+\s*:[^,]*[^,\s][^,]*(?:,\s*|$))*`;

function labelsOf(text: string): string[] {
  return text.split(",").map((label) => label.trim()).filter((label) => label !== "");
}

/** The start as a command. */
function curlOf({ namespace, id }: FlowKey, form: FormData, labels: readonly string[]): string {
  const parts = [...form].map(([name, value]) => {
    const text = typeof value === "string" ? value : `@${value.name}`;
    return `-F ${shellQuoted(`${name}=${text}`)}`;
  });
  const url = `${location.origin}${urlOf(apiPath("executions", namespace, id), { labels })}`;
  return ["curl -X POST", shellQuoted(url), ...parts].join(" ");
}
