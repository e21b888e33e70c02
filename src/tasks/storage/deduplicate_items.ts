/** `core.storage.DeduplicateItems`: keeps the last item of each key. */
import { printValue } from "../../expr/mod.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { requiredTextOf } from "../property_values.ts";
import { type ItemLine, itemLines, renderItem } from "./item_lines.ts";
import { LastItems } from "./last_items.ts";
import { gathered } from "./pieces.ts";
import { extensionOf, FROM, WRITTEN_URI } from "./stored_file.ts";

/** They are held in memory: half a gigabyte. */
const MAX_KEYS = 4_000_000;

/** Outputs: `uri`, `numKeys`, `processedItemsTotal` and `droppedItemsTotal`. */
export const deduplicateItemsTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.storage.DeduplicateItems",
  aliases: ["core.tasks.storages.DeduplicateItems"],
  description: "Keeps the last item of each key in a file.",
  properties: {
    from: FROM,
    expr: {
      type: "string",
      required: true,
      description: "Expression for the key of an item; the members of the item are its variables.",
    },
  },
  outputs: {
    uri: WRITTEN_URI,
    numKeys: { type: "integer", description: "Number of different keys." },
    processedItemsTotal: { type: "integer", description: "Number of items read." },
    droppedItemsTotal: { type: "integer", description: "Number of items dropped." },
  },
  async run(properties, context) {
    const [from, expr] = [requiredTextOf(properties, "from"), requiredTextOf(properties, "expr")];
    // Reads the file twice, so that only the keys are in memory.
    const items = new LastItems(MAX_KEYS);
    for await (const line of itemLines(context, from)) {
      items.add(printValue(await renderItem(context, expr, line)));
    }
    const kept = items.numbers();
    const lines = gathered(linesAt(itemLines(context, from), kept));
    const { uri } = await context.ports.storage.write(context, extensionOf(from), lines);
    return {
      state: "SUCCESS",
      outputs: {
        uri,
        numKeys: kept.size,
        processedItemsTotal: items.count,
        droppedItemsTotal: items.count - kept.size,
      },
    };
  },
};

async function* linesAt(lines: AsyncIterable<ItemLine>, kept: ReadonlySet<number>): AsyncGenerator<ItemLine> {
  let index = 0;
  for await (const line of lines) if (kept.has(index++)) yield line;
}
