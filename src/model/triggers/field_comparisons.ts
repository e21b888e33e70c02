/** How filters of preconditions compare a field of an execution. */
import { isTruthyText } from "../../base/text/truthy_text.ts";
import { type Budget, Regex, untimedBudget } from "../../languages/regex/mod.ts";

interface Wanted {
  readonly value: string;
  readonly values: readonly string[];
}

/** `REGEX` spends of the budget. */
type Comparison = (text: string, wanted: Wanted, budget?: Budget) => boolean;

/** Ways to compare, by name. */
export const FIELD_COMPARISONS: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ["EQUAL_TO", (text, { value }) => text === value],
  ["NOT_EQUAL_TO", (text, { value }) => text !== value],
  ["IN", (text, { values }) => values.includes(text)],
  ["NOT_IN", (text, { values }) => !values.includes(text)],
  ["IS_TRUE", (text) => isTruthyText(text)],
  ["IS_FALSE", (text) => !isTruthyText(text)],
  ["IS_NULL", (text) => text === ""],
  ["IS_NOT_NULL", (text) => text !== ""],
  ["STARTS_WITH", (text, { value }) => text.startsWith(value)],
  ["ENDS_WITH", (text, { value }) => text.endsWith(value)],
  ["REGEX", (text, { value }, budget) => matches(value, text, budget)],
  ["CONTAINS", (text, { value }) => text.includes(value)],
]);

/** True when the pattern matches the whole text. @throws Error the pattern is invalid or takes too long */
function matches(pattern: string, text: string, budget = untimedBudget()): boolean {
  return new Regex(`\\A(?:${pattern})\\z`).find(text, 0, budget) !== undefined;
}
