/** The `filters[field][OPERATOR]` syntax of all lists: reads query parameters as raw filters, or refuses them. */
import { DomainError } from "../../model/errors.ts";
import {
  DATE_OPERATORS,
  type DateOperator,
  NAME_OPERATORS,
  type NameOperator,
  searchWords,
} from "../../model/executions/execution_query.ts";

/** Every operator of the syntax; a field allows some of them. */
type FilterOperator = DateOperator | NameOperator;

/** Operators of a field with a fixed set of values. */
export const CHOICE = ["EQUALS", "NOT_EQUALS"] as const;
/** The same, and with lists of values. */
export const CHOICES = [...CHOICE, "IN", "NOT_IN"] as const;

/** One parameter with a valid field and operator. */
export interface RawFilter<Field extends string = string> {
  readonly field: Field;
  /** Name of the flat parameter; absent for `filters[…]`. */
  readonly name?: string;
  readonly operator: FilterOperator;
  /** The third bracket: the key of a label. */
  readonly key: string | undefined;
  /** Never empty. */
  readonly value: string;
}

/** All filters of a request. */
interface RawFilters<Field extends string = string> {
  /** Outside of groups, flat parameters first. */
  readonly all: readonly RawFilter<Field>[];
  /** Of `filters[or][0]`, `filters[or][1]`, … in numeric order; a group with nested groups yields one for each of them. */
  readonly groups: readonly (readonly RawFilter<Field>[])[];
}

/** How a field can be filtered. */
interface FilterField {
  readonly operators: readonly FilterOperator[];
  /** Operator of the flat parameter; absent: there is no flat parameter. With IN, repeated values form one list. */
  readonly flat?: FilterOperator;
  /** Second name of the flat parameter. */
  readonly flatAlias?: string;
}

/** Fields of a list by name. */
export type FilterFields<Field extends string = string> = Readonly<Record<Field, FilterField>>;

/** Fields of lists of flows, executions, log lines and triggers. */
export const FLOW_FIELDS = {
  q: { operators: CHOICE, flat: "EQUALS" },
  scope: { operators: CHOICES, flat: "IN" },
  namespace: { operators: NAME_OPERATORS, flat: "PREFIX" },
  flowId: { operators: NAME_OPERATORS, flat: "EQUALS" },
} satisfies FilterFields;

/** Fields of lists of dated items. */
export const DATE_FIELDS = {
  startDate: { operators: DATE_OPERATORS, flat: "GREATER_THAN_OR_EQUAL_TO" },
  endDate: { operators: DATE_OPERATORS, flat: "LESS_THAN_OR_EQUAL_TO" },
} satisfies FilterFields;

const MAX_FILTERS = 100;
/** Each may take half a millisecond for a name. */
const MAX_PATTERNS = 10;
const MAX_VALUE_LENGTH = 10_000;
const MAX_VALUES = 1_000;
/** Each word is searched in every item of the list. */
const MAX_SEARCH_WORDS = 20;
const PARAMETER = /^filters((?:\[[oO][rR]\]\[\d{1,3}\]){0,3})\[([^\[\]]*)\]\[([^\[\]]*)\](?:\[(.*)\])?$/s;
const IN_BRACKETS = /^\s*\[(.*)\]\s*$/s;

/** All filters of a query. @throws DomainError invalid_filter */
export function readFilters<Field extends string>(
  query: URLSearchParams,
  fields: FilterFields<Field>,
): RawFilters<Field> {
  const all = namesOf(fields).flatMap((field) => readFlat(query, field, fields[field]));
  const given = [...query].filter(([name]) => name.startsWith("filters["));
  if (all.length + given.length > MAX_FILTERS) {
    refuse(`Invalid filter: at most ${MAX_FILTERS} filters are allowed`);
  }
  const root: Branch<Field> = { filters: all, branches: new Map() };
  const grouped = given.map(([name, value]) => readFilter(name, value, fields));
  const filters = [...all, ...grouped.map(({ filter }) => filter)];
  checkWords(filters);
  if (filters.filter(({ operator }) => operator === "REGEX").length > MAX_PATTERNS) {
    refuse(`Invalid filter: at most ${MAX_PATTERNS} filters with "REGEX" are allowed; "|" joins patterns`);
  }
  for (const { path, filter } of grouped) path.reduce(branchOf, root).filters.push(filter);
  return { all, groups: groupsBelow(root) };
}

/** @throws DomainError invalid_filter: too many words to search */
function checkWords(filters: readonly RawFilter[]): void {
  const words = new Set<string>();
  for (const { field, value } of filters) {
    if (field !== "q") continue;
    for (const word of searchWords(value)) words.add(word);
  }
  if (words.size > MAX_SEARCH_WORDS) {
    refuse(`Invalid filter: all "q" together have more than ${MAX_SEARCH_WORDS} different words`);
  }
}

/** A conjunction: all filters, and one of the branches. */
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

/** The values of a list, with or without brackets, for any operator. @throws DomainError invalid_filter */
export function listOf({ field, value }: RawFilter): string[] {
  const values = value.replace(IN_BRACKETS, "$1").split(",").map((text) => text.trim()).filter((text) =>
    text !== ""
  );
  if (values.length === 0 || values.length > MAX_VALUES) {
    refuse(`Invalid filter: "${field}" must have 1 to ${MAX_VALUES} values, but has ${values.length}`);
  }
  return values;
}

/** Whether that operator takes a list. */
export function isList(operator: FilterOperator): boolean {
  return operator === "IN" || operator === "NOT_IN";
}

/** Whether matching items are excluded. */
export function isNegated({ operator }: RawFilter): boolean {
  return operator === "NOT_EQUALS" || operator === "NOT_IN";
}

/** The single value, or the values of a list. @throws DomainError invalid_filter */
export function valuesOf(filter: RawFilter): string[] {
  return isList(filter.operator) ? listOf(filter) : [filter.value];
}

/** One of the allowed names, compared exactly. @throws DomainError invalid_filter */
export function oneOf<T extends string>(field: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((name) => name === text);
  return found ??
    refuse(`Invalid filter: "${field}" must be one of ${quoteList(allowed)}, but is "${shorten(text)}"`);
}

/** @throws DomainError invalid_filter, always */
export function refuse(message: string): never {
  throw new DomainError("invalid_filter", message);
}

/** At most 100 characters of a value, for messages. */
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
    const flat = operator === "IN" && values.length > 0 ? [values.join(",")] : values;
    for (const value of values) checkLength(name, value);
    return flat.map((value) => ({ field, name, operator, key: undefined, value }));
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
  checkLength(field, value);
  if (value.trim() === "" && field !== "q") refuse(`Invalid filter: the value of "${field}" is empty`);
  const filter: RawFilter<Field> = { field, operator, key, value };
  return { path: [...groups.matchAll(/\d+/g)].map(([index]) => Number(index)), filter };
}

function checkLength(name: string, value: string): void {
  if (value.length > MAX_VALUE_LENGTH) refuse(`Invalid filter: the value of "${name}" is too long`);
}

function quoteList(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
