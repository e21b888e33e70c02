/** Pages of lists in memory. */
import { type Paging, sortFieldIn } from "../forms/params.ts";

/** One page of a list; `fields` are the sortable ones. @throws DomainError invalid_argument: another field */
export function takePage<T>(
  items: readonly T[],
  paging: Paging,
  fields: ReadonlyMap<string, (item: T) => string | number>,
): T[] {
  const sorted = [...items];
  for (const { field, descending } of [...paging.sort].reverse()) {
    const valueOf = fields.get(sortFieldIn(field, [...fields.keys()]));
    if (valueOf === undefined) continue;
    const sign = descending ? -1 : 1;
    sorted.sort((a, b) => valueOf(a) < valueOf(b) ? -sign : valueOf(a) > valueOf(b) ? sign : 0);
  }
  const start = (paging.page - 1) * paging.size;
  return sorted.slice(start, start + paging.size);
}
