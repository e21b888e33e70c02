/** ARRAY: a list, each element of one type. */
import { checkItemType, convertItems, itemTypeOf, readItems } from "./select.ts";
import type { InputType } from "./input_type.ts";

/** Given as a list or its JSON text. */
export const arrayInput: InputType = {
  names: ["ARRAY"],
  properties: {
    itemType: { type: "string", required: true, description: "Type of each element; not ARRAY." },
  },
  convert(value, properties, conversions) {
    const items = readItems("ARRAY", value);
    if ("reason" in items) return items;
    return convertItems(items.list, itemTypeOf(properties) ?? "STRING", conversions);
  },
  checkDeclaration: checkItemType,
};
