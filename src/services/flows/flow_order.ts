/** The order of lists of flows. */
import { DomainError } from "../../model/errors.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";

/** One criterion of an order. */
export interface FlowSortKey {
  readonly field: string;
  readonly descending: boolean;
}

type HeadField = (head: FlowHead) => string | number;

const SORT_FIELDS: ReadonlyMap<string, HeadField> = new Map<string, HeadField>([
  ["id", (head) => head.id],
  ["namespace", (head) => head.namespace],
  ["revision", (head) => head.revision],
]);

/** Sorts the heads in place. @throws DomainError invalid_argument: they have no such field */
export function sortHeads(heads: FlowHead[], sort: readonly FlowSortKey[]): FlowHead[] {
  const keys = sort.map(({ field, descending }) => {
    const read = SORT_FIELDS.get(field);
    if (read) return { read, sign: descending ? -1 : 1 };
    const known = [...SORT_FIELDS.keys()].join(", ");
    throw new DomainError(
      "invalid_argument",
      `Invalid sort parameter: flows have no field "${field}"; known are ${known}`,
    );
  });
  return heads.sort((a, b) => {
    for (const { read, sign } of keys) {
      const [x, y] = [read(a), read(b)];
      if (x !== y) return x < y ? -sign : sign;
    }
    return 0;
  });
}
