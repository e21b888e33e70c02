/** BOOL and the older BOOLEAN. */
import { scalarText } from "../schema/describe.ts";
import { expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

/** `true` or `false` in any case. */
export const boolInput: InputType = {
  names: ["BOOL"],
  properties: {},
  convert(value) {
    const text = scalarText(value)?.trim().toLowerCase();
    if (text === "true" || text === "false") return { value: text === "true" };
    return expected("BOOL", shownValue(value), 'it is neither "true" nor "false"');
  },
};

/** `true` in any case; any other text is false. */
export const booleanInput: InputType = {
  names: ["BOOLEAN"],
  properties: {},
  convert: (value) => ({ value: scalarText(value)?.trim().toLowerCase() === "true" }),
};
