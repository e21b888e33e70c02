/** `/triggers`: all triggers with what they did last and do next; one of them in a dialog, actions on several. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Query, urlOf } from "../../api/client.ts";
import { pageIn } from "../../core/page_number.ts";
import { pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query, setQuery } from "../../core/router.ts";
import { attempt, EmptyState, Loaded, showToast } from "../../kit/feedback.tsx";
import { filterQuery } from "../../kit/filter_query.ts";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import { Switch } from "../../kit/form.tsx";
import { Outcome } from "../../kit/outcome.tsx";
import { SavedViews } from "../../kit/saved_views.tsx";
import { type Column, Pager, Table } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { EvaluationLine } from "./evaluation_list.tsx";
import { keyText, parseKey, searchTriggers, setDisabled, shortType, type TriggerRow } from "./trigger.ts";
import { TriggerBulkBar, type TriggerTarget } from "./trigger_bulk.tsx";
import { TriggerDialog } from "./trigger_dialog.tsx";

const SIZE = 50;
const REFRESH_MS = 5_000;
const BY_NAME = "flowId:asc";
const NOTHING: ReadonlySet<string> = new Set();
const FILTERS: readonly FilterField[] = [
  { name: "q", kind: "text", title: "common.search" },
  { name: "namespace", kind: "text", title: "common.namespace" },
  { name: "flowId", kind: "text", title: "common.flow" },
  { name: "triggerState", kind: "choice", title: "common.state", choices: ["ENABLED", "DISABLED"] },
];

/** The view. */
export default function TriggerList() {
  const page = pageIn(query.value);
  const sort = query.value.get("sort") ?? BY_NAME;
  const filters = filterQuery(FILTERS, query.value);
  const wanted = { ...filters, page, size: SIZE, sort };
  const load = (signal: AbortSignal) => searchTriggers(wanted, signal);
  const list = useResource(JSON.stringify(wanted), load, { refreshMs: REFRESH_MS });
  const opened = parseKey(query.value.get("trigger") ?? "");
  return (
    <>
      <ViewHead title={t("triggers.title")}>
        <SavedViews list="triggers" />
        <a class="button" href={urlOf("/triggers/export/by-query/csv", filters)} download>
          {t("common.export", { format: "CSV" })}
        </a>
      </ViewHead>
      <Filters fields={FILTERS} />
      <Loaded resource={list} rows={8}>
        {({ results, total }) =>
          total === 0 ? <NoTriggers isFiltered={Object.keys(filters).length > 0} /> : (
            <>
              <TriggerTable
                key={JSON.stringify(filters)}
                rows={results}
                {...{ total, filters, sort, reload: list.reload }}
              />
              <Pager
                page={page}
                size={SIZE}
                shown={results.length}
                total={total}
              />
            </>
          )}
      </Loaded>
      {opened && <TriggerDialog key={keyText(opened)} of={opened} onChange={list.reload} />}
    </>
  );
}

const EXAMPLE = `triggers:
  - id: every_morning
    type: io.svc.plugin.core.trigger.Schedule
    cron: "0 7 * * *"`;

function NoTriggers({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <EmptyState title={t("triggers.none")}>
        <p>{t("triggers.noneHint")}</p>
        <pre class="code">{EXAMPLE}</pre>
        <a class="button primary" href={pagePath("flows")}>{t("executions.toFlows")}</a>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t("triggers.noMatch")}>
      <a class="button" href={pagePath("triggers")}>{t("common.clear")}</a>
    </EmptyState>
  );
}

interface TriggerTableProps {
  readonly rows: readonly TriggerRow[];
  readonly total: number;
  readonly filters: Query;
  readonly sort: string;
  readonly reload: () => Promise<void>;
}

