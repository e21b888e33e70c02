/** Templates within values: rendering of the texts of a value. */
import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from "../base/json.ts";
import type { Context } from "./context.ts";
import { printValue } from "../languages/values/mod.ts";
import { keysOf, weightOf } from "./weight.ts";

/** Renders each text of a value, also map keys. Of two keys that render to the same text the first wins. */
export function renderWithin(
  value: JsonValue,
  renderText: (text: string, context: Context) => string,
  context: Context,
): JsonValue {
  if (typeof value === "string") return renderText(value, context);
  if (typeof value !== "object" || value === null) return value;
  context.spend(1 + weightOf(value));
  if (Array.isArray(value)) return value.map((item) => renderWithin(item, renderText, context));
  if (!isJsonObject(value)) return value;
  const rendered: JsonObject = {};
  for (const name of keysOf(value, context)) {
    const key = renderText(name, context);
    if (Object.hasOwn(rendered, key)) continue;
    setOwnProperty(rendered, key, renderWithin(value[name] as JsonValue, renderText, context));
  }
  return rendered;
}

/** The text that `render()` prints for a value of the author: the templates in it are rendered. */
export function printInPlace(value: JsonValue, context: Context): string {
  return printValue(renderWithin(value, renderInPlace, context), context);
}

/** A text that prints itself is not rendered again. */
function renderInPlace(text: string, context: Context): string {
  const { pass } = context;
  if (!text.includes("{") || text === pass.source) return text;
  return context.renderSource(context, text, pass);
}
