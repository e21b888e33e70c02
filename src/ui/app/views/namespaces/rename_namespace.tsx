/** Renames a namespace, after a look at what refers to it. */
import { type Signal, useSignal } from "@preact/signals";
import { send } from "../../api/client.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { navigate } from "../../core/router.ts";
import { attempt } from "../../kit/feedback.tsx";
import { Field, FormDialog } from "../../kit/form.tsx";
import { t } from "../../texts/mod.ts";
import { ReferenceList, type References, referencesTo } from "./namespace_references.tsx";

/** The button. */
export function RenameNamespaceButton({ namespace }: { readonly namespace: string }) {
  const usage = useSignal<References | undefined>(undefined);
  const open = async () => usage.value = await attempt(() => referencesTo(namespace));
  return (
    <>
      <button type="button" onClick={() => void open()}>{t("items.rename")}</button>
      {usage.value && (
        <RenameDialog
          namespace={namespace}
          usage={usage.value}
          onClose={() => usage.value = undefined}
        />
      )}
    </>
  );
}

interface RenameDialogProps {
  readonly namespace: string;
  readonly usage: References;
  readonly onClose: () => void;
}

function RenameDialog({ namespace, usage, onClose }: RenameDialogProps) {
  const { children: below, executions: { total }, references, webhooks } = usage;
  const id = useSignal(namespace), children = useSignal(true), force = useSignal(false);
  const onSend = async () => {
    const body = { id: id.value.trim(), children: children.value, force: force.value };
    await send("POST", `/namespaces${apiPath(namespace)}/rename`, { body });
    return body.id;
  };
  return (
    <FormDialog
      title={t("items.renameTitle", { namespace })}
      action={t("items.renameNow")}
      done={t("items.renamed", { namespace })}
      onSend={onSend}
      onSent={(renamed) => navigate(pagePath("namespaces", renamed))}
      onClose={onClose}
    >
      <Field title={t("namespaces.name")} hint={t("items.renameHint")}>
        <input required value={id.value} onInput={(event) => id.value = event.currentTarget.value} />
      </Field>
      {below.length > 0 && <Check is={children}>{t("items.renameBelow", { names: below.join(", ") })}</Check>}
      {total > 0 && <div class="notice warn">{t("items.unfinished", { count: total })}</div>}
      {webhooks.length > 0 && (
        <div class="notice warn">{t("items.webhooks", { flows: webhooks.join(", ") })}</div>
      )}
      <ReferenceList references={references} />
      {references.some(({ edited }) => !edited) && <Check is={force}>{t("items.renameForce")}</Check>}
    </FormDialog>
  );
}

function Check({ is, children }: { readonly is: Signal<boolean>; readonly children: string }) {
  return (
    <label class="check-field">
      <input
        type="checkbox"
        checked={is.value}
        onChange={(event) => is.value = event.currentTarget.checked}
      />
      {children}
    </label>
  );
}
