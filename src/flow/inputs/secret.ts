/** SECRET: a text that is encrypted as soon as it is converted, and shown nowhere. */
import type { InputType } from "./input_type.ts";
import { stringInput } from "./string.ts";

/** As STRING, but an empty text is none. Whoever resolves the inputs encrypts the value. */
export const secretInput: InputType = {
  ...stringInput,
  names: ["SECRET"],
  takesEmptyText: false,
  isSecret: true,
};
