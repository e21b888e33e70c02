/** `core.log.Fetch`: the log of an execution as a file. */
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { EXECUTION_FLOW, namedExecutionOf } from "../execution/execution_properties.ts";
import { textsOf } from "../property_values.ts";
import { jsonLines } from "../storage/item_lines.ts";
import { levelProperty, readLogLevel } from "./level.ts";

/** Outputs: `size` and `uri`. */
export const fetchLogsTask: RunnableTaskType = {
  form: "runnable",
  type: "core.log.Fetch",
  aliases: ["core.tasks.log.Fetch"],
  description: "Stores the log of an execution as a file, one line of JSON per log line.",
  pure: false,
  properties: {
    executionId: dynamicText("Id of the execution; default is this one."),
    ...EXECUTION_FLOW,
    tasksId: dynamicProperty("list", "Only lines of these tasks.", {
      items: { type: "string", description: "Id of a task." },
    }),
    level: levelProperty("Only lines of this or a more severe level."),
  },
  outputs: {
    size: { type: "integer", description: "Number of lines." },
    uri: { type: "string", description: "Storage URI of the file." },
  },
  async run(properties, context) {
    const { executionId = context.executionId, flow } = namedExecutionOf(properties);
    const selection = {
      executionId,
      minLevel: readLogLevel(properties),
      taskIds: textsOf(properties, "tasksId"),
    };
    const found = await context.ports.logs.entries(context.tenant, selection);
    if (!found) throw new Error(`Cannot fetch the log of execution "${executionId}": it does not exist`);
    let size = 0;
    const entries = async function* () {
      for await (const entry of found) {
        if (flow && (entry.namespace !== flow.namespace || entry.flowId !== flow.flowId)) continue;
        size++;
        yield entry;
      }
    };
    const { uri } = await context.ports.storage.write(context, ".ion", jsonLines(entries()));
    return { state: "SUCCESS", outputs: { size, uri } };
  },
};
