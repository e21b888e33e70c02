/** Valid document → the typed view that the rest of the server works with. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, ownProperty } from "../../base/json.ts";
import type { Flow, Input, Task, TenantId, Trigger } from "../../model/flows/flow.ts";
import { buildConcurrency, buildOutputs, buildRetry, buildSlas, buildTasks } from "./build_tasks.ts";
import { flagOf, textOf } from "../schema/describe.ts";
import { triggerKind } from "../schema/kinds.ts";
import { readLabels } from "../../model/flows/label.ts";
import { applyPluginDefaults, type TypeCatalogs } from "../schema/plugin_defaults.ts";

/** What the store gives to a flow, and the text it was parsed from. */
interface FlowIdentity {
  readonly tenant: TenantId;
  readonly revision: number;
  readonly flowNo: number;
  readonly deleted: boolean;
  readonly source: string;
}

/** The typed view, with the defaults of the flow applied; the document must be valid. With catalogs, aliases of types are resolved. */
export function buildFlow(document: JsonObject, identity: FlowIdentity, catalogs: TypeCatalogs = {}): Flow {
  const applied = applyPluginDefaults(document, catalogs);
  const tasksOf = (name: string) => buildTasks(ownProperty(applied, name), catalogs.tasks);
  const variables = ownProperty(document, "variables");
  return {
    ...identity,
    namespace: textOf(document, "namespace") ?? "",
    id: textOf(document, "id") ?? "",
    disabled: flagOf(document, "disabled", false),
    labels: readLabels(ownProperty(document, "labels")),
    inputs: buildInputs(ownProperty(document, "inputs")),
    outputs: buildOutputs(ownProperty(document, "outputs")),
    variables: isJsonObject(variables) ? variables : {},
    tasks: tasksOf("tasks"),
    errors: tasksOf("errors"),
    finally: tasksOf("finally"),
    afterExecution: [...tasksOf("afterExecution"), ...listenerTasks(applied, catalogs)],
    retry: buildRetry(ownProperty(document, "retry")),
    concurrency: buildConcurrency(ownProperty(document, "concurrency")),
    sla: buildSlas(ownProperty(document, "sla")),
    triggers: objectsOf(ownProperty(applied, "triggers")).map(buildTrigger),
    definition: document,
  };
}

/** Tasks of the older `listeners`: they run as those of `afterExecution`, each where the conditions of its listener hold. */
function listenerTasks(document: JsonObject, { tasks }: TypeCatalogs): Task[] {
  return objectsOf(ownProperty(document, "listeners")).flatMap((listener) => {
    const conditions = objectsOf(ownProperty(listener, "conditions"));
    const built = buildTasks(ownProperty(listener, "tasks"), tasks);
    return conditions.length === 0 ? built : built.map((task) => ({ ...task, conditions }));
  });
}

/** Inputs of a valid list of declarations. */
export function buildInputs(list: JsonValue | undefined): Input[] {
  return objectsOf(list).map((properties) => ({
    id: textOf(properties, "id") ?? textOf(properties, "name") ?? "",
    type: textOf(properties, "type") ?? "",
    required: flagOf(properties, "required", true),
    defaults: ownProperty(properties, "defaults") ?? undefined,
    properties,
  }));
}

function buildTrigger(properties: JsonObject): Trigger {
  const type = textOf(properties, "type") ?? "";
  return {
    id: textOf(properties, "id") ?? "",
    type,
    kind: triggerKind(type),
    disabled: flagOf(properties, "disabled", false),
    properties,
  };
}
