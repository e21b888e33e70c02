/** Pages of lists that are in memory. */
import { DomainError } from "../../model/errors.ts";
import type { Paging } from "../forms/params.ts";

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
