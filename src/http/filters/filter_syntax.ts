/** The `filters[field][OPERATOR]` syntax of lists, whatever they list: parameters → raw conditions, and the refusals. */
import { DomainError } from "../../model/errors.ts";
import type { DateOperator, NameOperator } from "../../model/executions/execution_query.ts";

/** Every operator of the syntax; a field allows some of them. */
type FilterOperator = DateOperator | NameOperator;

/** Operators of a field that is one of some values. */
export const CHOICE = ["EQUALS", "NOT_EQUALS"] as const;
/** Operators of a field that may also be one of several values. */
export const CHOICES = [...CHOICE, "IN", "NOT_IN"] as const;

/** One parameter, its field and operator checked. */
export interface RawFilter<Field extends string = string> {
  readonly field: Field;
  /** As the request calls the field; as it is called here when absent. */
  readonly name?: string;
  readonly operator: FilterOperator;
  /** The third bracket: the key of a label. */
  readonly key: string | undefined;
  /** Never empty. */
  readonly value: string;
}

/** All filters of a request. */
interface RawFilters<Field extends string = string> {
  /** Those outside of groups: flat parameters first. */
  readonly all: readonly RawFilter<Field>[];
  /** Of `filters[or][0]`, `filters[or][1]`, … in the order of their numbers; one with groups of its own is one for each of these. */
  readonly groups: readonly (readonly RawFilter<Field>[])[];
}

/** What a field of a list allows. */
interface FilterField {
  readonly operators: readonly FilterOperator[];
  /**
   * What the parameter of the field's own name stands for; there is none where absent. Where it is IN, its values make one list
   * when it is repeated.
   */
  readonly flat?: FilterOperator;
  /** Another name of that parameter. */
  readonly flatAlias?: string;
}

/** Fields of a list by name. */
export type FilterFields<Field extends string = string> = Readonly<Record<Field, FilterField>>;

const MAX_FILTERS = 100;
const MAX_VALUE_LENGTH = 10_000;
const MAX_VALUES = 1_000;
const PARAMETER = /^filters((?:\[[oO][rR]\]\[\d{1,3}\]){0,3})\[([^\[\]]*)\]\[([^\[\]]*)\](?:\[(.*)\])?$/s;
const IN_BRACKETS = /^\s*\[(.*)\]\s*$/s;

/** The filters among the parameters of a query, flat or not. @throws DomainError invalid_filter */
export function readFilters<Field extends string>(
  query: URLSearchParams,
  fields: FilterFields<Field>,
): RawFilters<Field> {
  const all = namesOf(fields).flatMap((field) => readFlat(query, field, fields[field]));
  const root: Branch<Field> = { filters: all, branches: new Map() };
  let count = 0;
  for (const [name, value] of query) {
    if (!name.startsWith("filters[")) continue;
    if (++count > MAX_FILTERS) refuse(`Invalid filter: at most ${MAX_FILTERS} filters are allowed`);
    const { path, filter } = readFilter(name, value, fields);
    path.reduce(branchOf, root).filters.push(filter);
  }
  return { all, groups: groupsBelow(root) };
}

/** Filters that all hold, and of its branches one. */
interface Branch<Field extends string> {
  readonly filters: RawFilter<Field>[];
  readonly branches: Map<number, Branch<Field>>;
}

function branchOf<Field extends string>({ branches }: Branch<Field>, index: number): Branch<Field> {
  const branch = branches.get(index) ?? { filters: [], branches: new Map() };
  branches.set(index, branch);
  return branch;
}

function groupsBelow<Field extends string>({ branches }: Branch<Field>): RawFilter<Field>[][] {
  const ordered = [...branches].sort(([a], [b]) => a - b).map(([, branch]) => branch);
  return ordered.flatMap((branch) => {
    const below = groupsBelow(branch);
    return below.length === 0 ? [branch.filters] : below.map((group) => [...branch.filters, ...group]);
  });
}

