/** ARRAY: a list, each element of one type. */
import { checkItemType, convertItems, itemTypeOf, readItems } from "./select.ts";
import type { InputType } from "./input_type.ts";

/** Given as a list or its JSON text. Outputs have no `itemType`: their elements stay as they are. */
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
