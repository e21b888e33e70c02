/** STRING, SECRET, URI and EMAIL: texts. */
import { stringifyJson } from "../../base/json.ts";
import { scalarText, textOf } from "../schema/describe.ts";
import { matchesPattern, patternMistake } from "../../languages/regex/mod.ts";
import type { InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

const URI = /^[a-zA-Z][a-zA-Z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=\-\u00a1-\uffff]|%[0-9a-fA-F]{2})+$/;
/** URIs without host of a scheme that requires one. */
const WITHOUT_HOST = /^(?:https?|wss?|ftps?|sftp):(?!\/\/[^/?#])/i;
const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** STRING; `validator` is a Java regular expression that must match the whole text. */
export const stringInput: InputType = {
  names: ["STRING"],
  takesEmptyText: true,
  properties: {
    validator: { type: "string", description: "Regular expression that must match the whole text." },
  },
  convert(value, properties, { patternBudget }) {
    const text = scalarText(value) ?? stringifyJson(value);
    const pattern = textOf(properties, "validator");
    if (pattern === undefined) return { value: text };
    const outcome = matchesPattern(pattern, text, patternBudget);
    if (outcome === true) return { value: text };
    return { reason: outcome === false ? `it must match the pattern \`${pattern}\`` : outcome.reason };
  },
  checkDeclaration(properties, { patternBudget }) {
    const pattern = textOf(properties, "validator");
    const mistake = pattern === undefined ? undefined : patternMistake(pattern, patternBudget);
    return mistake === undefined ? [] : [{ property: "validator", message: `invalid pattern: ${mistake}` }];
  },
};

/** SECRET: as STRING, but an empty text is no value. The resolver encrypts the value. */
export const secretInput: InputType = {
  ...stringInput,
  names: ["SECRET"],
  takesEmptyText: false,
  isSecret: true,
};

/** True for an absolute URI; one with a network scheme has a host. */
export function isUri(text: string): boolean {
  return URI.test(text) && !WITHOUT_HOST.test(text);
}

/** URI: an absolute one. */
export const uriInput: InputType = {
  names: ["URI"],
  properties: {},
  convert(value) {
    if (typeof value === "string" && isUri(value)) return { value };
    return { reason: `Expected \`URI\` but received \`${shownValue(value)}\`` };
  },
};

/** EMAIL: an address, or an empty text. */
export const emailInput: InputType = {
  names: ["EMAIL"],
  takesEmptyText: true,
  properties: {},
  convert(value) {
    if (typeof value === "string" && (value === "" || EMAIL.test(value))) return { value };
    return { reason: "The input must be a valid email" };
  },
};
