/** `core.execution.Count`: counts executions. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { isTruthyText, printValue } from "../../expr/mod.ts";
import type { FlowCount } from "../../model/ports/executions.ts";
import type { ExecutionSelection } from "../../model/executions/execution_selection.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { instantOf, requiredTextOf, structureOf, textOf, textsOf } from "../property_values.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { stateList, statesOf } from "./execution_properties.ts";

const COUNTED_FLOW: PropertySchemas = Object.freeze({
  namespace: dynamicText("Namespace of the flow.", { required: true }),
  flowId: dynamicText("Id of the flow.", { aliases: ["id"] }),
});

const RESULT: PropertySchemas = Object.freeze({
  namespace: { type: "string", description: "Namespace of the flow." },
  flowId: { type: "string", description: "Id of the flow." },
  count: { type: "integer", description: "Number of its executions." },
});

/** Outputs: `results` and `total`. */
export const countTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.Count",
  aliases: ["core.execution.Counts", "core.tasks.executions.Count", "core.tasks.executions.Counts"],
  description: "Counts executions by flow, and keeps the counts for which an expression is true.",
  pure: false,
  properties: {
    flows: dynamicProperty("list", "Flows whose executions are counted.", {
      items: dynamicProperty("object", "A flow.", { properties: COUNTED_FLOW }),
    }),
    namespaces: dynamicProperty("list", "Namespaces whose executions are counted, instead of `flows`.", {
      items: { type: "string", description: "Name of a namespace." },
    }),
    states: stateList("Only executions in one of these states are counted."),
    startDate: dynamicProperty("dateTime", "Only executions that started at this time or later."),
    endDate: dynamicProperty("dateTime", "Only executions that started before this time."),
    expression: {
      type: "string",
      required: true,
      description: "Expression that is evaluated for each flow with the variable `count`.",
    },
  },
  outputs: {
    results: {
      type: "list",
      items: { type: "object", properties: RESULT, description: "A flow and its count." },
      description: "Counts for which the expression is true.",
    },
    total: { type: "integer", description: "Sum of all counts." },
  },
  async run(properties, context) {
    const expression = requiredTextOf(properties, "expression");
    const selection: ExecutionSelection = {
      states: statesOf(properties),
      startedFrom: instantOf(properties, "startDate"),
      startedBefore: instantOf(properties, "endDate"),
    };
    const results: FlowCount[] = [];
    for (const { namespace, flowId } of await flowsOf(countedOf(properties), context)) {
      const count = await context.ports.executions.count(context.tenant, { ...selection, namespace, flowId });
      const isKept = isTruthyText(printValue(await context.render(expression, { count })));
      if (isKept) results.push({ namespace, flowId, count });
    }
    const total = results.reduce((sum, { count }) => sum + count, 0);
    return { state: "SUCCESS", outputs: { results: results.map((result) => ({ ...result })), total } };
  },
};

/** Without a flow id, all flows of the namespace. */
type Counted = { readonly namespace: string; readonly flowId?: string };

function countedOf(properties: JsonObject): Counted[] {
  const flows = structureOf(properties, "flows");
  const namespaces = textsOf(properties, "namespaces");
  if (flows === undefined && namespaces === undefined) {
    throw new Error("You must provide a list of flows or namespaces");
  }
  if (flows !== undefined && !Array.isArray(flows)) throw new Error("Invalid flows: they must be a list");
  const named = (flows ?? []).map((flow) => {
    if (!isJsonObject(flow)) throw new Error(`Invalid flow "${printValue(flow)}": it must have a namespace`);
    const flowId = textOf(flow, "flowId") ?? textOf(flow, "id");
    return { namespace: requiredTextOf(flow, "namespace"), flowId };
  });
  return [...named, ...(namespaces ?? []).map((namespace) => ({ namespace }))];
}

async function flowsOf(
  counted: readonly Counted[],
  { ports, tenant }: RunContext,
): Promise<{ namespace: string; flowId: string }[]> {
  const flows = new Map<string, { namespace: string; flowId: string }>();
  for (const { namespace, flowId } of counted) {
    const ids = flowId === undefined ? await ports.executions.flowIds(tenant, namespace) : [flowId];
    for (const id of ids) flows.set(`${namespace}/${id}`, { namespace, flowId: id });
  }
  return [...flows.values()];
}
