/** Reads the query of lists of KV pairs and secrets: flat parameters and `filters[field][OPERATOR]`, which may be mixed. */
import { DATE_OPERATORS, NAME_OPERATORS } from "../../model/executions/execution_query.ts";
import { readDateTest, readNameTest, readPredicate, readWordTest, testOf } from "./filter_predicates.ts";
import { CHOICE, type FilterFields } from "./filter_syntax.ts";

/** A KV pair or a secret. */
interface NamedItem {
  readonly namespace: string;
  readonly name: string;
  readonly updatedAt: number;
}

const FIELDS = {
  q: { operators: CHOICE, flat: "EQUALS" },
  namespace: { operators: NAME_OPERATORS, flat: "PREFIX" },
  key: { operators: NAME_OPERATORS },
  updated: { operators: DATE_OPERATORS },
} satisfies FilterFields;

const TESTS = {
  q: testOf(({ namespace, name }: NamedItem) => `${namespace} ${name}`, readWordTest),
  namespace: testOf(({ namespace }: NamedItem) => namespace, readNameTest),
  key: testOf(({ name }: NamedItem) => name, readNameTest),
  updated: testOf(({ updatedAt }: NamedItem) => updatedAt, readDateTest),
};

/** All conditions outside of groups, and all conditions of at least one group. @throws DomainError invalid_filter */
export function readItemFilter(query: URLSearchParams): (item: NamedItem) => boolean {
  return readPredicate(query, FIELDS, TESTS);
}
