/** How the types of PostgreSQL are read, by the numbers of its catalog `pg_type`. */
import type { CellKind, Column } from "../cells.ts";

/** A kind, the numbers of its types, and those of their lists. */
const KINDS: readonly (readonly [kind: CellKind, types: readonly number[], lists: readonly number[]])[] = [
  ["boolean", [16], [1000]],
  ["bytes", [17], [1001]],
  ["integer", [20, 21, 23, 26], [1016, 1005, 1007, 1028]],
  ["json", [114, 3802], [199, 3807]],
  ["float", [700, 701], [1021, 1022]],
  ["date", [1082], [1182]],
  ["timestamp", [1114], [1115]],
  ["instant", [1184], [1185]],
  ["decimal", [1700], [1231]],
  // char, name, text, bpchar, varchar, uuid, inet, cidr.
  ["text", [], [1002, 1003, 1009, 1014, 1015, 2951, 1041, 651]],
];

const BY_TYPE = new Map(
  KINDS.flatMap(([kind, types, lists]): [number, Omit<Column, "name">][] => [
    ...types.map((type): [number, Omit<Column, "name">] => [type, { kind }]),
    ...lists.map((type): [number, Omit<Column, "name">] => [type, { kind, isList: true }]),
  ]),
);

/** The column of that name and type; other types are texts. */
export function columnOf(name: string, type: number): Column {
  return { name, ...BY_TYPE.get(type) ?? { kind: "text" } };
}
