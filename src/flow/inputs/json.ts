/** JSON, YAML and ION: any value, as text. A default may be the value itself. */
import { parseJson } from "../../base/json.ts";
import { isNestedDeeper } from "../../base/json_text.ts";
import { IonError, parseIon } from "../../languages/ion/mod.ts";
import { MAX_YAML_DEPTH } from "../../languages/yaml/mod.ts";
import { parseYamlValue, spendValues, tooManyValues } from "../source/parse.ts";
import { type ConversionBudgets, type Converted, expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

/** JSON. */
export const jsonInput = textInput("JSON", (text) => readJson("JSON", text));

/** YAML. */
export const yamlInput = textInput("YAML", (text, { valueBudget }) => {
  const read = parseYamlValue(text, valueBudget);
  return "value" in read ? read : expected("YAML", shownValue(text), read.reason);
});

/** Characters of ION that take at most as long as a value in YAML. */
const ION_CHARS_PER_VALUE = 64;

/** ION, a superset of JSON. */
export const ionInput = textInput("ION", (text, { valueBudget }) => {
  const refusal = valueBudget && tooManyValues(valueBudget);
  if (refusal) return expected("ION", shownValue(text), refusal.reason);
  if (valueBudget) spendValues(valueBudget, text.length / ION_CHARS_PER_VALUE);
  try {
    return { value: parseIon(text, { isProseAllowed: false }).value };
  } catch (error) {
    // The reader throws on a syntax error.
    if (!(error instanceof IonError)) throw error;
    return expected("ION", shownValue(text), `Invalid json: ${error.reason}`);
  }
});

function textInput(type: string, read: (text: string, budgets: ConversionBudgets) => Converted): InputType {
  return {
    names: [type],
    properties: {},
    convert: (value, _, budgets) => typeof value === "string" ? read(value, budgets) : { value },
  };
}

/** The value of a JSON text; messages name the input type `type`. */
export function readJson(type: string, text: string): Converted {
  if (isNestedDeeper(text, MAX_YAML_DEPTH)) {
    return expected(type, shownValue(text), `it is nested deeper than ${MAX_YAML_DEPTH} levels`);
  }
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return expected(type, shownValue(text), (error as Error).message);
  }
}
