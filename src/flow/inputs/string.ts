/** STRING: a text, perhaps of a given form. */
import { type JsonObject, ownProperty, stringifyJson } from "../../base/json.ts";
import { scalarText } from "../schema/describe.ts";
import { matchesPattern, patternMistake } from "../../languages/regex/mod.ts";
import type { InputType } from "./input_type.ts";

/** `validator` is a Java regular expression that must match all of the text. */
export const stringInput: InputType = {
  names: ["STRING"],
  takesEmptyText: true,
  properties: {
    validator: { type: "string", description: "Regular expression that must match the whole text." },
  },
  convert(value, properties) {
    const text = scalarText(value) ?? stringifyJson(value);
    const pattern = validatorOf(properties);
    if (pattern === undefined) return { value: text };
    const outcome = matchesPattern(pattern, text);
    if (outcome === true) return { value: text };
    return { reason: outcome === false ? `it must match the pattern \`${pattern}\`` : outcome.reason };
  },
  checkDeclaration(properties) {
    const pattern = validatorOf(properties);
    const message = pattern === undefined ? undefined : patternMistake(pattern);
    return message === undefined ? [] : [{ property: "validator", message }];
  },
};

function validatorOf(properties: JsonObject): string | undefined {
  return scalarText(ownProperty(properties, "validator"));
}
