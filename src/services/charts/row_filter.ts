/** Filters of charts as predicates over rows. */
import { DomainError } from "../../model/errors.ts";
import { ExpressionError } from "../../languages/values/mod.ts";
import { type Budget, Regex, untimedBudget } from "../../languages/regex/mod.ts";
import type { ChartFilter, ChartValue, FieldFilter } from "./chart.ts";

/** Reads the value of a field of one row. */
export type RowReader = (field: string, labelKey?: string) => ChartValue;

/** True if the row passes. */
type RowTest = (row: RowReader) => boolean;

/** The same for one filter; all filters of a row share the budget of its patterns. */
type FilterTest = (row: RowReader, budget: Budget) => boolean;

/** The predicate of filters that must all match. */
export function rowTest(filters: readonly ChartFilter[]): RowTest {
  const tests = filters.map(testOf);
  return (row) => {
    const budget = untimedBudget();
    return tests.every((test) => test(row, budget));
  };
}

function testOf(filter: ChartFilter): FilterTest {
  if (filter.type === "OR") {
    const tests = filter.anyOf.map(testOf);
    return (row, budget) => tests.some((test) => test(row, budget));
  }
  const { field, labelKey } = filter;
  const test = valueTest(filter);
  return (row, budget) => test(row(field, labelKey), budget);
}

/** The value, and the budget of patterns. */
type ValueTest = (value: ChartValue, budget: Budget) => boolean;

/** The predicate over the value of the field. A missing value is different from every value, and in no order with it. */
export function valueTest({ type, values }: FieldFilter): ValueTest {
  const [wanted = ""] = values;
  switch (type) {
    case "EQUAL_TO":
    case "IN":
      return (value) => value !== undefined && values.includes(value);
    case "NOT_EQUAL_TO":
    case "NOT_IN":
      return (value) => value === undefined || !values.includes(value);
    case "GREATER_THAN":
      return (value) => value !== undefined && value > wanted;
    case "GREATER_THAN_OR_EQUAL_TO":
      return (value) => value !== undefined && value >= wanted;
    case "LESS_THAN":
      return (value) => value !== undefined && value < wanted;
    case "LESS_THAN_OR_EQUAL_TO":
      return (value) => value !== undefined && value <= wanted;
    case "IS_NULL":
      return (value) => value === undefined;
    case "IS_NOT_NULL":
      return (value) => value !== undefined;
    case "NOT_CONTAINS":
      return (value) => !String(value ?? "").includes(String(wanted));
    default:
      return textTest(type, String(wanted));
  }
}

function textTest(
  type: "CONTAINS" | "STARTS_WITH" | "ENDS_WITH" | "PREFIX" | "REGEX",
  wanted: string,
): ValueTest {
  const test: TextTest = TEXT_TESTS[type](wanted);
  return (value, budget) => value !== undefined && test(String(value), budget);
}

type TextTest = (text: string, budget: Budget) => boolean;

const TEXT_TESTS = {
  CONTAINS: (wanted: string) => (text: string) => text.includes(wanted),
  STARTS_WITH: (wanted: string) => (text: string) => text.startsWith(wanted),
  ENDS_WITH: (wanted: string) => (text: string) => text.endsWith(wanted),
  PREFIX: (wanted: string) => (text: string) => text === wanted || text.startsWith(`${wanted}.`),
  REGEX: patternTest,
} satisfies Record<string, (wanted: string) => TextTest>;

/** The pattern may match a part of the text. */
function patternTest(pattern: string): TextTest {
  const regex = new Regex(pattern);
  return (text, budget) => {
    try {
      return regex.find(text, 0, budget) !== undefined;
    } catch (cause) {
      if (!(cause instanceof ExpressionError)) throw cause;
      const reason = `the regular expression "${pattern.slice(0, 100)}" takes too long: ${cause.message}`;
      throw new DomainError("invalid_argument", `Cannot filter the data of the chart: ${reason}`, { cause });
    }
  };
}
