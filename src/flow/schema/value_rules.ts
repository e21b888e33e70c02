/** Rules of single values: what a schema says of a scalar beside its kind. */
import type { JsonValue } from "../../base/json.ts";
import type { PropertySchema } from "../../model/flows/schema.ts";
import { describeValue } from "./describe.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";

/** Reports a value outside the allowed texts, bounds, length or form. */
export function checkRules(value: JsonValue, schema: PropertySchema, path: Path, report: Report): void {
  const { values, minimum, maximum, pattern } = schema;
  if (values && !values.includes(String(value))) {
    const list = values.map((item) => `"${item}"`).join(", ");
    report.error("wrong_value", path, `must be one of ${list}, but received ${describeValue(value)}`);
  }
  checkLength(value, schema, path, report);
  if (minimum !== undefined && Number(value) < minimum) {
    report.error("too_small", path, `must be greater than or equal to ${minimum}`);
  }
  if (maximum !== undefined && Number(value) > maximum) {
    report.error("too_large", path, `must be less than or equal to ${maximum}`);
  }
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`, "u").test(String(value))) {
    report.error("wrong_form", path, `must match "${pattern}", but received ${describeValue(value)}`);
  }
}

/** Reports a text that is too long; it counts before it is rendered too. */
export function checkLength(
  value: JsonValue,
  { maxLength }: PropertySchema,
  path: Path,
  report: Report,
): void {
  if (maxLength === undefined || String(value).length <= maxLength) return;
  report.error("too_long", path, `size must be between 0 and ${maxLength}`);
}

/** Values that ask for nothing: a property without behaviour may be spelt out with them. */
export function isNothing(value: JsonValue): boolean {
  return value === null || value === false || Array.isArray(value) && value.length === 0;
}

/** How a deprecation is told; `advice` says what to use instead. */
export function deprecationText(advice: string): string {
  return `is deprecated: ${advice.charAt(0).toLowerCase()}${advice.slice(1).replace(/\.$/, "")}`;
}
