/** KV pairs of a namespace: list, value on demand, create, change, delete one or several. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { get, type Page, send } from "../../api/client.ts";
import { May } from "../../core/access.ts";
import { pageIn } from "../../core/page_number.ts";
import { apiPath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, EmptyState } from "../../kit/feedback.tsx";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import type { Column } from "../../kit/table.tsx";
import { CopyButton, Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import {
  Example,
  InheritedItems,
  inheritedItems,
  ItemActions,
  ItemList,
  ITEMS_PER_PAGE,
} from "./item_list.tsx";
import { KvForm } from "./kv_form.tsx";
import { type KvRow, kvText, type KvValue, readKv } from "./kv_value.ts";
import type { TabProps } from "./namespace.ts";

const REFRESH_MS = 10_000;
const FILTERS: readonly FilterField[] = [{ name: "q", kind: "text", title: "common.search" }];
const EXAMPLE = `- id: greet
  type: io.svc.plugin.core.log.Log
  message: "Region: {{ kv('region') }}"`;

interface Editing {
  /** Absent: a new pair. */
  readonly pair?: KvRow;
  readonly value?: KvValue;
}

/** The form that is open. A value that arrives late does not replace what a person has opened since. */
function useEditing() {
  const editing = useSignal<Editing | undefined>(undefined);
  const last = useRef(0);
  const open = (next: Editing | undefined) => {
    last.current++;
    editing.value = next;
  };
  const edit = async (pair: KvRow) => {
    const opened = ++last.current;
    const value = await attempt(() => readKv(pair));
    if (value && opened === last.current) editing.value = { pair, value };
  };
  return { editing, open, edit };
}

/** The tab. */
export function KvTab({ namespace }: TabProps) {
  const q = query.value.get("q") ?? "";
  const { editing, edit, open } = useEditing();
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const only = { "filters[namespace][EQUALS]": namespace };
  const wanted = { ...only, q, page: pageIn(query.value), size: ITEMS_PER_PAGE, sort: "key:asc" };
  const load = (signal: AbortSignal) => get<Page<KvRow>>("/kv", wanted, signal);
  const list = useResource(JSON.stringify(wanted), load, { refreshMs: REFRESH_MS });
  // Without what was deleted since, here or elsewhere, and what another page or search shows.
  const keys = list.data?.results.map(({ key }) => key).filter((key) => selected.value.has(key)) ?? [];
  const removeSelected = async () => {
    if (!await removePairs(namespace, keys)) return;
    // What was selected while the pairs were deleted stays selected.
    selected.value = selected.value.difference(new Set(keys));
    await list.reload();
  };
  return (
    <>
      <div class="section-head">
        <Filters fields={FILTERS} />
        <May>
          <button type="button" class="primary" onClick={() => open({})}>
            {t("namespaces.kvCreate")}
          </button>
        </May>
      </div>
      {keys.length > 0 && (
        <div class="bulk" role="toolbar" aria-label={t("common.actions")}>
          <span>{t("common.selected", { count: keys.length })}</span>
          <button type="button" class="danger" onClick={() => void removeSelected()}>
            {t("items.deleteSelected")}
          </button>
        </div>
      )}
      <ItemList
        label={t("namespaces.kv")}
        list={list}
        columns={columns((pair) => void edit(pair), list.reload)}
        keyOf={({ key }) => key}
        selected={new Set(keys)}
        onSelect={(chosen) => selected.value = chosen}
        empty={
          <EmptyState title={t(q === "" ? "namespaces.kvNone" : "namespaces.noMatch")}>
            {q === "" && <Example text={t("items.kvHint")} code={EXAMPLE} />}
          </EmptyState>
        }
      />
      <InheritedPairs namespace={namespace} />
      {editing.value && (
        <KvForm
          // Its fields are filled once.
          key={editing.value.pair?.key}
          namespace={namespace}
          pair={editing.value.pair}
          value={editing.value.value}
          reload={list.reload}
          onClose={() => open(undefined)}
        />
      )}
    </>
  );
}

const columns = (
  edit: (pair: KvRow) => void,
  reload: () => Promise<void>,
): readonly Column<KvRow>[] => [
  {
    name: "key",
    title: t("namespaces.key"),
    cell: ({ key, description }) => (
      <div>
        <code>{key}</code>
        {description && <div class="dim">{description}</div>}
      </div>
    ),
  },
  { name: "type", title: t("triggers.type"), cell: ({ type }) => <span class="label">{type}</span> },
  { name: "value", title: t("namespaces.value"), cell: (pair) => <ShownValue pair={pair} /> },
  { name: "updated", title: t("namespaces.updated"), cell: ({ updateDate }) => <Time at={updateDate} /> },
  {
    name: "expires",
    title: t("namespaces.expires"),
    cell: ({ expirationDate }) =>
      expirationDate ? <Time at={expirationDate} /> : <span class="dim">{t("namespaces.never")}</span>,
  },
  {
    name: "actions",
    right: "change",
    title: t("common.actions"),
    cell: (pair) => (
      <ItemActions
        name={pair.key}
        editTitle={t("common.edit")}
        edit={() => edit(pair)}
        remove={() => void removePairs(pair.namespace, [pair.key]).then(reload)}
      />
    ),
  },
];

/** Values may be large or private, so each is loaded when a person wants to see it. */
function ShownValue({ pair }: { readonly pair: KvRow }) {
  const shown = useSignal<{ readonly text: string; readonly revision: number } | undefined>(undefined);
  const show = async () => {
    const value = await attempt(() => readKv(pair));
    if (value) shown.value = { text: kvText(value), revision: pair.revision };
  };
  if (!shown.value || shown.value.revision !== pair.revision) {
    return (
      <button type="button" class="plain" onClick={() => void show()}>
        {t("namespaces.show")}
        <span class="only-read">{pair.key}</span>
      </button>
    );
  }
  return (
    <div class="shown-value">
      <pre tabIndex={0}>{shown.value.text}</pre>
      <CopyButton text={shown.value.text} />
    </div>
  );
}

/** Deletes pairs after a question; true if that was done. */
async function removePairs(namespace: string, keys: readonly string[]): Promise<boolean> {
  const [title, action] = [t("namespaces.kvDelete"), t("common.delete")];
  const [key = ""] = keys;
  const count = keys.length;
  const text = count === 1 ? t("namespaces.kvConfirm", { key }) : t("items.kvConfirmAll", { count });
  if (!await confirmed({ title, text, action, isDangerous: true })) return false;
  const path = `/namespaces${apiPath(namespace)}/kv`;
  const deleted = await attempt(
    () => send<{ readonly keys: readonly string[] }>("DELETE", path, { body: { keys } }),
    (result) =>
      count === 1
        ? t("namespaces.kvDeleted", { key })
        : t("items.kvDeletedAll", { count: result.keys.length, total: count }),
  );
  return deleted !== undefined;
}

/** Pairs of the namespaces above, which flows here can read, too. */
function InheritedPairs({ namespace }: TabProps) {
  const path = `/namespaces${apiPath(namespace)}/kv`;
  const items = useResource(path, async (signal) => {
    const [own, inherited] = await Promise.all([
      get<readonly KvRow[]>(path, {}, signal),
      get<readonly KvRow[]>(`${path}/inheritance`, {}, signal),
    ]);
    return inheritedItems(own.map(({ key }) => key), inherited);
  });
  return <InheritedItems items={items.data ?? []} tab="kv" />;
}