function TriggerTable({ rows, total, filters, sort, reload }: TriggerTableProps) {
  const selected = useSignal<ReadonlySet<string>>(NOTHING);
  const areAllSelected = useSignal(false);
  const keys = rows.map(({ state }) => state).filter((state) => selected.value.has(keyText(state)));
  const select = (next: ReadonlySet<string>) => {
    selected.value = next;
    areAllSelected.value = false;
  };
  const target = areAllSelected.value ? { count: total, filters } : { count: keys.length, keys };
  // What was selected while the action was under way stays selected.
  const done = (acted: TriggerTarget) => {
    if (acted.keys) selected.value = selected.value.difference(new Set(acted.keys.map(keyText)));
    else if (areAllSelected.value) select(NOTHING);
  };
  return (
    <>
      {target.count > 0 && (
        <TriggerBulkBar
          target={target}
          total={total}
          selectAll={() => areAllSelected.value = true}
          clear={() => select(NOTHING)}
          done={done}
          reload={reload}
        />
      )}
      <Table
        label={t("triggers.title")}
        rows={rows}
        columns={columns(reload)}
        keyOf={({ state }) => keyText(state)}
        href={({ state }) => hrefOf(keyText(state))}
        sort={sort}
        onSort={(next) => setQuery({ sort: next, page: undefined })}
        selected={areAllSelected.value ? new Set(rows.map(({ state }) => keyText(state))) : selected.value}
        onSelect={select}
      />
    </>
  );
}

/** The present address with the dialog of a trigger. */
function hrefOf(key: string): string {
  const parameters = new URLSearchParams(query.value);
  parameters.set("trigger", key);
  return `${pagePath("triggers")}?${parameters}`;
}

const columns = (reload: () => Promise<void>): readonly Column<TriggerRow>[] => [
  {
    name: "trigger",
    title: t("triggers.trigger"),
    cell: ({ trigger, state }) => (
      <div>
        <a href={hrefOf(keyText(state))}>{state.triggerId}</a>
        <div class="dim" title={trigger.type}>
          {shortType(trigger.type)} {trigger.cron && <code class="cron">{trigger.cron}</code>}
        </div>
      </div>
    ),
  },
  {
    name: "flow",
    title: t("common.flow"),
    sort: "flowId",
    cell: ({ state: { namespace, flowId } }) => (
      <a href={pagePath("flows", "edit", namespace, flowId)}>
        <span class="dim">{namespace}.</span>
        {flowId}
      </a>
    ),
  },
  {
    name: "result",
    title: t("triggers.result"),
    cell: ({ state }) => (
      <div class="evaluation">
        {state.locked && <Outcome tone="held" text={t("triggers.isLocked")} />}
        <EvaluationLine evaluation={state.evaluations[0]} of={state} />
      </div>
    ),
  },
  {
    name: "date",
    title: t("triggers.last"),
    sort: "date",
    cell: ({ state }) => <Time at={state.date} />,
  },
  {
    name: "next",
    title: t("triggers.next"),
    sort: "nextExecutionDate",
    cell: ({ state }) => <Time at={state.nextExecutionDate} />,
  },
  {
    name: "enabled",
    title: t("triggers.enabled"),
    cell: (row) => <EnabledSwitch row={row} reload={reload} />,
  },
];

function EnabledSwitch({ row: { trigger, state }, reload }: {
  readonly row: TriggerRow;
  readonly reload: () => Promise<void>;
}) {
  // A refresh meanwhile still has the former value.
  const wanted = useSignal<boolean | undefined>(undefined);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  // Each waits for the one before, so that the last click decides.
  const set = (isOn: boolean): Promise<boolean> => {
    wanted.value = isOn;
    const own = last.current.then(async () => {
      const changed = await attempt(async () => (await setDisabled(state, !isOn), true));
      await reload();
      if (last.current === own) wanted.value = undefined;
      return changed === true;
    });
    last.current = own;
    return own;
  };
  const change = async (isOn: boolean) => {
    const done = t(isOn ? "triggers.wasEnabled" : "triggers.wasDisabled", { trigger: state.triggerId });
    if (await set(isOn)) showToast("good", done, () => void set(!isOn));
  };
  return (
    <Switch
      label={t("triggers.enable", { trigger: state.triggerId })}
      isOn={wanted.value ?? !state.disabled}
      onChange={(isOn) => void change(isOn)}
      lockedBy={trigger.disabled ? t("triggers.disabledInFlow") : undefined}
    />
  );
}
