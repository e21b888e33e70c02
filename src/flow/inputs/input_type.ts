/** What an input type is. Each type is a file of its own and a line of the registry. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";

/** A converted value, or why there is none; the reason is the middle of "Invalid input for `id`, <reason>, but received …". */
export type Converted = { readonly value: JsonValue } | { readonly reason: string };

/** Conversion to other types, for lists of them. */
export interface Conversions {
  /** True for the name of a type. */
  isKnown(type: string): boolean;
  /** The value as one of `type`; `undefined` when there is no such type. */
  convert(type: string, value: JsonValue): Converted | undefined;
}

/** Something wrong with the declaration of an input, at one of its members. */
export interface DeclarationMistake {
  readonly property: string;
  readonly message: string;
}

/** A type of inputs. */
export interface InputType {
  /** The name, and older ones. */
  readonly names: readonly string[];
  /** Properties beside the common ones. */
  readonly properties: PropertySchemas;
  /** An empty text is a value; for other types it is none. */
  readonly takesEmptyText?: boolean;
  /** The value is kept encrypted, and no message repeats it. */
  readonly isSecret?: boolean;
  /** The value as flows see it. `value` is not null; it is a text when it came from a form. */
  convert(value: JsonValue, properties: JsonObject, conversions: Conversions): Converted;
  /** What is wrong with the declaration, apart from what the schemas say. */
  checkDeclaration?(properties: JsonObject, conversions: Conversions): DeclarationMistake[];
}

/** The failure of a value that is not of the type. */
export function expected(type: string, shown: string, error: string): Converted {
  return { reason: `Expected \`${type}\` but received \`${shown}\` with errors: \`${error}\`` };
}
