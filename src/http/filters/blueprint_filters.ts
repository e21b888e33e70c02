/** Reads the query of lists of blueprints: flat parameters and `filters[field][OPERATOR]`. */
import { readPredicate, readWordTest, testOf } from "./filter_predicates.ts";
import { CHOICE, CHOICES, type FilterFields, isNegated, type RawFilter, valuesOf } from "./filter_syntax.ts";

interface SearchedBlueprint {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly types: readonly string[];
}

const FIELDS = {
  q: { operators: CHOICE, flat: "EQUALS" },
  tags: { operators: CHOICES, flat: "IN" },
} satisfies FilterFields;

const TESTS = {
  q: testOf(
    ({ id, title, description, types }: SearchedBlueprint) => [id, title, description, ...types].join(" "),
    readWordTest,
  ),
  tags: testOf(({ tags }: SearchedBlueprint) => tags, readTagTest),
};

/** One of the tags. */
function readTagTest(filter: RawFilter): (tags: readonly string[]) => boolean {
  const wanted = new Set(valuesOf(filter));
  return (tags) => tags.some((tag) => wanted.has(tag)) !== isNegated(filter);
}

/** All conditions of a query. @throws DomainError invalid_filter */
export function readBlueprintFilter(query: URLSearchParams): (blueprint: SearchedBlueprint) => boolean {
  return readPredicate(query, FIELDS, TESTS);
}
