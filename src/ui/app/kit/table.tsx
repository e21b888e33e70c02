/** Tables of lists: sorting, selection, pages, and the keyboard (j, k, x, Enter, .). On small screens rows become cards. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Right } from "../../../model/access/role.ts";
import { may } from "../core/access.ts";
import { isShortcut, useKeydown } from "../core/keyboard.ts";
import { countText } from "../core/numbers.ts";
import { navigate, setQuery } from "../core/router.ts";
import { t } from "../texts/mod.ts";

/** A column of rows. */
export interface Column<Row> {
  readonly name: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Field of `sort`; absent: not sortable. */
  readonly sort?: string;
  /** Numbers and times are aligned at their end. */
  readonly isNumber?: boolean;
  /** Absent: all see it. */
  readonly right?: Right;
}

interface TableProps<Row> {
  /** For screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Address of a row, opened by Enter. */
  readonly href?: (row: Row) => string;
  /** `field:asc` or `field:desc`. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** Keys of selected rows; absent: rows cannot be selected. */
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (keys: ReadonlySet<string>) => void;
}

/** A table. Rows are selected to change them, so only those who may change something select any. */
export function Table<Row>(given: TableProps<Row>) {
  const props = {
    ...given,
    columns: given.columns.filter(({ right = "read" }) => may(right)),
    selected: may("change") ? given.selected : undefined,
  };
  const { label, rows, columns, keyOf, selected, onSelect } = props;
  const body = useKeyboard(props);
  const areAllSelected = rows.length > 0 && rows.every((row) => selected?.has(keyOf(row)));
  const selectAll = () => onSelect?.(areAllSelected ? new Set() : new Set(rows.map(keyOf)));
  return (
    <div class="table">
      <table aria-label={label}>
        <thead>
          <tr>
            {selected && (
              <th class="check">
                <input type="checkbox" aria-label={label} checked={areAllSelected} onChange={selectAll} />
              </th>
            )}
            {columns.map((column) => <HeadCell key={column.name} column={column} table={props} />)}
          </tr>
        </thead>
        <tbody ref={body}>{rows.map((row) => <TableRow key={keyOf(row)} row={row} table={props} />)}</tbody>
      </table>
    </div>
  );
}

function HeadCell<Row>({ column, table }: { readonly column: Column<Row>; readonly table: TableProps<Row> }) {
  const { name, title, sort: field, isNumber } = column;
  const { sort = "", onSort } = table;
  if (field === undefined || !onSort) return <th class={`col-${name}${isNumber ? " num" : ""}`}>{title}</th>;
  const direction = sort === `${field}:asc` ? "ascending" : sort === `${field}:desc` ? "descending" : "none";
  const next = direction === "descending" ? "asc" : "desc";
  return (
    <th class={`col-${name}${isNumber ? " num" : ""}`} aria-sort={direction}>
      <button type="button" class="plain" onClick={() => onSort(`${field}:${next}`)}>
        {title}
        <span class="arrow" aria-hidden="true">
          {direction === "ascending" ? "↑" : direction === "descending" ? "↓" : ""}
        </span>
      </button>
    </th>
  );
}

function TableRow<Row>({ row, table }: { readonly row: Row; readonly table: TableProps<Row> }) {
  const { columns, keyOf, selected, onSelect, href } = table;
  const key = keyOf(row);
  const isSelected = selected?.has(key) ?? false;
  const toggle = () => onSelect?.(toggled(selected ?? new Set(), key));
  return (
    <tr tabIndex={-1} data-href={href?.(row)} data-key={key} aria-selected={selected && isSelected}>
      {selected && (
        <td class="check">
          <input type="checkbox" aria-label={key} checked={isSelected} onChange={toggle} />
        </td>
      )}
      {columns.map(({ name, title, cell, isNumber }) => (
        <td key={name} class={`col-${name}${isNumber ? " num" : ""}`} data-title={title}>{cell(row)}</td>
      ))}
    </tr>
  );
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Moves between rows by j and k, opens one by Enter, selects it by x, goes to the actions by a full stop. */
function useKeyboard<Row>({ selected, onSelect }: TableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  useKeydown((event) => {
    if (!isShortcut(event)) return;
    const rows = [...body.current?.rows ?? []];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    if (event.key === "j") rows[Math.min(at + 1, rows.length - 1)]?.focus();
    else if (event.key === "k") rows[Math.max(at - 1, 0)]?.focus();
    else if (event.key === "Enter" && rows[at]?.dataset.href && rows[at] === document.activeElement) {
      navigate(rows[at].dataset.href);
    } else if (event.key === "x" && rows[at] && selected) {
      onSelect?.(toggled(selected, rows[at].dataset.key ?? ""));
    } else if (event.key === "." && selected) {
      if (selected.size === 0 && rows[at]) onSelect?.(new Set([rows[at].dataset.key ?? ""]));
      focusActions();
    } else return;
    event.preventDefault();
  });
  return body;
}

/** Goes to the bar of actions, which is drawn after the selection has changed. */
function focusActions(): void {
  setTimeout(() => document.querySelector<HTMLElement>("main .bulk button")?.focus());
}

interface PagerProps {
  readonly page: number;
  readonly size: number;
  /** Rows of the page. */
  readonly shown: number;
  readonly total: number;
  /** Absent: the page is the parameter `page` of the address. */
  readonly onPage?: (page: number) => void;
}

/** Buttons between pages, and the number of all rows. From a page after the last one it goes to the last one. */
export function Pager({ page, size, shown, total, onPage }: PagerProps) {
  const pages = Math.max(1, Math.ceil(total / size));
  const goTo = onPage ?? ((next: number) => setQuery({ page: String(next) }));
  // With rows the list may be that of the page before, which stays while the next one is loaded.
  const isBeyond = shown === 0 && page > pages;
  useEffect(() => {
    if (isBeyond) goTo(pages);
  }, [isBeyond, pages]);
  return (
    <nav class="pager" aria-label={t("common.page", { page, pages })}>
      <span class="dim">{t("common.total", { count: countText(total) })}</span>
      <button
        type="button"
        disabled={page <= 1}
        aria-label={t("common.previous")}
        onClick={() => goTo(page - 1)}
      >
        ‹
      </button>
      <span>{t("common.page", { page, pages })}</span>
      <button
        type="button"
        disabled={page >= pages}
        aria-label={t("common.next")}
        onClick={() => goTo(page + 1)}
      >
        ›
      </button>
    </nav>
  );
}
