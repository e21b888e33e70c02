/** One trigger in a dialog: its dates, webhook address, backfill, evaluations, and actions on it. */
import type { ComponentChildren } from "preact";
import { May, may } from "../../core/access.ts";
import { pagePath } from "../../core/places.ts";
import { type Resource, useResource } from "../../core/resource.ts";
import { navigate, setQuery } from "../../core/router.ts";
import { confirmed, Dialog } from "../../kit/dialog.tsx";
import { attempt, Loaded } from "../../kit/feedback.tsx";
import { Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { BackfillPart } from "./backfill.tsx";
import { EvaluationList } from "./evaluation_list.tsx";
import {
  keyText,
  searchTriggers,
  shortType,
  startFlow,
  type TriggerKey,
  type TriggerRow,
  unlock,
} from "./trigger.ts";
import { WebhookAddress } from "./webhook_address.tsx";

const REFRESH_MS = 3_000;

interface TriggerDialogProps {
  readonly of: TriggerKey;
  /** After a change. */
  readonly onChange: () => Promise<void>;
}

/** The dialog; the address says which trigger it shows. */
export function TriggerDialog({ of, onChange }: TriggerDialogProps) {
  const find = async (signal: AbortSignal) => {
    const { results } = await searchTriggers({ ...of, size: 100 }, signal);
    return { found: results.find(({ state }) => keyText(state) === keyText(of)) };
  };
  const trigger = useResource(keyText(of), find, { refreshMs: REFRESH_MS });
  const reload = async () => void await Promise.all([trigger.reload(), onChange()]);
  const title = `${of.flowId} · ${of.triggerId}`;
  return (
    <Dialog title={title} onClose={() => setQuery({ trigger: undefined })} wide>
      <Loaded resource={trigger as Resource<{ found?: TriggerRow }>}>
        {({ found }) =>
          found
            ? <TriggerDetails row={found} reload={reload} />
            : <p>{t("triggers.unknown", { trigger: of.triggerId })}</p>}
      </Loaded>
    </Dialog>
  );
}

function TriggerDetails(
  { row, reload }: { readonly row: TriggerRow; readonly reload: () => Promise<void> },
) {
  const { trigger, state } = row;
  return (
    <div class="section">
      <dl class="cards">
        <Fact title={t("triggers.type")}>
          <span title={trigger.type}>{shortType(trigger.type)}</span>
        </Fact>
        {trigger.cron && (
          <Fact title="cron">
            <code>{trigger.cron}</code>
          </Fact>
        )}
        <Fact title={t("triggers.last")}>
          <Time at={state.date} />
        </Fact>
        <Fact title={t("triggers.next")}>
          {state.disabled ? t("triggers.isDisabled") : <Time at={state.nextExecutionDate} />}
        </Fact>
      </dl>
      <Actions row={row} reload={reload} />
      {trigger.key && may("change") && <WebhookAddress flow={state} triggerKey={trigger.key} />}
      {state.kind === "SCHEDULE" && <BackfillPart of={state} backfill={state.backfill} reload={reload} />}
      <section class="section">
        <h3>{t("triggers.evaluations")}</h3>
        <EvaluationList evaluations={state.evaluations} of={state} />
      </section>
    </div>
  );
}

function Fact({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Actions({ row, reload }: { readonly row: TriggerRow; readonly reload: () => Promise<void> }) {
  const { namespace, flowId, triggerId, locked, executionId } = row.state;
  const run = async () => {
    const action = t("triggers.run");
    if (!await confirmed({ title: action, text: t("triggers.confirmRun", { flow: flowId }), action })) return;
    const id = await attempt(() => startFlow(row));
    if (id !== undefined) navigate(pagePath("executions", namespace, flowId, id));
  };
  const release = async () => {
    const [action, text] = [t("triggers.unlock"), t("triggers.confirmUnlock")];
    if (!await confirmed({ title: action, text, action })) return;
    await attempt(() => unlock(row.state), t("triggers.wasUnlocked", { trigger: triggerId }));
    await reload();
  };
  return (
    <>
      {locked && (
        <div class="notice warn">
          <span>{t("triggers.locked")}</span>
          {executionId && (
            <a class="mono" href={pagePath("executions", namespace, flowId, executionId)}>{executionId}</a>
          )}
          <May>
            <button type="button" onClick={() => void release()}>{t("triggers.unlock")}</button>
          </May>
        </div>
      )}
      <div class="actions">
        <May>
          <button type="button" onClick={() => void run()}>{t("triggers.run")}</button>
        </May>
        <a class="button" href={pagePath("flows", "edit", namespace, flowId)}>{t("triggers.openFlow")}</a>
      </div>
    </>
  );
}
