/** Filters of lists in memory, as predicates over their items. */
import type { Instant } from "../../base/time/clock.ts";
import {
  DATE_OPERATORS,
  matchesDate,
  nameTest,
  searchWords,
  SYSTEM_NAMESPACE,
} from "../../model/executions/execution_query.ts";
import type { Label } from "../../model/flows/label.ts";
import {
  type FilterFields,
  isNegated,
  oneOf,
  type RawFilter,
  readFilters,
  valuesOf,
} from "./filter_syntax.ts";
import { readDate, readName, readPairs, readScopes } from "./filter_values.ts";

/** The predicate of a single filter. @throws DomainError invalid_filter */
type ReadTest<T> = (filter: RawFilter) => (value: T) => boolean;

/**
 * The predicate of a query, with a reader for each field: all conditions outside of groups, and all conditions of at least
 * one group. @throws DomainError invalid_filter
 */
export function readPredicate<Field extends string, T>(
  query: URLSearchParams,
  fields: FilterFields<Field>,
  tests: Readonly<Record<Field, ReadTest<T>>>,
): (item: T) => boolean {
  const { all, groups } = readFilters(query, fields);
  const read = (filter: RawFilter<Field>) => tests[filter.field](filter);
  const always = all.map(read);
  const anyOf = groups.map((group) => group.map(read));
  return (item) =>
    always.every((condition) => condition(item)) &&
    (anyOf.length === 0 || anyOf.some((group) => group.every((condition) => condition(item))));
}

/** Tests a value of an item. */
export function testOf<T, V>(valueOf: (item: T) => V, read: ReadTest<V>): ReadTest<T> {
  return (filter) => {
    const test = read(filter);
    return (item) => test(valueOf(item));
  };
}

/** The text has every word, in any case; a text has all of no words: `*` matches everything. */
export const readWordTest: ReadTest<string> = (filter) => {
  const words = searchWords(filter.value).map((word) => word.toLowerCase());
  return (text) => {
    const searched = text.toLowerCase();
    return words.every((word) => searched.includes(word)) !== isNegated(filter);
  };
};

/** The namespace has flows of users, or of the system. */
export const readScopeTest: ReadTest<string> = (filter) => {
  const scopes = new Set(readScopes(filter));
  return (namespace) => scopes.has(namespace === SYSTEM_NAMESPACE ? "SYSTEM" : "USER") !== isNegated(filter);
};

/** The name matches. */
export const readNameTest: ReadTest<string> = (filter) => {
  const { operator, values } = readName(filter);
  return nameTest(operator, values);
};

/** The date matches; `undefined` matches nothing. */
export const readDateTest: ReadTest<Instant | undefined> = (filter) => {
  const operator = oneOf("operator", filter.operator, DATE_OPERATORS);
  const wanted = readDate(filter.field, filter.value);
  return (at) => at !== undefined && matchesDate(operator, wanted, at);
};

/** One of the labels matches. */
export const readLabelTest: ReadTest<readonly Label[]> = (filter) => {
  const wanted = new Map<string, Set<string>>();
  for (const { key, value } of readPairs(filter)) wanted.set(key, (wanted.get(key) ?? new Set()).add(value));
  return (labels) => labels.some(({ key, value }) => wanted.get(key)?.has(value)) !== isNegated(filter);
};

/** One of some names in capitals, which filters write in any case. */
export function readChoiceTest<T extends string>(allowed: readonly T[]): ReadTest<T> {
  return (filter) => {
    const wanted = new Set(
      valuesOf(filter).map((text) => oneOf(filter.field, text.toUpperCase(), allowed)),
    );
    return (value) => wanted.has(value) !== isNegated(filter);
  };
}
