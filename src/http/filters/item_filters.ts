/** Reads the query of lists of what has a namespace, a key and a time: flat parameters and `filters[field][OPERATOR]`. */
import { DATE_OPERATORS, NAME_OPERATORS } from "../../model/executions/execution_query.ts";
import { CHOICE, type FilterFields, type RawFilter, readPredicate } from "./filter_syntax.ts";
import { dateTest, nameTest, wordTest } from "./filter_values.ts";

/** What a filter looks at. */
interface NamedItem {
  readonly namespace: string;
  readonly name: string;
  readonly updatedAt: number;
}

/** True for an item that is wanted. */
type ItemFilter = (item: NamedItem) => boolean;

/** What items can be filtered by. */
const FIELDS = {
  q: { operators: CHOICE, flat: "EQUALS" },
  namespace: { operators: NAME_OPERATORS, flat: "PREFIX" },
  key: { operators: NAME_OPERATORS },
  updated: { operators: DATE_OPERATORS },
} satisfies FilterFields;

/** All conditions outside of groups, and all conditions of at least one group. @throws DomainError invalid_filter */
export function readItemFilter(query: URLSearchParams): ItemFilter {
  return readPredicate(query, FIELDS, conditionOf);
}

function conditionOf(filter: RawFilter<keyof typeof FIELDS>): ItemFilter {
  switch (filter.field) {
    case "q": {
      const isWanted = wordTest(filter);
      return ({ namespace, name }) => isWanted(`${namespace} ${name}`);
    }
    case "namespace": {
      const isWanted = nameTest(filter);
      return ({ namespace }) => isWanted(namespace);
    }
    case "key": {
      const isWanted = nameTest(filter);
      return ({ name }) => isWanted(name);
    }
    case "updated": {
      const isWanted = dateTest(filter);
      return ({ updatedAt }) => isWanted(updatedAt);
    }
  }
}
