/** The interface of input types. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Budget } from "../../languages/regex/mod.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import type { ValueBudget } from "../source/parse.ts";

/** A converted value, or why the conversion failed; the reason is the middle of "Invalid input for `id`, <reason>, but received …". */
export type Converted = { readonly value: JsonValue } | { readonly reason: string };

/** What conversions that belong together share; absent: each has a budget of its own. */
export interface ConversionBudgets {
  /** For the patterns of all validators. */
  readonly patternBudget?: Budget;
  /** For all texts in YAML and ION. */
  readonly valueBudget?: ValueBudget;
}

/** Conversion of list elements. */
export interface Conversions extends ConversionBudgets {
  /** True for the name of a type. */
  isKnown(type: string): boolean;
  /** The value as one of `type`; `undefined` when there is no such type. */
  convert(type: string, value: JsonValue): Converted | undefined;
}

/** A problem of one member of an input declaration. */
export interface DeclarationMistake {
  readonly property: string;
  readonly message: string;
}

/** How an input of a type is declared. */
export interface InputDeclaration {
  /** The name, and older ones. */
  readonly names: readonly string[];
  /** Properties besides the common ones. */
  readonly properties: PropertySchemas;
  /** Common properties that it must not have, and why. */
  readonly refused?: ReadonlyMap<string, string>;
  /** Problems of the declaration that the schemas do not cover. */
  checkDeclaration?(properties: JsonObject, conversions: Conversions): DeclarationMistake[];
}

/** A type of values. */
export interface InputType extends InputDeclaration {
  /** An empty text is a value; other types treat it as missing. */
  readonly takesEmptyText?: boolean;
  /** The value is stored encrypted and never shown in messages. */
  readonly isSecret?: boolean;
  /** The value as flows read it. `value` is not null; a value from a form is a text. */
  convert(value: JsonValue, properties: JsonObject, conversions: Conversions): Converted;
  /** Why a value cannot be a default; `undefined`: the conversion decides. */
  refusesDefault?(value: JsonValue, properties: JsonObject): string | undefined;
}

/** The reason for a value that is not of the type. */
export function expected(type: string, shown: string, error: string): { readonly reason: string } {
  return { reason: `Expected \`${type}\` but received \`${shown}\` with errors: \`${error}\`` };
}
