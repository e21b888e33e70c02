/** ION: any value, as Ion text, of which JSON is a part. */
import { IonError, parseIon } from "../../languages/ion/mod.ts";
import { expected, type InputType } from "./input_type.ts";
import { shownValue } from "./shown_value.ts";

/** A default may be the value itself. */
export const ionInput: InputType = {
  names: ["ION"],
  properties: {},
  convert(value) {
    if (typeof value !== "string") return { value };
    try {
      return { value: parseIon(value, { isProseAllowed: false }).value };
    } catch (error) {
      // The reader reports a wrong text by throwing.
      if (!(error instanceof IonError)) throw error;
      return expected("ION", shownValue(value), `Invalid json: ${error.reason}`);
    }
  },
};
