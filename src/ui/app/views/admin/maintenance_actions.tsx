/** What stops the work of a tenant, and what removes its old executions. */
import { useSignal } from "@preact/signals";
import { STATES, TERMINAL_STATES } from "../../../../model/executions/state.ts";
import { get, type Page, type Query, send } from "../../api/client.ts";
import { countText } from "../../core/numbers.ts";
import { now } from "../../core/time.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, showToast } from "../../kit/feedback.tsx";
import { Field } from "../../kit/form.tsx";
import { t, type TextName } from "../../texts/mod.ts";

interface BulkChange {
  readonly title: TextName;
  readonly hint: TextName;
  /** Typed to confirm, with the number. */
  readonly word: string;
  /** The list that has what is changed. */
  readonly list: string;
  readonly filters: Query;
  readonly method: string;
  readonly path: string;
  readonly query?: Query;
}

const UNFINISHED = STATES.filter((state) => !TERMINAL_STATES.has(state));
const STOPS: readonly BulkChange[] = [
  {
    title: "admin.disableTriggers",
    hint: "admin.disableTriggersHint",
    word: "disable",
    list: "/triggers/search",
    filters: { triggerState: "ENABLED" },
    method: "POST",
    path: "/triggers/set-disabled/by-query",
    query: { disabled: true },
  },
  {
    title: "admin.pauseExecutions",
    hint: "admin.pauseExecutionsHint",
    word: "pause",
    list: "/executions/search",
    filters: { state: ["RUNNING"] },
    method: "POST",
    path: "/executions/pause/by-query",
  },
  {
    title: "admin.killExecutions",
    hint: "admin.killExecutionsHint",
    word: "kill",
    list: "/executions/search",
    filters: { state: UNFINISHED },
    method: "DELETE",
    path: "/executions/kill/by-query",
  },
];

/** Buttons that stop triggers and executions of the tenant. */
export function StopSection() {
  return (
    <section class="section">
      <h2>{t("admin.stop")}</h2>
      <p class="dim">{t("admin.stopHint")}</p>
      <div class="actions">
        {STOPS.map((stop) => (
          <button
            key={stop.word}
            type="button"
            class="danger"
            onClick={() => void change(stop)}
          >
            {t(stop.title)}
          </button>
        ))}
      </div>
    </section>
  );
}

const AGES_IN_DAYS = [7, 30, 90, 365];
const DAY_MS = 86_400_000;

/** A form that removes executions that ended some time ago. */
export function PurgeSection() {
  const days = useSignal(90);
  const state = useSignal("");
  const purge = () => {
    const before = new Date(now.value - days.value * DAY_MS).toISOString();
    return change({
      title: "admin.purge",
      hint: "executions.deleteHint",
      word: "delete",
      list: "/executions/search",
      filters: { "filters[endDate][LESS_THAN]": before, state: state.value },
      method: "DELETE",
      path: "/executions/by-query",
    });
  };
  return (
    <section class="section">
      <h2>{t("admin.purge")}</h2>
      <p class="dim">{t("admin.purgeHint")}</p>
      <div class="filters">
        <Field title={t("admin.endedBefore")}>
          <select value={days.value} onChange={(event) => days.value = Number(event.currentTarget.value)}>
            {AGES_IN_DAYS.map((count) => (
              <option key={count} value={count}>{t("admin.days", { count })}</option>
            ))}
          </select>
        </Field>
        <Field title={t("common.state")}>
          <select value={state.value} onChange={(event) => state.value = event.currentTarget.value}>
            <option value="">{t("admin.anyState")}</option>
            {STATES.filter((each) => TERMINAL_STATES.has(each)).map((each) => (
              <option key={each} value={each}>{each}</option>
            ))}
          </select>
        </Field>
        <button type="button" class="danger" onClick={() => void purge()}>{t("admin.purge")}</button>
      </div>
    </section>
  );
}

/** Counts, asks for a phrase with the number, and changes all that match. */
async function change({ title, hint, word, list, filters, method, path, query }: BulkChange): Promise<void> {
  const found = await attempt(() => get<Page<unknown>>(list, { ...filters, size: 1 }));
  if (!found) return;
  if (found.total === 0) return showToast("good", t("admin.nothingToDo"));
  const action = t(title);
  const text = (
    <>
      <p>{t(hint)}</p>
      <p>{t("executions.phrase")}</p>
    </>
  );
  const phrase = `${word} ${found.total}`;
  if (!await confirmed({ title: action, text, action, isDangerous: true, phrase })) return;
  await attempt(
    () => send<{ readonly count: number }>(method, path, { query: { ...filters, ...query } }),
    ({ count }) => t("admin.changed", { action, count: countText(count) }),
  );
}
