/** FORM: a group of inputs. It has no value of its own; its inputs are read as `inputs.<form>.<id>`. */
import { type JsonObject, type JsonValue, objectsOf, ownProperty } from "../../base/json.ts";
import { textOf } from "../schema/describe.ts";
import type { InputDeclaration } from "./input_type.ts";

/** The type name. */
export const FORM = "FORM";

const NO_VALUE = "a FORM has no value of its own: give each of its inputs one";

/** A FORM contains no other FORM. */
export const formInput: InputDeclaration = {
  names: [FORM],
  properties: {
    inputs: {
      type: "inputs",
      required: true,
      description: "The inputs of the group, each read as `inputs.<id of the form>.<id>`.",
    },
    required: { type: "boolean", ignored: true, description: "Has no effect: each input has its own." },
    dependsOn: { type: "any", ignored: true, description: "Has no effect: each input has its own." },
  },
  refused: new Map([["defaults", NO_VALUE], ["prefill", NO_VALUE]]),
};

/** True for the declaration of a FORM. */
export function isForm(properties: JsonObject): boolean {
  return textOf(properties, "type") === FORM;
}

/** The id of a declared input, which older flows call `name`; empty if it is missing. */
export function inputIdOf(properties: JsonObject): string {
  return textOf(properties, "id") ?? textOf(properties, "name") ?? "";
}

/** The declared inputs with those of a FORM in its place; their ids begin with its id and a dot. */
export function flattenForms(list: JsonValue | undefined): JsonObject[] {
  return objectsOf(list).flatMap((input) => {
    if (!isForm(input)) return [input];
    return objectsOf(ownProperty(input, "inputs")).map((nested) => ({
      ...nested,
      id: `${inputIdOf(input)}.${inputIdOf(nested)}`,
    }));
  });
}
