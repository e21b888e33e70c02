/** KV pairs of a namespace: list, value on demand, create, change, delete. */
import { useSignal } from "@preact/signals";
import { get, type Page, send } from "../../api/client.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import { type Column, Pager, Table } from "../../kit/table.tsx";
import { CopyButton, Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { KvForm } from "./kv_form.tsx";
import { type KvRow, kvText, type KvValue, readKv } from "./kv_value.ts";
import type { TabProps } from "./namespace.ts";

const SIZE = 50;
const REFRESH_MS = 10_000;
const FILTERS: readonly FilterField[] = [{ name: "q", kind: "text", title: "common.search" }];

interface Editing {
  /** Absent: a new pair. */
  readonly pair?: KvRow;
  readonly value?: KvValue;
}

/** The tab. */
export function KvTab({ namespace }: TabProps) {
  const page = Number(query.value.get("page") ?? 1);
  const q = query.value.get("q") ?? "";
  const editing = useSignal<Editing | undefined>(undefined);
  const wanted = { "filters[namespace][EQUALS]": namespace, q, page, size: SIZE, sort: "key:asc" };
  const load = (signal: AbortSignal) => get<Page<KvRow>>("/kv", wanted, signal);
  const list = useResource(JSON.stringify(wanted), load, { refreshMs: REFRESH_MS });
  const edit = async (pair: KvRow) => {
    const value = await attempt(() => readKv(pair));
    if (value) editing.value = { pair, value };
  };
  return (
    <>
      <div class="section-head">
        <Filters fields={FILTERS} />
        <button type="button" class="primary" onClick={() => editing.value = {}}>
          {t("namespaces.kvCreate")}
        </button>
      </div>
      <Loaded resource={list}>
        {({ results, total }) =>
          total === 0
            ? (
              <EmptyState title={t(q === "" ? "namespaces.kvNone" : "namespaces.noMatch")}>
                <p>{t("namespaces.kvHint", { expression: "{{ kv('key') }}" })}</p>
              </EmptyState>
            )
            : (
              <>
                <Table
                  label={t("namespaces.kv")}
                  rows={results}
                  columns={columns((pair) => void edit(pair), list.reload)}
                  keyOf={({ key }) => key}
                />
                <Pager
                  page={page}
                  size={SIZE}
                  total={total}
                />
              </>
            )}
      </Loaded>
      <InheritedPairs namespace={namespace} />
      {editing.value && (
        <KvForm
          namespace={namespace}
          pair={editing.value.pair}
          value={editing.value.value}
          reload={list.reload}
          onClose={() => editing.value = undefined}
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
    title: t("common.actions"),
    cell: (pair) => (
      <span class="row-actions">
        <button type="button" onClick={() => edit(pair)}>{t("common.edit")}</button>
        <button type="button" class="danger" onClick={() => void remove(pair, reload)}>
          {t("common.delete")}
        </button>
      </span>
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

async function remove({ namespace, key }: KvRow, reload: () => Promise<void>): Promise<void> {
  const [title, action] = [t("namespaces.kvDelete"), t("common.delete")];
  const text = t("namespaces.kvConfirm", { key });
  if (!await confirmed({ title, text, action, isDangerous: true })) return;
  const path = `/namespaces${apiPath(namespace)}/kv${apiPath(key)}`;
  await attempt(() => send("DELETE", path), t("namespaces.kvDeleted", { key }));
  await reload();
}

/** Pairs of the namespaces above, which flows here can read, too. */
function InheritedPairs({ namespace }: TabProps) {
  const path = `/namespaces${apiPath(namespace)}/kv/inheritance`;
  const inherited = useResource(path, (signal) => get<readonly KvRow[]>(path, {}, signal));
  const pairs = inherited.data ?? [];
  if (pairs.length === 0) return null;
  return (
    <section class="section">
      <h2>{t("namespaces.inherited")}</h2>
      <ul class="links">
        {pairs.map(({ key, namespace: owner }) => (
          <li key={key}>
            <a class="label" href={pagePath("namespaces", owner, "kv")}>{key} · {owner}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
