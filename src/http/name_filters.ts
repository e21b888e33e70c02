/** Filters of lists whose items have a namespace, a name and a time: flat parameters, and `filters[field][OPERATOR]=value`. */
import { DomainError } from "../model/errors.ts";
import { DATE_OPERATORS, matchesDate, matchesName, NAME_OPERATORS } from "../model/execution_query.ts";
import { normalizeTimestamp } from "../model/timestamp_text.ts";
import { isList } from "./filter_syntax.ts";
import type { Paging } from "./params.ts";

/** What a filter looks at. */
export interface NamedItem {
  readonly namespace: string;
  readonly name: string;
  readonly updatedAt: number;
}

/** True for an item that is wanted. */
export type ItemFilter = (item: NamedItem) => boolean;

/** A pattern is not looked for here. */
const TEXT_OPERATORS = NAME_OPERATORS.filter((operator) => operator !== "REGEX");

/** All filters of a query, joined by AND; flat `namespace` means that one and those below. @throws DomainError invalid_filter */
export function readItemFilter(query: URLSearchParams): ItemFilter {
  const filters: ItemFilter[] = [];
  for (const [name, value] of query) {
    if (name === "q") filters.push(textSearch(value));
    if (name === "namespace" && value !== "") {
      filters.push((item) => matchesName("PREFIX", [value], item.namespace));
    }
    const [, field, operator] = /^filters\[([^\]]*)\]\[([^\]]*)\]$/.exec(name) ?? [];
    if (field !== undefined && operator !== undefined) filters.push(fieldFilter(field, operator, value));
    else if (name.startsWith("filters[")) throw refusal(`filter "${name.slice(0, 100)}" cannot be read`);
  }
  return (item) => filters.every((filter) => filter(item));
}

/** One page of a list; `fields` are those it can be sorted by. @throws DomainError invalid_argument: another field */
export function takePage<T>(
  items: readonly T[],
  paging: Paging,
  fields: ReadonlyMap<string, (item: T) => string | number>,
): T[] {
  const sorted = [...items];
  for (const { field, descending } of [...paging.sort].reverse()) {
    const valueOf = fields.get(field);
    if (valueOf === undefined) {
      const known = [...fields.keys()].join(", ");
      throw new DomainError(
        "invalid_argument",
        `Invalid sort parameter: "${field.slice(0, 100)}" is none of ${known}`,
      );
    }
    const sign = descending ? -1 : 1;
    sorted.sort((a, b) => valueOf(a) < valueOf(b) ? -sign : valueOf(a) > valueOf(b) ? sign : 0);
  }
  const start = (paging.page - 1) * paging.size;
  return sorted.slice(start, start + paging.size);
}

function fieldFilter(field: string, operator: string, wanted: string): ItemFilter {
  if (field === "q") return textSearch(wanted);
  if (field === "updated") return timeFilter(operator, wanted);
  const known = TEXT_OPERATORS.find((candidate) => candidate === operator);
  if (field !== "namespace" && field !== "key") throw refusal(`cannot filter by "${field.slice(0, 100)}"`);
  if (known === undefined) throw refusal(`"${field}" has no operator "${operator.slice(0, 100)}"`);
  const values = isList(known) ? wanted.split(",") : [wanted];
  return (item) => matchesName(known, values, field === "key" ? item.name : item.namespace);
}

function timeFilter(operator: string, wanted: string): ItemFilter {
  const known = DATE_OPERATORS.find((candidate) => candidate === operator);
  const normal = normalizeTimestamp(wanted);
  if (known === undefined) throw refusal(`"updated" has no operator "${operator.slice(0, 100)}"`);
  if (normal === undefined) {
    throw refusal(`"${wanted.slice(0, 100)}" is no time such as "2026-01-31T08:15:30Z"`);
  }
  const instant = Date.parse(normal);
  return (item) => matchesDate(known, instant, item.updatedAt);
}

/** Every word occurs, in whatever case, in namespace or name; `*` stands for all. */
function textSearch(text: string): ItemFilter {
  const words = text.toLowerCase().split(/[\s\p{P}]+/u).filter((word) => word !== "");
  return ({ namespace, name }) => {
    const searched = `${namespace} ${name}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  };
}

function refusal(reason: string): DomainError {
  return new DomainError("invalid_filter", `Invalid filter: ${reason}`);
}
