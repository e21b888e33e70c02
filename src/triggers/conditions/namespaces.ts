/** What conditions on a namespace have in common. */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import { textOf } from "./values.ts";

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

/** True for a namespace that the properties mean. */
export function isNamespace(properties: JsonObject, namespace: string): boolean {
  const wanted = textOf(properties, "namespace");
  const isPrefix = String(ownProperty(properties, "prefix") ?? false) === "true";
  switch (textOf(properties, "comparison") || (isPrefix ? "PREFIX" : "EQUALS")) {
    case "PREFIX":
      return namespace.startsWith(wanted);
    case "SUFFIX":
      return namespace.endsWith(wanted);
    default:
      return namespace === wanted;
  }
}
