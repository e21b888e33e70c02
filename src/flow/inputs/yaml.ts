/** YAML: any value, as YAML text. */
import { parseYamlValue } from "../source/parse.ts";
import { expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

/** A default may be the value itself. */
export const yamlInput: InputType = {
  names: ["YAML"],
  properties: {},
  convert(value) {
    if (typeof value !== "string") return { value };
    const read = parseYamlValue(value);
    return "value" in read ? read : expected("YAML", shownValue(value), read.reason);
  },
};
