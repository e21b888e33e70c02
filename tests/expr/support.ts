/** Scopes and row runners of the expression tests. */
import { assertEquals, assertThrows } from "@std/assert";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from "../../src/base/json.ts";
import {
  compileTemplate,
  ExpressionError,
  type ExpressionErrorCode,
  renderText,
  renderValue,
  type Scope,
} from "../../src/expr/mod.ts";

/** 2024-05-06T07:08:09.123Z. */
const NOW = 1_714_979_289_123;

/** A scope over `variables`; `random` counts up through [0, 1). */
export function scopeOf(variables: JsonObject = {}, changes: Partial<Scope> = {}): Scope {
  let draws = 0;
  return {
    variable: (name) => Object.hasOwn(variables, name) ? variables[name] : undefined,
    functions: new Map(),
    now: NOW,
    timeZone: "UTC",
    // The variables of these tests are those of the author.
    authored: variables,
    random: () => (draws++ * 0.618033988749895) % 1,
    ...changes,
  };
}

/** Plain data, or JSON text, as the language has it: decimals are of their own kind. */
export function kinded(data: unknown): JsonObject {
  const value = parseJson(typeof data === "string" ? data : stringifyJson(data));
  return isJsonObject(value) ? value : {};
}

/** Renders a template over variables. */
export function renderRow(template: string, variables: JsonObject = {}): string {
  return renderText(compileTemplate(template), scopeOf(variables));
}

/** Evaluates a template over variables. */
export function evaluateRow(template: string, variables: JsonObject = {}): JsonValue {
  return renderValue(compileTemplate(template), scopeOf(variables));
}

/** A template and the text it renders to. */
export type Row = readonly [template: string, expected: string];

/** A template and the code of its error. */
export type ErrorRow = readonly [template: string, code: ExpressionErrorCode];

/** One test a row. */
export function testRows(topic: string, rows: readonly Row[], data: unknown = {}): void {
  const variables = kinded(data);
  for (const [template, expected] of rows) {
    Deno.test(`renderText() ${topic}: ${template} => ${JSON.stringify(expected)}`, () => {
      assertEquals(renderRow(template, variables), expected);
    });
  }
}

/** One test a row. */
export function testErrors(topic: string, rows: readonly ErrorRow[], data: unknown = {}): void {
  const variables = kinded(data);
  for (const [template, code] of rows) {
    Deno.test(`renderText() ${topic}: ${template.slice(0, 120)} is refused, code ${code}`, () => {
      const error = assertThrows(() => renderRow(template, variables), ExpressionError);
      assertEquals((error as ExpressionError).code, code);
    });
  }
}

/** One test a row: the whole message of the error. */
export function testMessages(topic: string, rows: readonly Row[], data: unknown = {}): void {
  const variables = kinded(data);
  for (const [template, message] of rows) {
    Deno.test(`renderText() ${topic}: ${template} says ${message}`, () => {
      const error = assertThrows(() => renderRow(template, variables), ExpressionError);
      assertEquals((error as ExpressionError).message, message);
    });
  }
}
