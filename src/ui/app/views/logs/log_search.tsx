/** `/logs`: log lines of all executions, newest first. */
import { useSignal } from "@preact/signals";
import { get, type Page, type Query } from "../../api/client.ts";
import type { LogRow } from "../../api/entities.ts";
import { query } from "../../core/router.ts";
import { useResource } from "../../core/resource.ts";
import { attempt, EmptyState, Loaded } from "../../kit/feedback.tsx";
import { Filters } from "../../kit/filters.tsx";
import { SavedViews } from "../../kit/saved_views.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { LogTable } from "./log_table.tsx";
import { LOG_FILTERS, logQuery } from "./log_filters.ts";

interface LogPage extends Page<LogRow> {
  /** Where older lines begin; absent at the end. */
  readonly nextCursor?: string;
  /** `false` if not all executions were searched. */
  readonly isTotalExact?: boolean;
}

/**
 * All lines that are shown once a person has asked for older ones. The newest are no longer refreshed then: nothing moves,
 * and there is no gap between the first page and what follows it.
 */
interface Extended {
  readonly key: string;
  readonly lines: readonly LogRow[];
  readonly cursor?: string;
}

const SIZE = 100;
const REFRESH_MS = 10_000;

/** The view. */
export function LogSearch() {
  const filters = logQuery(query.value);
  const key = JSON.stringify(filters);
  const latest = useSignal<Extended | undefined>(undefined);
  const refreshes = useSignal(0);
  const extended = latest.value?.key === key ? latest.value : undefined;
  const page = useResource(
    key,
    (signal) => search(filters, undefined, signal),
    { refreshMs: extended ? undefined : REFRESH_MS },
  );
  return (
    <>
      <ViewHead title={t("logs.title")}>
        <SavedViews list="logs" />
        <button
          type="button"
          onClick={() => {
            refreshes.value++;
            latest.value = undefined;
            void page.reload();
          }}
        >
          {t("common.refresh")}
        </button>
      </ViewHead>
      <Filters fields={LOG_FILTERS} />
      <Loaded resource={page} rows={12}>
        {(first) => {
          const lines = extended?.lines ?? first.results;
          const cursor = extended ? extended.cursor : first.nextCursor;
          const more = async () => {
            const begun = refreshes.peek();
            const next = await attempt(() => search(filters, cursor));
            if (next && refreshes.peek() === begun) {
              latest.value = {
                key,
                lines: [...lines, ...next.results],
                cursor: next.nextCursor,
              };
            }
          };
          return (
            <Lines lines={lines} isComplete={first.isTotalExact !== false} more={cursor ? more : undefined} />
          );
        }}
      </Loaded>
    </>
  );
}

function Lines({ lines, isComplete, more }: {
  readonly lines: readonly LogRow[];
  readonly isComplete: boolean;
  readonly more: (() => Promise<void>) | undefined;
}) {
  const isBusy = useSignal(false);
  const load = async () => {
    isBusy.value = true;
    await more?.();
    isBusy.value = false;
  };
  return (
    <>
      {!isComplete && <p class="notice warn">{t("logs.incomplete")}</p>}
      {lines.length === 0
        ? <EmptyState title={t("logs.none")}>{t("logs.noneHint")}</EmptyState>
        : <LogTable lines={lines} />}
      {more && lines.length > 0 && (
        <button
          type="button"
          class="older"
          disabled={isBusy.value}
          onClick={() => void load()}
        >
          {t("logs.older")}
        </button>
      )}
    </>
  );
}

function search(filters: Query, cursor?: string, signal?: AbortSignal): Promise<LogPage> {
  return get<LogPage>("/logs/search", { ...filters, size: SIZE, cursor }, signal);
}
