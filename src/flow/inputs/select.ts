/** SELECT (older: ENUM) and MULTISELECT, one or several of given values, and ARRAY, a list. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { flagOf, hasValue, scalarText, textOf } from "../schema/describe.ts";
import {
  type Conversions,
  type Converted,
  type DeclarationMistake,
  expected,
  type InputType,
} from "./input_type.ts";
import { tooManyValues } from "../source/parse.ts";
import { inputIdOf } from "./form.ts";
import { readJson } from "./json.ts";
import { shownValue } from "./shown_value.ts";

/** The name of `values` in older flows. */
const OLDER_NAME = "options";

const CHOICE_PROPERTIES = {
  values: {
    type: "list",
    description: "Values to choose from; each a text, or a `value` with the `label` that forms show.",
  },
  expression: {
    type: "string",
    dynamic: true,
    description: "Expression that gives the values to choose from.",
  },
  allowCustomValue: { type: "boolean", default: false, description: "Other values are allowed too." },
} satisfies InputType["properties"];

/** SELECT: one of `values`. The resolver has rendered an `expression` into `values`. */
export const selectInput: InputType = {
  names: ["SELECT", "ENUM"],
  properties: {
    ...CHOICE_PROPERTIES,
    isRadio: { type: "boolean", default: false, description: "Forms show all values at once." },
    autoSelectFirst: { type: "boolean", default: false, description: "The first value is the default." },
  },
  convert(value, properties) {
    const text = scalarText(value);
    if (text === undefined) return expected("SELECT", shownValue(value), "it is not a text");
    return choiceTest(properties)(text) ? { value: text } : mismatch(properties);
  },
  checkDeclaration: checkChoices,
};

/** MULTISELECT: any number of `values`, as a list or its JSON text; they are converted to `itemType`. */
export const multiselectInput: InputType = {
  names: ["MULTISELECT"],
  properties: {
    ...CHOICE_PROPERTIES,
    values: { ...CHOICE_PROPERTIES.values, aliases: [OLDER_NAME] },
    itemType: { type: "string", default: "STRING", description: "Type of each value." },
    autoSelectFirst: { type: "boolean", default: false, description: "The first value is the default." },
  },
  convert(value, properties, conversions) {
    const items = readItems("MULTISELECT", value);
    if ("reason" in items) return items;
    const isChoice = choiceTest(properties);
    if (!items.list.every((item) => isChoice(scalarText(item) ?? ""))) return mismatch(properties);
    return convertItems(items.list, itemTypeOf(properties) ?? "STRING", conversions);
  },
  checkDeclaration: (properties, conversions) => [
    ...checkChoices(properties),
    ...checkItemType(properties, conversions),
  ],
};

/** ARRAY: a list or its JSON text. Outputs have no `itemType`: their elements stay unchanged. */
export const arrayInput: InputType = {
  names: ["ARRAY"],
  properties: {
    itemType: { type: "string", required: true, description: "Type of each element; not ARRAY." },
  },
  convert(value, properties, conversions) {
    const items = readItems("ARRAY", value);
    if ("reason" in items) return items;
    const itemType = itemTypeOf(properties);
    return itemType === undefined ? { value: items.list } : convertItems(items.list, itemType, conversions);
  },
  checkDeclaration: checkItemType,
};

/** The elements of a list or of its JSON text. */
function readItems(
  type: string,
  value: JsonValue,
): { readonly list: JsonValue[] } | { readonly reason: string } {
  const read: Converted = typeof value === "string" ? readJson(type, value) : { value };
  if ("reason" in read) return read;
  if (Array.isArray(read.value)) return { list: read.value };
  return expected(type, shownValue(value), "it is not a list");
}

function convertItems(list: readonly JsonValue[], type: string, conversions: Conversions): Converted {
  const items: JsonValue[] = [];
  const { valueBudget } = conversions;
  for (const item of list) {
    const converted = item === null ? undefined : conversions.convert(type, item);
    if (!converted || "reason" in converted) {
      const refusal = valueBudget && tooManyValues(valueBudget);
      if (refusal) return refusal;
      return { reason: `Unable to parse array element as \`${type}\` on \`${shownValue(item)}\`` };
    }
    items.push(converted.value);
  }
  return { value: items };
}

function itemTypeOf(properties: JsonObject): string | undefined {
  return textOf(properties, "itemType");
}

/** `itemType` names a known type that is no list. */
function checkItemType(properties: JsonObject, conversions: Conversions): DeclarationMistake[] {
  const type = itemTypeOf(properties);
  if (type === undefined) return [];
  const isKnown = type !== "ARRAY" && type !== "MULTISELECT" && conversions.isKnown(type);
  if (isKnown) return [];
  // Existing clients know the first text, which names the input.
  const message = type === "ARRAY"
    ? `${inputIdOf(properties)}: \`itemType\` cannot be \`ARRAY\``
    : `Invalid type: ${type}`;
  return [{ property: "itemType", message }];
}

function choicesOf(properties: JsonObject): string[] | undefined {
  const values = valuesOf(properties);
  return Array.isArray(values) ? values.map((item) => choiceOf(item) ?? "") : undefined;
}

/** The choices, declared or rendered from `expression`; an empty list beside an `expression` declares none. */
function valuesOf(properties: JsonObject): JsonValue {
  const values = ownProperty(properties, "values") ?? ownProperty(properties, OLDER_NAME) ?? null;
  const isEmpty = Array.isArray(values) && values.length === 0;
  return isEmpty && hasValue(properties, "expression") ? null : values;
}

function choiceOf(item: JsonValue): string | undefined {
  return scalarText(isJsonObject(item) ? ownProperty(item, "value") : item);
}

/** Rendered choices as a flow declares them: scalars are texts, and null is no choice. */
export function choiceTexts(choices: JsonValue): JsonValue {
  if (!Array.isArray(choices)) return choices;
  return choices.filter((item) => item !== null).map((item) => scalarText(item) ?? item);
}

/** The first choice; null if it does not exist. */
export function firstChoice(properties: JsonObject): JsonValue {
  const values = valuesOf(properties);
  const [first = null] = Array.isArray(values) ? values : [];
  return isJsonObject(first) ? ownProperty(first, "value") ?? null : first;
}

/** Whether a text may be chosen. */
function choiceTest(properties: JsonObject): (text: string) => boolean {
  const choices = choicesOf(properties);
  if (!choices || flagOf(properties, "allowCustomValue", false)) return () => true;
  const known = new Set(choices);
  return (text) => known.has(text);
}

function mismatch(properties: JsonObject): Converted {
  return { reason: `it must match the values \`[${(choicesOf(properties) ?? []).join(", ")}]\`` };
}

function checkChoices(properties: JsonObject): DeclarationMistake[] {
  const values = valuesOf(properties), hasValues = values !== null;
  const hasSource = hasValue(properties, "expression");
  if (hasValues && hasSource) {
    return [{ property: "values", message: 'must not be set together with "expression"' }];
  }
  const isNameless = (item: JsonValue) => isJsonObject(item) && choiceOf(item) === undefined;
  if (Array.isArray(values) && values.some(isNameless)) {
    return [{ property: "values", message: "a value with a label needs a `value`" }];
  }
  if (hasValues || hasSource) return [];
  return [{ property: "values", message: 'must not be null, unless "expression" is set' }];
}
