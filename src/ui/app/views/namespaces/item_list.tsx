/** Parts that the lists of KV pairs and secrets share. */
import type { ComponentChildren } from "preact";
import type { Page } from "../../api/client.ts";
import { pagePath } from "../../core/places.ts";
import type { Resource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { type Column, Pager, Table } from "../../kit/table.tsx";
import { t } from "../../texts/mod.ts";

/** Rows of a page. */
export const ITEMS_PER_PAGE = 50;

/** The page that the address names. */
export function presentPage(): number {
  return Number(query.value.get("page") ?? 1);
}

interface ItemListProps<Item> {
  readonly label: string;
  readonly list: Resource<Page<Item>>;
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (keys: ReadonlySet<string>) => void;
  /** Shown instead of an empty list. */
  readonly empty: ComponentChildren;
}

/** A page of items with the number of all. */
export function ItemList<Item>({ list, empty, ...table }: ItemListProps<Item>) {
  return (
    <Loaded resource={list}>
      {({ results, total }) =>
        total === 0 ? empty : (
          <>
            <Table {...table} rows={results} />
            <Pager page={presentPage()} size={ITEMS_PER_PAGE} total={total} />
          </>
        )}
    </Loaded>
  );
}

/** Buttons that change and delete an item. */
export function ItemActions({ edit, editTitle, remove, name }: {
  readonly edit: () => void;
  readonly editTitle: string;
  readonly remove: () => void;
  /** Of the item, for screen readers. */
  readonly name: string;
}) {
  return (
    <span class="row-actions">
      <button type="button" aria-label={`${editTitle} ${name}`} onClick={edit}>{editTitle}</button>
      <button type="button" class="danger" aria-label={`${t("common.delete")} ${name}`} onClick={remove}>
        {t("common.delete")}
      </button>
    </span>
  );
}

/** An item of a namespace above, which flows can read, too. */
interface InheritedItem {
  readonly namespace: string;
  readonly key: string;
  /** An item of the same name is nearer; flows read that one. */
  readonly isHidden: boolean;
}

/** The items of the namespaces above, the nearest first; of equal keys flows read the nearest. */
export function inheritedItems(
  own: readonly string[],
  above: readonly { readonly namespace: string; readonly key: string }[],
): InheritedItem[] {
  const near = new Set(own);
  return above.map(({ namespace, key }) => {
    const isHidden = near.has(key);
    near.add(key);
    return { namespace, key, isHidden };
  });
}

/** What flows read from the namespaces above, with the owner of each. */
export function InheritedItems(
  { items, tab }: { readonly items: readonly InheritedItem[]; readonly tab: "kv" | "secrets" },
) {
  if (items.length === 0) return null;
  return (
    <section class="section">
      <h2>{t("namespaces.inherited")}</h2>
      <Table
        label={t("namespaces.inherited")}
        rows={items}
        keyOf={({ namespace, key }) => `${namespace} ${key}`}
        columns={[
          { name: "key", title: t("namespaces.key"), cell: ({ key }) => <code>{key}</code> },
          {
            name: "owner",
            title: t("namespaces.owner"),
            cell: ({ namespace }) => <a href={pagePath("namespaces", namespace, tab)}>{namespace}</a>,
          },
          {
            name: "use",
            title: t("items.use"),
            cell: ({ isHidden }) =>
              isHidden ? <span class="dim">{t("items.hidden")}</span> : t("items.readable"),
          },
        ]}
      />
    </section>
  );
}

/** An explanation with an example as flows write it. */
export function Example({ text, code }: { readonly text: string; readonly code: string }) {
  return (
    <>
      <p>{text}</p>
      <pre class="code example" tabIndex={0}>{code}</pre>
    </>
  );
}
