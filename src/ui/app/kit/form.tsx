/** Pieces of forms: a labelled field, a switch, and a dialog with a form that is sent. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { may } from "../core/access.ts";
import { t } from "../texts/mod.ts";
import { Dialog } from "./dialog.tsx";
import { showToast } from "./feedback.tsx";

interface FieldProps {
  readonly title: string;
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A field under its label, with a hint below it. */
export function Field({ title, hint, children }: FieldProps) {
  return (
    <div class="field-box">
      <label class="field">
        <span>{title}</span>
        {children}
      </label>
      {hint !== undefined && <small>{hint}</small>}
    </div>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** Why it cannot be changed. */
  readonly lockedBy?: string;
}

/** Something that is on or off at once, without a form. */
export function Switch({ label, isOn, onChange, lockedBy: given }: SwitchProps) {
  const lockedBy = may("change") ? given : t("me.readOnly");
  return (
    <input
      type="checkbox"
      role="switch"
      class="switch"
      aria-label={label}
      title={lockedBy ?? label}
      checked={isOn}
      disabled={lockedBy !== undefined}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

interface FormDialogProps<Sent> {
  readonly title: string;
  /** Label of the button that sends it; absent: the title. */
  readonly action?: string;
  /** Said afterwards. */
  readonly done?: string;
  /** Sends the form; the dialog closes afterwards, unless it gives `false`. A rejection is shown in the dialog. */
  readonly onSend: () => Promise<Sent | false>;
  /** Called with what `onSend` gave, after the dialog is closed; not if the person closed it before the response. */
  readonly onSent?: (sent: Sent) => void;
  readonly onClose: () => void;
  /** Buttons before the others. */
  readonly more?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A dialog with a form. What the server refuses is shown in it, and nothing that was typed is lost. */
export function FormDialog<Sent>(
  { title, action = title, done, onSend, onSent, onClose, more, children }: FormDialogProps<Sent>,
) {
  const id = useId();
  const refusal = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const isShown = useRef(true);
  useLayoutEffect(() => () => {
    isShown.current = false;
  }, []);
  const send = async (event: Event) => {
    event.preventDefault();
    // The button is still there for a double click.
    if (isBusy.value) return;
    isBusy.value = true;
    refusal.value = undefined;
    try {
      const sent = await onSend();
      if (sent === false) return;
      if (done !== undefined) showToast("good", done);
      // Closed by the person since: another dialog or page may be open.
      if (!isShown.current) return;
      onClose();
      onSent?.(sent);
    } catch (error) {
      refusal.value = messageOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  const actions = (
    <>
      {more}
      <button type="button" onClick={onClose}>{t("common.cancel")}</button>
      <button type="submit" form={id} class="primary" disabled={isBusy.value}>{action}</button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} actions={actions}>
      <form id={id} onSubmit={(event) => void send(event)}>
        {children}
        {refusal.value !== undefined && <div class="notice bad" role="alert">{refusal.value}</div>}
      </form>
    </Dialog>
  );
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.status === 0) return t("error.unreachable");
  return error instanceof Error ? error.message : String(error);
}
