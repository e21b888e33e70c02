/** Filters of lists as parameters of the API. */
import type { Query } from "../api/client.ts";
import type { FilterField } from "./filters.tsx";

/** The values of the fields in an address; fields without a value are left out. */
export function filterQuery(
  fields: readonly Pick<FilterField, "name" | "parameter">[],
  address: URLSearchParams,
): Query {
  const given = fields.map(({ name, parameter = name }) =>
    [parameter, address.getAll(name).filter((value) => value !== "")] as const
  );
  return Object.fromEntries(given.filter(([, values]) => values.length > 0));
}
