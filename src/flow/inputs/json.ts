/** JSON, YAML and ION: any value, as text. A default may be the value itself. */
import { type JsonValue, parseJson } from "../../base/json.ts";
import { IonError, parseIon } from "../../languages/ion/mod.ts";
import { MAX_YAML_DEPTH } from "../../languages/yaml/mod.ts";
import { parseYamlValue } from "../source/parse.ts";
import { type Converted, expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

/** JSON. */
export const jsonInput = textInput("JSON", (text) => readJson("JSON", text));

/** YAML. */
export const yamlInput = textInput("YAML", (text) => {
  const read = parseYamlValue(text);
  return "value" in read ? read : expected("YAML", shownValue(text), read.reason);
});

/** ION, a superset of JSON. */
export const ionInput = textInput("ION", (text) => {
  try {
    return { value: parseIon(text, { isProseAllowed: false }).value };
  } catch (error) {
    // The reader throws on a syntax error.
    if (!(error instanceof IonError)) throw error;
    return expected("ION", shownValue(text), `Invalid json: ${error.reason}`);
  }
});

function textInput(type: string, read: (text: string) => Converted): InputType {
  return {
    names: [type],
    properties: {},
    convert: (value) => typeof value === "string" ? read(value) : { value },
  };
}

/** The value of a JSON text; messages name the input type `type`. */
export function readJson(type: string, text: string): Converted {
  try {
    const value = parseJson(text);
    if (!isDeeper(value, MAX_YAML_DEPTH)) return { value };
    return expected(type, shownValue(text), `it is nested deeper than ${MAX_YAML_DEPTH} levels`);
  } catch (error) {
    // The parser of the platform throws on a syntax error, and on nesting too deep for its stack.
    const reason = error instanceof SyntaxError ? error.message : "it is nested too deep";
    return expected(type, shownValue(text), reason);
  }
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item as JsonValue, levels - 1));
}
