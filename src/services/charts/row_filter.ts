/** Filters of charts as predicates over rows. */
import { DomainError } from "../../model/errors.ts";
import { DEFAULT_LIMITS, ExpressionError } from "../../languages/values/mod.ts";
import { Regex } from "../../languages/regex/mod.ts";
import type { ChartFilter, ChartValue, FieldFilter } from "./chart.ts";

/** Reads the value of a field of one row. */
export type RowReader = (field: string, labelKey?: string) => ChartValue;

/** True if the row passes. */
type RowTest = (row: RowReader) => boolean;

/** The predicate of filters that must all match. */
export function rowTest(filters: readonly ChartFilter[]): RowTest {
  const tests = filters.map(testOf);
  return (row) => tests.every((test) => test(row));
}

function testOf(filter: ChartFilter): RowTest {
  if (filter.type === "OR") {
    const tests = filter.anyOf.map(testOf);
    return (row) => tests.some((test) => test(row));
  }
  const { field, labelKey } = filter;
  const test = valueTest(filter);
  return (row) => test(row(field, labelKey));
}

/** The predicate over the value of the field. A missing value is different from every value, and in no order with it. */
export function valueTest({ type, values }: FieldFilter): (value: ChartValue) => boolean {
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
): (value: ChartValue) => boolean {
  const test = TEXT_TESTS[type](wanted);
  return (value) => value !== undefined && test(String(value));
}

const TEXT_TESTS = {
  CONTAINS: (wanted: string) => (text: string) => text.includes(wanted),
  STARTS_WITH: (wanted: string) => (text: string) => text.startsWith(wanted),
  ENDS_WITH: (wanted: string) => (text: string) => text.endsWith(wanted),
  PREFIX: (wanted: string) => (text: string) => text === wanted || text.startsWith(`${wanted}.`),
  REGEX: patternTest,
};

/** The pattern may match a part of the text. */
function patternTest(pattern: string): (text: string) => boolean {
  const regex = new Regex(pattern);
  return (text) => {
    try {
      return regex.find(text, 0, { moves: DEFAULT_LIMITS.maxRegexMoves, maxLength: 0 }) !== undefined;
    } catch (cause) {
      if (!(cause instanceof ExpressionError)) throw cause;
      const reason = `the regular expression "${pattern.slice(0, 100)}" takes too long: ${cause.message}`;
      throw new DomainError("invalid_argument", `Cannot filter the data of the chart: ${reason}`, { cause });
    }
  };
}
