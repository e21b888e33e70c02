/** What conditions on a namespace have in common. */
import type { PropertySchemas } from "../../model/schema.ts";

/** The namespace and how it is compared. */
export const NAMESPACE_COMPARISON: PropertySchemas = Object.freeze({
  namespace: {
    type: "string",
    required: true,
    dynamic: true,
    description: "Text to compare the namespace with.",
  },
  comparison: {
    type: "string",
    values: ["EQUALS", "PREFIX", "SUFFIX"],
    default: "EQUALS",
    description: "Whether the namespace must equal the text, begin with it or end with it.",
  },
  prefix: {
    type: "boolean",
    default: false,
    deprecated: "use `comparison: PREFIX`",
    description: "Whether the namespace must begin with the text.",
  },
});
