/** `core.storage.FilterItems`: keeps the items for which a condition holds. */
import { isTruthyText } from "../../base/text/truthy_text.ts";
import { printValue } from "../../expr/mod.ts";
import { dynamicChoice } from "../../model/flows/schema.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { choiceOf, requiredTextOf } from "../property_values.ts";
import { type ItemLine, itemLines, renderItem } from "./item_lines.ts";
import { gathered } from "./pieces.ts";
import { extensionOf, FROM, WRITTEN_URI } from "./stored_file.ts";

const FILTER_TYPES = ["INCLUDE", "EXCLUDE"] as const;
const BEHAVIORS = ["FAIL", "INCLUDE", "EXCLUDE"] as const;

/** Outputs: `uri`, `processedItemsTotal` and `droppedItemsTotal`. */
export const filterItemsTask: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: "core.storage.FilterItems",
  aliases: ["core.tasks.storages.FilterItems"],
  description: "Keeps or drops the items of a file for which a condition is true.",
  properties: {
    from: FROM,
    filterCondition: {
      type: "string",
      required: true,
      description: "Expression that is evaluated for each item; the members of the item are its variables.",
    },
    filterType: dynamicChoice(
      FILTER_TYPES,
      "INCLUDE",
      "Whether items for which the condition is true are kept or dropped.",
    ),
    errorOrNullBehavior: dynamicChoice(
      BEHAVIORS,
      "FAIL",
      "What happens to an item whose condition cannot be evaluated or is null.",
    ),
  },
  outputs: {
    uri: WRITTEN_URI,
    processedItemsTotal: { type: "integer", description: "Number of items read." },
    droppedItemsTotal: { type: "integer", description: "Number of items dropped." },
  },
  async run(properties, context) {
    const from = requiredTextOf(properties, "from");
    const filter: Filter = {
      context,
      condition: requiredTextOf(properties, "filterCondition"),
      keepsTrue: choiceOf(properties, "filterType", FILTER_TYPES) === "INCLUDE",
      otherwise: choiceOf(properties, "errorOrNullBehavior", BEHAVIORS),
      processed: 0,
      dropped: 0,
    };
    const { uri } = await context.ports.storage.write(
      context,
      extensionOf(from),
      gathered(kept(filter, from)),
    );
    const outputs = { uri, processedItemsTotal: filter.processed, droppedItemsTotal: filter.dropped };
    return { state: "SUCCESS", outputs };
  },
};

interface Filter {
  readonly context: RunContext;
  readonly condition: string;
  readonly keepsTrue: boolean;
  readonly otherwise: typeof BEHAVIORS[number];
  processed: number;
  dropped: number;
}

async function* kept(filter: Filter, uri: string): AsyncGenerator<ItemLine> {
  for await (const line of itemLines(filter.context, uri)) {
    filter.processed++;
    if (await isKept(filter, line)) yield line;
    else filter.dropped++;
  }
}

async function isKept(
  { context, condition, keepsTrue, otherwise }: Filter,
  line: ItemLine,
): Promise<boolean> {
  const [rendered] = await Promise.allSettled([renderItem(context, condition, line)]);
  if (rendered.status === "fulfilled" && rendered.value !== null) {
    return isTruthyText(printValue(rendered.value).trim()) === keepsTrue;
  }
  if (otherwise !== "FAIL") return otherwise === "INCLUDE";
  if (rendered.status === "rejected") throw rendered.reason;
  throw new Error(`The condition "${condition}" is null for an item`);
}
