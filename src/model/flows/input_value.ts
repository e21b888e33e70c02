/** What a caller sends for an input, before it is converted to the input's type. */
import type { JsonValue } from "../../base/json.ts";

/** One sent value: the text of a form field, an uploaded file that is stored already, or a value of a program. */
export type GivenValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly uri: string; readonly size: number }
  | { readonly kind: "value"; readonly value: JsonValue };
