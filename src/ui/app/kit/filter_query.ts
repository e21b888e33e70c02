/** Filters of lists as parameters of the API. */
import type { Query } from "../api/client.ts";
import type { FilterField } from "./filters.tsx";

/** The values of the fields in an address; fields without a value are left out. */
export function filterQuery(
  fields: readonly Pick<FilterField, "name">[],
  address: URLSearchParams,
): Query {
  const given = fields.map(({ name }) =>
    [name, address.getAll(name).filter((value) => value !== "")] as const
  );
  return Object.fromEntries(given.filter(([, values]) => values.length > 0));
}
