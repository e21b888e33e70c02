/** Pages of lists in memory. */
import { type Paging, sortFieldIn } from "../forms/params.ts";

/** One page of a list; `fields` are the sortable ones. @throws DomainError invalid_argument: another field */
export function takePage<T>(
  items: readonly T[],
  paging: Paging,
  fields: ReadonlyMap<string, (item: T) => string | number>,
): T[] {
  const criteria = paging.sort.flatMap(({ field, descending }) => {
    const valueOf = fields.get(sortFieldIn(field, [...fields.keys()]));
    return valueOf ? [{ valueOf, sign: descending ? -1 : 1 }] : [];
  });
  const sorted = items.toSorted((a, b) => {
    for (const { valueOf, sign } of criteria) {
      const left = valueOf(a), right = valueOf(b);
      if (left !== right) return left < right ? -sign : sign;
    }
    return 0;
  });
  const start = (paging.page - 1) * paging.size;
  return sorted.slice(start, start + paging.size);
}