/**
 * A test for things in memory, made of what a single filter means: all conditions outside of groups hold, and all conditions of
 * at least one group. @throws DomainError invalid_filter
 */
export function readPredicate<Field extends string, T>(
  query: URLSearchParams,
  fields: FilterFields<Field>,
  conditionOf: (filter: RawFilter<Field>) => (item: T) => boolean,
): (item: T) => boolean {
  const { all, groups } = readFilters(query, fields);
  const always = all.map(conditionOf);
  const anyOf = groups.map((group) => group.map(conditionOf));
  return (item) =>
    always.every((condition) => condition(item)) &&
    (anyOf.length === 0 || anyOf.some((group) => group.every((condition) => condition(item))));
}

/** The values of a list, which may stand in brackets, whatever the operator. @throws DomainError invalid_filter */
export function listOf({ field, value }: RawFilter): string[] {
  const values = value.replace(IN_BRACKETS, "$1").split(",").map((text) => text.trim()).filter((text) =>
    text !== ""
  );
  if (values.length === 0 || values.length > MAX_VALUES) {
    refuse(`Invalid filter: "${field}" must have 1 to ${MAX_VALUES} values, but has ${values.length}`);
  }
  return values;
}

/** Whether the value of a filter with that operator is a list. */
export function isList(operator: FilterOperator): boolean {
  return operator === "IN" || operator === "NOT_IN";
}

/** Whether what the values describe is not wanted. */
export function isNegated({ operator }: RawFilter): boolean {
  return operator === "NOT_EQUALS" || operator === "NOT_IN";
}

/** The one value, or those of a list. @throws DomainError invalid_filter */
export function valuesOf(filter: RawFilter): string[] {
  return isList(filter.operator) ? listOf(filter) : [filter.value];
}

/** One of some names, compared exactly. @throws DomainError invalid_filter */
export function oneOf<T extends string>(field: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((name) => name === text);
  return found ??
    refuse(`Invalid filter: "${field}" must be one of ${quoteList(allowed)}, but is "${shorten(text)}"`);
}

/** @throws DomainError invalid_filter, always */
export function refuse(message: string): never {
  throw new DomainError("invalid_filter", message);
}

/** A value as a message shows it. */
export function shorten(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}

function namesOf<Field extends string>(fields: FilterFields<Field>): Field[] {
  return Object.keys(fields) as Field[];
}

function readFlat<Field extends string>(
  query: URLSearchParams,
  field: Field,
  { flat: operator, flatAlias }: FilterField,
): RawFilter<Field>[] {
  if (operator === undefined) return [];
  return [field, ...flatAlias === undefined ? [] : [flatAlias]].flatMap((name) => {
    const values = query.getAll(name).filter((value) => value.trim() !== "");
    const asked = operator === "IN" && values.length > 0 ? [values.join(",")] : values;
    return asked.map((value) => ({ field, name, operator, key: undefined, value }));
  });
}

function readFilter<Field extends string>(name: string, value: string, fields: FilterFields<Field>) {
  const match = PARAMETER.exec(name);
  if (!match) {
    refuse(`Invalid filter: "${shorten(name)}" must be of the form "filters[field][OPERATOR]"`);
  }
  const [, groups = "", fieldText = "", operatorText = "", key] = match;
  const field = oneOf("field", fieldText, namesOf(fields));
  const allowed = fields[field].operators;
  const operator = allowed.find((candidate) => candidate === operatorText);
  if (!operator) {
    refuse(
      `Invalid filter: "${field}" has no operator "${shorten(operatorText)}": allowed are ${
        quoteList(allowed)
      }`,
    );
  }
  if (value.length > MAX_VALUE_LENGTH) refuse(`Invalid filter: the value of "${field}" is too long`);
  if (value.trim() === "" && field !== "q") refuse(`Invalid filter: the value of "${field}" is empty`);
  const filter: RawFilter<Field> = { field, operator, key, value };
  return { path: [...groups.matchAll(/\d+/g)].map(([index]) => Number(index)), filter };
}

function quoteList(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
