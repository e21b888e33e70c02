/** JSON: any value, as JSON text. */
import { type JsonValue, parseJson } from "../../base/json.ts";
import { MAX_YAML_DEPTH } from "../../languages/yaml/mod.ts";
import { type Converted, expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

/** A default may be the value itself. */
export const jsonInput: InputType = {
  names: ["JSON"],
  properties: {},
  convert: (value) => typeof value === "string" ? readJson("JSON", value) : { value },
};

/** The value of a JSON text; `type` is the one that a message names. */
export function readJson(type: string, text: string): Converted {
  try {
    const value = parseJson(text);
    if (!isDeeper(value, MAX_YAML_DEPTH)) return { value };
    return expected(type, shownValue(text), `it is nested deeper than ${MAX_YAML_DEPTH} levels`);
  } catch (error) {
    // The platform's parser reports a wrong text, and one too deep for its stack, by throwing.
    return expected(
      type,
      shownValue(text),
      error instanceof SyntaxError ? error.message : "it is nested too deep",
    );
  }
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item as JsonValue, levels - 1));
}
