/** Rendered values → the outputs of an execution, each of its declared type. */
import { type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "../../base/json.ts";
import type { Flow, Output } from "../../model/flows/flow.ts";
import { convertValue, type ResolveOptions } from "../inputs/inputs.ts";
import { shownValue } from "../inputs/shown_value.ts";

type OutputsOutcome = { readonly outputs: JsonObject } | { readonly problem: string };

/**
 * Converts the rendered values of a flow's outputs. A value without type stays unchanged. As null is printed as an empty
 * text, it is one for a STRING. For other types null is a missing value, and for types other than texts the empty text is,
 * too: an optional output without value is left out.
 */
export function convertOutputs(
  flow: Pick<Flow, "outputs">,
  rendered: JsonObject,
  options: Pick<ResolveOptions, "seal"> = {},
): OutputsOutcome {
  const outputs: JsonObject = {};
  for (const output of flow.outputs) {
    const value = ownProperty(rendered, output.id);
    const converted = convert(output, value, options);
    if ("reason" in converted) {
      const problem = `Invalid output for \`${output.id}\`, ${converted.reason}, but received \`${
        shownValue(value ?? null)
      }\``;
      return { problem };
    }
    if (converted.value !== undefined) setOwnProperty(outputs, output.id, converted.value);
  }
  return { outputs };
}

function convert(
  { type, required }: Output,
  value: JsonValue | undefined,
  options: Pick<ResolveOptions, "seal">,
): { readonly value: JsonValue | undefined } | { readonly reason: string } {
  if (value === null && type === "STRING") return { value: "" };
  const isMissing = value === undefined || value === null ||
    value === "" && type !== undefined && !TEXT_TYPES.has(type);
  if (!isMissing) return convertValue(type, value, options);
  if (!required) return { value: undefined };
  // Without a type any value is accepted, null too.
  return type === undefined ? { value: null } : { reason: "missing required output" };
}

/** Types for which the empty text is a value. */
const TEXT_TYPES = new Set(["STRING", "EMAIL", "SECRET"]);
