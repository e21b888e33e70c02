/** Parts that the lists of KV pairs and secrets share. */
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { get, type Page } from "../../api/client.ts";
import { pageIn } from "../../core/page_number.ts";
import { pagePath } from "../../core/places.ts";
import type { Resource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { Field } from "../../kit/form.tsx";
import { type Column, Pager, Table } from "../../kit/table.tsx";
import { t } from "../../texts/mod.ts";

/** Rows of a page. */
export const ITEMS_PER_PAGE = 50;

/**
 * True if a namespace has an item of that key itself. Saving a new one would replace it: the API, where a script sets a value
 * whether or not there is one, has no condition for that.
 */
export async function hasItem(
  path: string,
  { namespace, key }: { readonly namespace: string; readonly key: string },
): Promise<boolean> {
  const wanted = { "filters[namespace][EQUALS]": namespace, "filters[key][EQUALS]": key };
  const { results } = await get<Page<{ readonly namespace?: string; readonly key: string }>>(path, wanted);
  return results.some((each) => each.namespace === namespace && each.key === key);
}

interface KeyFieldProps {
  readonly title: string;
  readonly hint?: string;
  readonly pattern?: string;
  readonly value: Signal<string>;
  /** A key that was refused because it exists. */
  readonly taken: Signal<string | undefined>;
}

/** The field of the key of a new item. With a key that exists it gets the focus, and is marked until it is changed. */
export function KeyField({ title, hint, pattern, value, taken }: KeyFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const isTaken = value.value.trim() === taken.value;
  // Before the next frame: what is typed after the refusal is for this field.
  useLayoutEffect(() => {
    if (isTaken) input.current?.focus();
  }, [isTaken]);
  return (
    <Field title={title} hint={hint}>
      <input
        ref={input}
        required
        pattern={pattern}
        aria-invalid={isTaken}
        value={value.value}
        onInput={(event) => value.value = event.currentTarget.value}
      />
    </Field>
  );
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
            <Pager page={pageIn(query.value)} size={ITEMS_PER_PAGE} shown={results.length} total={total} />
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
