/** A backfill of a schedule: executions for dates of the past. Its form, and the progress of the present one. */
import { useSignal } from "@preact/signals";
import { send } from "../../api/client.ts";
import { May, may } from "../../core/access.ts";
import { dateTimeText } from "../../core/time.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt } from "../../kit/feedback.tsx";
import { Field, FormDialog } from "../../kit/form.tsx";
import { t } from "../../texts/mod.ts";
import { type Backfill, backfillProgress, keyOf, type TriggerKey } from "./trigger.ts";

interface BackfillProps {
  readonly of: TriggerKey;
  readonly backfill: Backfill | undefined;
  readonly reload: () => Promise<void>;
}

/** The present backfill, or a button that starts one. */
export function BackfillPart({ of, backfill, reload }: BackfillProps) {
  const isOpen = useSignal(false);
  return (
    <section class="section">
      <div class="section-head">
        <h3>{t("triggers.backfill")}</h3>
        {!backfill && may("change") && (
          <button type="button" onClick={() => isOpen.value = true}>{t("triggers.startBackfill")}</button>
        )}
      </div>
      {backfill
        ? <BackfillProgress of={of} backfill={backfill} reload={reload} />
        : <p class="dim">{t("triggers.backfillHint")}</p>}
      {isOpen.value && <BackfillForm of={of} reload={reload} onClose={() => isOpen.value = false} />}
    </section>
  );
}

function BackfillProgress({ of, backfill, reload }: BackfillProps & { readonly backfill: Backfill }) {
  const { start, end, currentDate, paused } = backfill;
  const change = async (path: string, method: string, done: string) => {
    await attempt(() => send(method, `/triggers/backfill/${path}`, { body: keyOf(of) }), done);
    await reload();
  };
  const remove = async () => {
    const [action, text] = [t("triggers.deleteBackfill"), t("triggers.confirmDeleteBackfill")];
    if (!await confirmed({ title: action, text, action, isDangerous: true })) return;
    await change("delete", "POST", t("triggers.backfillDeleted"));
  };
  return (
    <>
      <progress
        aria-label={t("triggers.backfill")}
        value={backfillProgress(backfill)}
        title={dateTimeText(currentDate)}
      />
      <p class="dim">
        {paused ? `${t("triggers.backfillPaused")} ` : ""}
        {t("triggers.backfillAt", {
          at: dateTimeText(currentDate),
          from: dateTimeText(start),
          to: dateTimeText(end),
        })}
      </p>
      <May>
        <div class="actions">
          {paused
            ? (
              <button type="button" onClick={() => void change("unpause", "PUT", t("triggers.backfillRuns"))}>
                {t("triggers.continueBackfill")}
              </button>
            )
            : (
              <button type="button" onClick={() => void change("pause", "PUT", t("triggers.backfillPaused"))}>
                {t("triggers.pauseBackfill")}
              </button>
            )}
          <button type="button" class="danger" onClick={() => void remove()}>
            {t("triggers.deleteBackfill")}
          </button>
        </div>
      </May>
    </>
  );
}

interface BackfillFormProps {
  readonly of: TriggerKey;
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}

function BackfillForm({ of, reload, onClose }: BackfillFormProps) {
  const start = useSignal("");
  const end = useSignal("");
  const onSend = async () => {
    const backfill = { start: isoOf(start.value), ...(end.value !== "" && { end: isoOf(end.value) }) };
    await send("PUT", "/triggers/backfill/create", { body: { ...keyOf(of), backfill } });
    await reload();
  };
  return (
    <FormDialog
      title={t("triggers.startBackfill")}
      action={t("triggers.startBackfill")}
      onSend={onSend}
      onClose={onClose}
    >
      <Field title={t("triggers.from")} hint={t("triggers.browserZone")}>
        <input
          type="datetime-local"
          required
          value={start.value}
          onInput={(event) => start.value = event.currentTarget.value}
        />
      </Field>
      <Field title={t("triggers.to")} hint={t("triggers.toHint")}>
        <input
          type="datetime-local"
          value={end.value}
          onInput={(event) => end.value = event.currentTarget.value}
        />
      </Field>
    </FormDialog>
  );
}

/** The instant of a local date and time. */
function isoOf(local: string): string {
  return new Date(local).toISOString();
}
